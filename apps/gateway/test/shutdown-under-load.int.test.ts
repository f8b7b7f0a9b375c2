// SIGTERM while signals come in: first not ready, then every running request is answered, the locks are released, and the
// process ends with code 0. Every signal answered as stored is stored; the sender sends all others again.
import { adminApi, createNamespace } from '@kubernaut/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import type { NewRemediationRequest } from '../src/generated/remediation-request.ts';
import { requestOf } from './harness/alerts.ts';
import { type CreateGate, gateRequests } from './harness/gates.ts';
import { contentions, type Gateways, LONG, logged, occurrences, readiness, startGateways } from './harness/gateways.ts';
import { expectStored, isStored, startLoad } from './harness/load.ts';
import { withinLockWait } from './harness/within-lock-wait.ts';

const api = adminApi();
let gateways: Gateways;
let gate: CreateGate<NewRemediationRequest>;

beforeAll(async () => {
	const namespace = await createNamespace(api, 'shutdown');
	gateways = await startGateways(api, namespace, { env: { SHUTDOWN_DRAIN: '500ms' } });
	gate = await gateRequests(api, namespace);
});

describe('SIGTERM', () => {
	it('SIGTERM under load makes the replica not ready at once, ends it with code 0, and loses no signal', async () => {
		const load = startLoad(gateways, { senders: 8, deploymentOf: (n) => `load-${Math.floor(n / 20)}` });
		await expect.poll(() => load.history.length, LONG).toBeGreaterThan(100);
		const [leaving] = gateways.processes;
		// Running until its create is allowed: so long the process stays.
		const holding = gate.hold(requestOf('meanwhile'));
		const running = gateways.send(leaving!, 'meanwhile');
		const create = await holding;
		leaving!.signal('SIGTERM');
		await expect.poll(() => readiness(leaving!), LONG).toBe(503);
		expect((await fetch(`${leaving!.healthUrl}/healthz`)).status).toBe(200);
		create.allow();
		expect((await running).status).toBe(201);
		expect(await leaving!.exited).toBe(0);
		expect((await gateways.leases()).map(({ spec }) => spec?.holderIdentity)).not.toContainEqual(
			expect.stringMatching(/^gateway-0_/),
		);
		const before = load.history.length;
		await expect.poll(() => load.history.length, LONG).toBeGreaterThan(before + 100);
		await load.stop();

		const notStored = load.history.filter(({ answer }) => !isStored(answer));
		expect(new Set(notStored.map(({ to }) => to.podName))).toEqual(new Set(['gateway-0']));
		for (const { answer } of notStored) expect(['lost', 503]).toContain(answer.status);
		const requests = (await gateways.requests()).filter(({ spec }) => spec.targetResource.name.startsWith('load-'));
		expectStored(load.history, requests);
		// No signal was counted whose sender got another answer.
		const counted = occurrences(requests).reduce((sum, count) => sum + count, 0);
		expect(counted).toBe(load.history.length - notStored.length);
	});

	it('SIGTERM to a holder and a waiter: both answer before they end, and no Lease is left', async () => {
		await withinLockWait('both', async (deployment) => {
			const [holder, waiter] = await Promise.all(
				['holder', 'waiter'].map((name) => gateways.start(`${name}-${deployment}`)),
			);
			const leaving = [holder!, waiter!];
			const held = gate.hold(requestOf(deployment));
			const first = gateways.send(holder!, deployment);
			const create = await held;
			const second = gateways.send(waiter!, deployment);
			await expect.poll(() => contentions(waiter!, deployment), LONG).toBeGreaterThan(0);
			for (const each of leaving) each.signal('SIGTERM');
			for (const each of leaving) await expect.poll(() => logged(each, 'draining').length, LONG).toBe(1);
			create.allow();
			expect([(await first).status, (await second).status]).toEqual([201, 202]);
			expect(await Promise.all(leaving.map(({ exited }) => exited))).toEqual([0, 0]);
			expect(await gateways.lease(deployment)).toBeUndefined();
			expect(occurrences(await gateways.requests(deployment))).toEqual([2]);
		});
	});
});
