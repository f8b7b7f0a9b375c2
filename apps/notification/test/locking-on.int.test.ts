// The lists of TD-NOT-001: three real replicas with locking on, a real API server, real receivers on loopback.
import { randomUUID } from 'node:crypto';
import { type ReceiverSet, startReceiverSet } from '@kubernaut/receivers';
import { atTheEnd, scratchDirectory } from '@kubernaut/testkit';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { leaseNameOf } from '../src/objects/coordination-leases.ts';
import { DEFAULT_TIMES } from './harness/default-times.ts';
import { eventually } from './harness/eventually.ts';
import { recordHeldLeases } from './harness/held-leases.ts';
import { countsOf, pausesOf } from './harness/received.ts';
import { metric, openWorld, type World } from './harness/world.ts';

const REPLICAS = 3;
const COUNT = 100;
/** A hundred messages at the default pace take a hundred seconds (`npm run robustness -- notification --default-times`). */
const PACE_MS = DEFAULT_TIMES ? 1000 : 200;
/** A request is timed when all of it is there: a little later than it was sent, and not always equally so. */
const JITTER_MS = 25;
/** The default. */
const LEASE_MS = 30_000;

describe(`${REPLICAS} replicas with locking`, () => {
	let world: World;
	let receivers: ReceiverSet;

	beforeAll(async () => {
		receivers = await startReceiverSet(await scratchDirectory());
		atTheEnd(() => receivers.close());
		world = await openWorld('nr-on', {
			...receivers.environment,
			USE_DISTRIBUTED_LOCKING: 'true',
			...(DEFAULT_TIMES ? {} : { PACE_SLACK: `${PACE_MS}ms` }),
		});
		await Promise.all(Array.from({ length: REPLICAS }, (_, i) => world.start(`notification-${i}`)));
	});

	it('one NotificationRequest on slack, email and webhook is three messages', async () => {
		const nr = await world.create({ channels: ['slack', 'email', 'webhook'] });
		const { status, metadata } = await world.until(nr, 'Sent');
		expect(status?.counters).toEqual({ attempts: 3, delivered: 3, failed: 0 });
		for (const delivery of status?.deliveries ?? []) {
			expect(delivery.lease).toMatch(/^notification-delivery-[0-9a-f]{32}\/.+/);
			expect(delivery.fencingToken).toBeGreaterThan(0);
		}
		expect([...countsOf(receivers.slack.received, [metadata.name]).values()]).toEqual([1]);
		expect([...countsOf(receivers.webhook.received, [metadata.name]).values()]).toEqual([1]);
		expect(receivers.mail.received).toHaveLength(1);
	});

	it(`${COUNT} queued for slack: each once, the pace is kept, and a pod holds one delivery Lease at a time`, async () => {
		const from = receivers.slack.received.length;
		const leases = await recordHeldLeases(inject('controlPlane').kubeconfigPath, world.leasesPath);
		const made = await Promise.all(Array.from({ length: COUNT }, () => world.create({ channels: ['slack'] })));
		await eventually(
			async () => receivers.slack.received.length - from,
			(count) => expect(count).toBeGreaterThanOrEqual(COUNT),
			60_000 + 2 * COUNT * PACE_MS,
		);
		await world.untilAll('Sent', COUNT + 1);
		const received = receivers.slack.received.slice(from);
		expect(
			new Set(
				countsOf(
					received,
					made.map(({ metadata }) => metadata.name),
				).values(),
			),
		).toEqual(new Set([1]));
		expect(Math.min(...pausesOf(received))).toBeGreaterThanOrEqual(PACE_MS - JITTER_MS);
		await leases.stop();
		expect(new Set(leases.most.values())).toEqual(new Set([1]));
		expect(leases.most.size).toBeGreaterThan(1);
		expect(leases.made).toBeGreaterThanOrEqual(COUNT);
		const tookMs = (received.at(-1)?.at ?? 0) - (received[0]?.at ?? 0);
		console.info(
			`${COUNT} messages in ${Math.round(tookMs)} ms, shortest pause ${Math.min(...pausesOf(received)).toFixed(1)} ms`,
		);
	}, 400_000);

	it('a lock that another holds is counted, waited for, and never a success', async () => {
		const series = 'notification_lock_acquisition_failures_total{channel="webhook",reason="contention"}';
		const contentions = async () => {
			const counts = await Promise.all(world.processes.map((running) => metric(running, series)));
			return counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
		};
		const before = await contentions();
		for (const running of world.processes) await running.pause();
		const nr = await world.create({ channels: ['webhook'] });
		const name = leaseNameOf('notification-delivery-', `${nr.metadata.uid}-webhook`);
		const lease = {
			apiVersion: 'coordination.k8s.io/v1',
			kind: 'Lease',
			metadata: { name, labels: { 'kubernaut.ai/lock': 'notification' } },
			spec: { holderIdentity: `other_${randomUUID()}`, leaseDurationSeconds: 30 },
		};
		await world.api.call('POST', world.leasesPath, { body: lease });
		for (const { signal } of world.processes) signal('SIGCONT');
		await eventually(contentions, (count) => expect(count).toBeGreaterThan(before));
		expect((await world.get(nr.metadata.name))?.status?.deliveries ?? []).toEqual([]);
		await world.api.call('DELETE', `${world.leasesPath}/${name}`);
		await world.until(nr, 'Sent');
		expect([...countsOf(receivers.webhook.received, [nr.metadata.name]).values()]).toEqual([1]);
	});

	it('a holder that was killed while it sent is replaced, within the Lease and a second', async () => {
		const usualMs = await undisturbedDelivery();
		let killedAt = 0;
		receivers.webhook.behave(() => (killedAt === 0 ? 'hang' : { status: 204 }));
		const from = receivers.webhook.received.length;
		const nr = await world.create({ channels: ['webhook'] });
		await eventually(
			async () => receivers.webhook.received.length,
			(count) => expect(count).toBe(from + 1),
		);
		const claimedBy = (await world.get(nr.metadata.name))?.status?.deliveries?.[0]?.claimedBy ?? '';
		killedAt = performance.now();
		world.processes.find(({ podName }) => claimedBy.startsWith(`${podName}_`))?.signal('SIGKILL');
		const { status } = await world.until(nr, 'Sent');
		const tookMs = (receivers.webhook.received.at(-1)?.at ?? 0) - killedAt;
		console.info(`replaced after ${Math.round(tookMs)} ms; undisturbed, a delivery takes ${Math.round(usualMs)} ms`);
		// A second, and what the steps of a delivery take on this machine.
		expect(tookMs).toBeLessThan(LEASE_MS + 1000 + 3 * usualMs);
		expect(status?.deliveries?.[0]).toMatchObject({ state: 'Delivered', attempt: 2 });
		expect(status?.conditions).toContainEqual(expect.objectContaining({ type: 'OutcomeUnknown', status: 'True' }));
		expect(receivers.webhook.received.slice(from)).toHaveLength(2);
		await world.eventsWith(nr.metadata.name, 'OutcomeUnknown', 'Sent');
	});

	/** From the creation to the arrival, on this machine as busy as it is. */
	async function undisturbedDelivery(): Promise<number> {
		const from = receivers.webhook.received.length;
		const createdAt = performance.now();
		await world.until(await world.create({ channels: ['webhook'] }), 'Sent');
		return (receivers.webhook.received[from]?.at ?? 0) - createdAt;
	}
});
