// A replica that is killed, or stands still, at every point of a delivery, with both policies: what is received, and what the
// status says. Nothing is lost with atLeastOnce, and nothing is sent twice with atMostOnce. With locking two others stand by;
// without it the claim alone decides. `npm run robustness -- notification --default-times` has the times of a cluster.

import { type ReceiverSet, startReceiverSet } from '@kubernaut/receivers';
import { atTheEnd, scratchDirectory } from '@kubernaut/testkit';
import { describe, expect, it } from 'vitest';
import { DEFAULT_TIMES } from './harness/default-times.ts';
import { eventually } from './harness/eventually.ts';
import { startHeldCalls } from './harness/held-calls.ts';
import { openWorld } from './harness/world.ts';

type Point = 'before the claim' | 'before the send' | 'during the send' | 'after the send' | 'after the record';
type Row = {
	point: Point;
	fault: 'killed' | 'paused';
	policy: 'atLeastOnce' | 'atMostOnce';
	received: number;
	phase: string;
	reason?: string;
};

const LOCKING = ['on', 'off'] as const;
/** Short, in the relations that the configuration asks for, and long enough for the first send of a process on a busy machine. */
const TIMES = DEFAULT_TIMES
	? {}
	: {
			DELIVERY_SEND_TIMEOUT: '6s',
			DELIVERY_CLAIM_TIMEOUT: '10s',
			LOCK_LEASE_DURATION: '16s',
			KUBERNETES_REQUEST_TIMEOUT: '4s',
		};
const UNKNOWN = { phase: 'Failed', reason: 'OutcomeUnknown' } as const;
const SENT = { phase: 'Sent' } as const;

const ROWS: Row[] = (['killed', 'paused'] as const).flatMap((fault): Row[] => [
	{ point: 'before the claim', fault, policy: 'atLeastOnce', received: 1, ...SENT },
	{ point: 'before the send', fault, policy: 'atLeastOnce', received: 1, ...SENT },
	{ point: 'during the send', fault, policy: 'atLeastOnce', received: 2, ...SENT },
	{ point: 'after the send', fault, policy: 'atLeastOnce', received: 2, ...SENT },
	{ point: 'after the record', fault, policy: 'atLeastOnce', received: 1, ...SENT },
	{ point: 'before the claim', fault, policy: 'atMostOnce', received: 1, ...SENT },
	{ point: 'before the send', fault, policy: 'atMostOnce', received: 0, ...UNKNOWN },
	{ point: 'during the send', fault, policy: 'atMostOnce', received: 1, ...UNKNOWN },
	{ point: 'after the send', fault, policy: 'atMostOnce', received: 1, ...UNKNOWN },
	{ point: 'after the record', fault, policy: 'atMostOnce', received: 1, ...SENT },
]);
/** Which write of the status is held, and where. */
const HELD: Partial<Record<Point, readonly [number, 'before' | 'after']>> = {
	'before the claim': [0, 'before'],
	'before the send': [0, 'after'],
	'after the send': [1, 'before'],
	'after the record': [1, 'after'],
};

async function untilReceived({ webhook }: ReceiverSet, count: number): Promise<void> {
	await eventually(
		async () => webhook.received.length,
		(received) => expect(received).toBe(count),
	);
}

describe.concurrent.each(LOCKING)('a replica that fails, locking %s', (locking) => {
	it.each(ROWS)(
		'$fault $point, $policy: $received received, $phase',
		async ({ point, fault, policy, received, phase, reason }) => {
			const receivers = await startReceiverSet(await scratchDirectory());
			atTheEnd(() => receivers.close());
			const world = await openWorld('nr-kill', {
				...receivers.environment,
				...TIMES,
				USE_DISTRIBUTED_LOCKING: String(locking === 'on'),
				...(policy === 'atMostOnce' ? { DELIVERY_AT_MOST_ONCE: 'webhook' } : {}),
			});
			const calls = await startHeldCalls(world.kubeconfig);
			const first = await world.start('notification-0', { KUBECONFIG: calls.kubeconfig });
			const held = HELD[point];
			const reached = held === undefined ? undefined : calls.hold(...held);
			if (point === 'during the send') receivers.webhook.behave((_, index) => (index === 0 ? 'hang' : { status: 204 }));
			const nr = await world.create({ channels: ['webhook'] });
			await (reached ?? untilReceived(receivers, 1));
			if (fault === 'killed') {
				first.signal('SIGKILL');
				await first.exited;
				calls.drop();
			} else await first.pause();
			const others = locking === 'on' ? ['notification-1', 'notification-2'] : ['notification-1'];
			await Promise.all(others.map((podName) => world.start(podName)));
			await world.until(nr, phase);
			// What it was about to write when it stood still arrives now.
			first.signal('SIGCONT');
			calls.letGo();
			const marker = await world.create({ channels: ['log'] });
			await world.until(marker, 'Sent');
			const { status } = await world.until(nr, phase);
			expect(receivers.webhook.received).toHaveLength(received);
			const [delivery] = status?.deliveries ?? [];
			expect(delivery?.state).toBe(phase === 'Sent' ? 'Delivered' : 'Failed');
			expect(delivery?.reason).toBe(reason);
			const keys = new Set(receivers.webhook.received.map(({ headers }) => headers['idempotency-key']));
			expect(keys.size).toBe(received === 0 ? 0 : 1);
			await world.stop();
		},
	);
});
