// A lock whose holder is dead: the target goes on as soon as its lease has run out.
import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { leaseNameOf, openWorld, SHORT_LEASE, type World } from './harness/world.ts';

const LEASE_MS = 4000;

let world: World;
beforeAll(async () => {
	world = await openWorld('dead', 3, SHORT_LEASE);
	await world.createWorkflow('restart');
});

describe('a target whose lock is held by a dead pod', () => {
	it('proceeds within the duration of the lease and a second', async () => {
		const target = `shop/Deployment/${randomBytes(4).toString('hex')}`;
		const name = leaseNameOf(target);
		const now = new Date().toISOString().replace('Z', '000Z');
		await world.api.call('POST', `/apis/coordination.k8s.io/v1/namespaces/${world.namespace}/leases`, {
			body: {
				metadata: {
					name,
					labels: { 'kubernaut.ai/lock': 'orchestrator' },
					annotations: { 'kubernaut.ai/lock-key': target },
				},
				spec: {
					holderIdentity: 'orchestrator-dead_0123456789abcdef',
					leaseDurationSeconds: LEASE_MS / 1000,
					acquireTime: now,
					renewTime: now,
				},
			},
		});
		const startedAt = performance.now();
		const request = await world.createRequest({ target });
		await expect
			.poll(async () => (await world.request(request['metadata'].name))['status'].overallPhase, {
				timeout: 15_000,
				interval: 20,
			})
			.toBe('Executing');
		const tookMs = performance.now() - startedAt;
		expect(tookMs).toBeGreaterThan(LEASE_MS - 500); // a live holder would have had its time
		expect(tookMs).toBeLessThan(LEASE_MS + 1000);
	});

	it('is left to a holder that lives', async () => {
		const target = `shop/Deployment/${randomBytes(4).toString('hex')}`;
		const lease = `/apis/coordination.k8s.io/v1/namespaces/${world.namespace}/leases/${leaseNameOf(target)}`;
		const spec = () => ({
			holderIdentity: 'orchestrator-alive_0123456789abcdef',
			leaseDurationSeconds: LEASE_MS / 1000,
			renewTime: new Date().toISOString().replace('Z', '000Z'),
		});
		const metadata = { name: leaseNameOf(target), labels: { 'kubernaut.ai/lock': 'orchestrator' } };
		await world.api.call('POST', lease.slice(0, lease.lastIndexOf('/')), { body: { metadata, spec: spec() } });
		const request = await world.createRequest({ target });
		const renewing = setInterval(() => {
			void world.api.call('PATCH', lease, { body: { spec: spec() }, contentType: 'application/merge-patch+json' });
		}, 1000);
		await new Promise((resolve) => setTimeout(resolve, LEASE_MS * 1.5));
		expect((await world.request(request['metadata'].name))['status'].overallPhase).toBeUndefined();
		clearInterval(renewing);
		await world.api.call('DELETE', lease);
		await world.until(request['metadata'].name, 'Executing');
	});
});
