// A lock whose holder is dead: the target goes on as soon as its lease has run out.
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { MERGE_PATCH } from '@kubernaut/control-plane';
import { beforeAll, describe, expect, it } from 'vitest';
import { unlessTooLate } from './harness/eventually.ts';
import { leaseNameOf, openWorld, SHORT_LEASE, type World } from './harness/world.ts';

const LEASE_MS = 4000;
// A holder that comes so close to the end of its lease may have lost it.
const MARGIN_MS = 500;

let world: World;
beforeAll(async () => {
	world = await openWorld('dead', 3, SHORT_LEASE, (prepared) => prepared.createWorkflow('restart'));
});

describe.concurrent('a target whose lock is held by a dead pod', () => {
	it('proceeds within the duration of the lease and a second', async () => {
		// Several at once, and the quickest counts: how late the others are is the machine's doing.
		await unlessTooLate(async () => {
			const took = await Promise.all(Array.from({ length: 3 }, timeToProceed));
			console.log(`proceeded after ${took.map(Math.round).join(', ')} ms; the lease lasts ${LEASE_MS} ms`);
			for (const tookMs of took) expect(tookMs).toBeGreaterThanOrEqual(LEASE_MS); // a live holder would have had its time
			const quickest = Math.min(...took);
			return quickest < LEASE_MS + 1000 ? quickest : undefined;
		});
	});

	async function timeToProceed(): Promise<number> {
		const target = `shop/Deployment/${randomBytes(4).toString('hex')}`;
		const now = new Date().toISOString().replace('Z', '000Z');
		const startedAt = performance.now(); // no replica can have seen it before
		await world.api.call('POST', `/apis/coordination.k8s.io/v1/namespaces/${world.namespace}/leases`, {
			body: {
				metadata: {
					name: leaseNameOf(target),
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
		const request = await world.createRequest({ target });
		const phase = async () => (await world.request(request.metadata.name)).status.overallPhase as unknown;
		while ((await phase()) !== 'Executing' && performance.now() < startedAt + 5 * LEASE_MS) await delay(20);
		return performance.now() - startedAt;
	}

	it('waits for a holder that is alive', async () => {
		const seen = await unlessTooLate(async () => {
			const target = `shop/Deployment/${randomBytes(4).toString('hex')}`;
			const lease = `/apis/coordination.k8s.io/v1/namespaces/${world.namespace}/leases/${leaseNameOf(target)}`;
			const spec = () => ({
				holderIdentity: 'orchestrator-alive_0123456789abcdef',
				leaseDurationSeconds: LEASE_MS / 1000,
				renewTime: new Date().toISOString().replace('Z', '000Z'),
			});
			const metadata = { name: leaseNameOf(target), labels: { 'kubernaut.ai/lock': 'orchestrator' } };
			let renewedAt = performance.now();
			let longestGapMs = 0;
			await world.api.call('POST', lease.slice(0, lease.lastIndexOf('/')), { body: { metadata, spec: spec() } });
			const request = await world.createRequest({ target });
			for (const until = performance.now() + LEASE_MS * 1.5; performance.now() < until; await delay(500)) {
				const sentAt = performance.now();
				// Gone when a replica took it over and released it: the phase shows that, unless the gap excuses it.
				const { status } = await world.api.send('PATCH', lease, { body: { spec: spec() }, contentType: MERGE_PATCH });
				longestGapMs = Math.max(longestGapMs, performance.now() - renewedAt);
				renewedAt = sentAt;
				if (status !== 200) break;
			}
			const { status } = await world.request(request.metadata.name);
			longestGapMs = Math.max(longestGapMs, performance.now() - renewedAt);
			await world.api.send('DELETE', lease);
			return longestGapMs < LEASE_MS - MARGIN_MS ? { request, phase: status.overallPhase as unknown } : undefined;
		});
		expect(seen.phase).toBeUndefined();
		await world.until(seen.request.metadata.name, 'Executing');
	});
});
