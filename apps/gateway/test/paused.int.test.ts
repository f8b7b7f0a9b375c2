// A gateway that stood still for longer than a deadline, with its default limits: answers that came meanwhile are read
// before the deadline decides.
import { setTimeout as delay } from 'node:timers/promises';
import { adminApi, createNamespace } from '@kubernaut/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import type { NewRemediationRequest } from '../src/generated/remediation-request.ts';
import { requestOf } from './harness/alerts.ts';
import { type CreateGate, gateRequests } from './harness/gates.ts';
import { DEFAULT_LIMITS, type Gateways, startGateways } from './harness/gateways.ts';
import { pauseInCall } from './harness/paused-holder.ts';

const DEADLINE_MS = 10_000;
const CALL_TIMEOUT_MS = 3000;

const api = adminApi();
let gateways: Gateways;
let gate: CreateGate<NewRemediationRequest>;

beforeAll(async () => {
	const namespace = await createNamespace(api, 'paused');
	gateways = await startGateways(api, namespace, { count: 1, limits: DEFAULT_LIMITS });
	gate = await gateRequests(api, namespace);
});

describe('a gateway that stood still', () => {
	it('a signal that was stored while the gateway stood still is answered 201, not 504', async () => {
		const [gateway] = gateways.processes;
		const options = { gate, call: requestOf, callTimeoutMs: CALL_TIMEOUT_MS };
		const { deployment, sentAt, answer, held } = await pauseInCall(gateways, gateway!, 'still', options);
		held.allow();
		await expect.poll(() => gateways.requests(deployment)).toHaveLength(1);
		await delay(Math.max(0, sentAt + DEADLINE_MS + 500 - performance.now()));
		gateway!.signal('SIGCONT');
		expect(await answer).toMatchObject({ status: 201 });
	});
});
