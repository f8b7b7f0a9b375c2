// An API server that throttles the gateway (429), by its own means: a priority level without a seat. Default limits.
import { type AppProcess, adminApi, createNamespace } from '@kubernaut/testkit';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { NewRemediationRequest } from '../src/generated/remediation-request.ts';
import { requestOf } from './harness/alerts.ts';
import { type CreateGate, gateRequests, type HeldCreate } from './harness/gates.ts';
import { DEFAULT_LIMITS, type Gateways, LONG, logged, metric, startGateways } from './harness/gateways.ts';
import { storedRequest } from './harness/stored-requests.ts';

const FLOW_CONTROL = '/apis/flowcontrol.apiserver.k8s.io/v1';

const api = adminApi();
let namespace: string;
let gateways: Gateways;
let gateway: AppProcess;
let gate: CreateGate<NewRemediationRequest>;
let held: HeldCreate<NewRemediationRequest> | undefined;
let occupant: Promise<unknown> | undefined;
let occupants = 0;

beforeAll(async () => {
	namespace = await createNamespace(api, 'throttled');
	gateways = await startGateways(api, namespace, { count: 1, limits: DEFAULT_LIMITS });
	gateway = gateways.processes[0]!;
	gate = await gateRequests(api, namespace);
});
afterEach(release);

/** One call of the gateway's user takes the only place and is held: every other call of it is rejected with 429. */
async function throttle(): Promise<void> {
	await api.call('POST', `${FLOW_CONTROL}/prioritylevelconfigurations`, {
		body: {
			metadata: { name: namespace },
			spec: {
				type: 'Limited',
				limited: {
					nominalConcurrencyShares: 0,
					lendablePercent: 0,
					borrowingLimitPercent: 0,
					limitResponse: { type: 'Reject' },
				},
			},
		},
	});
	const user = { kind: 'ServiceAccount', serviceAccount: { name: 'gateway', namespace } };
	const everything = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] };
	const schemas = `${FLOW_CONTROL}/flowschemas`;
	await api.call('POST', schemas, {
		body: {
			metadata: { name: namespace },
			spec: {
				priorityLevelConfiguration: { name: namespace },
				matchingPrecedence: 2,
				rules: [{ subjects: [user], resourceRules: [everything] }],
			},
		},
	});
	const inEffect = async () => (await api.call('GET', `${schemas}/${namespace}`))['status']?.conditions?.[0]?.status;
	await expect.poll(inEffect, LONG).toBe('False'); // of the condition "Dangling"
	const asUser = `system:serviceaccount:${namespace}:gateway`;
	const holding = gate.hold(requestOf('occupant'));
	occupant = api.send('POST', gateways.requestsPath, { body: storedRequest(occupants++, 'occupant'), asUser });
	held = await holding;
	const call = async () => (await api.send('GET', gateways.leasesPath, { asUser })).status;
	await expect.poll(call, LONG).toBe(429);
}

async function release(): Promise<void> {
	held?.allow();
	held = undefined;
	await occupant;
	for (const kind of ['flowschemas', 'prioritylevelconfigurations'])
		await api.send('DELETE', `${FLOW_CONTROL}/${kind}/${namespace}`);
}

describe('an API server that throttles', () => {
	it('a signal waits for a throttled call within its time, is deferred with words of its own, and nothing opens the breaker', async () => {
		expect((await gateways.sendUntilStored(gateway, 'known')).status).toBe(201);
		await expect.poll(() => gateways.leases(), LONG).toEqual([]); // a release that is throttled reads the Lease
		await throttle();
		const startedAt = performance.now();
		const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => gateways.send(gateway, `new-${i}`)));
		const seconds = (performance.now() - startedAt) / 1000;
		console.log(
			`10 signals were answered within ${seconds.toFixed(1)} s: ${answers.map(({ status }) => status).join(', ')}`,
		);
		for (const { status, retryAfter, body } of answers) {
			expect({ status, retryAfter }).toEqual({ status: 503, retryAfter: expect.stringMatching(/^[1-9]/) });
			expect(body.detail).toContain('the Kubernetes API is throttling the gateway');
		}
		// The log is read from a pipe of its own, maybe after the answers.
		const reasons = () => new Set(logged(gateway, 'signal deferred').map(({ reason }) => reason));
		await expect.poll(reasons, LONG).toEqual(new Set(['api-throttled']));
		expect(await metric(gateway, 'gateway_circuit_breaker_state{state="closed"}')).toBe(1);
		// Nothing was taken for a write without an answer, which a read would have to resolve.
		expect(
			await metric(gateway, 'gateway_api_requests_total{verb="get",resource="leases",code="429"}'),
		).toBeUndefined();

		await release();
		expect((await gateways.sendUntilStored(gateway, 'new-0')).status).toBe(201);
	});

	it('a signal whose call is throttled for a moment is stored, without a word to its sender', async () => {
		await throttle();
		const sending = gateways.send(gateway, 'patient');
		await release();
		expect((await sending).status).toBe(201);
	});
});
