import { ManualClock } from '@kubernaut/testkit/manual-clock';
import { describe, expect, it } from 'vitest';
import { aNotification } from '../../test/harness/made-up.ts';
import type { Standing } from '../decide/standing.ts';
import { NOTIFICATION_REQUEST_CHANNELS } from '../generated/notification-request.ts';
import type { ChannelName, Notification } from '../objects/notification.ts';
import type { AttemptResult, DeliveryTask } from './delivery.ts';
import { ChannelLine } from './gate/channel-line.ts';
import { createReconciler } from './reconciler.ts';

const settle = async () => {
	for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
};

function aReconciler(
	standings: Partial<Record<ChannelName, Standing>>,
	attempt: (task: DeliveryTask) => Promise<AttemptResult>,
) {
	const clock = new ManualClock();
	const log: string[] = [];
	let notification: Notification | undefined = aNotification({ channels: Object.keys(standings) as ChannelName[] });
	const lines = Object.fromEntries(
		NOTIFICATION_REQUEST_CHANNELS.map((channel) => [channel, new ChannelLine(1)]),
	) as Record<ChannelName, ChannelLine>;
	const reconciler = createReconciler({
		known: { active: () => notification },
		delivery: {
			standing: (_, channel) => standings[channel] ?? { is: 'settled' },
			attempt,
			forget: (uid) => void log.push(`forgot ${uid}`),
		},
		lines,
		routing: { channelsFor: () => ['log'] },
		clock: { now: () => clock.now(), setTimer: (fire, ms) => clock.setTimer(fire, ms) },
		observer: { attemptFailed: ({ channel }) => void log.push(`failed ${channel}`) },
		enqueue: () => void log.push('enqueued'),
		onActed: () => void log.push('acted'),
	});
	return {
		reconciler,
		clock,
		log,
		lines,
		gone: () => (notification = undefined),
		unrouted: () => (notification = { ...aNotification(), channels: undefined }),
	};
}

describe('a reconcile', () => {
	it('lines up what is due, once, and looks again when the first wait is over', async () => {
		const tasks: string[] = [];
		const { reconciler, log } = aReconciler(
			{
				slack: { is: 'due' },
				email: { is: 'waiting', forMs: 900 },
				webhook: { is: 'claimed', by: 'x', silentInMs: 500 },
				log: { is: 'settled' },
			},
			async ({ channel }) => {
				tasks.push(channel);
				await settle();
				return { acted: true };
			},
		);
		expect(await reconciler.reconcile('nr-1')).toEqual({ afterMs: 505 });
		await reconciler.reconcile('nr-1');
		expect(reconciler.inFlight).toBe(1);
		await reconciler.idle();
		expect(tasks).toEqual(['slack']);
		expect(log).toEqual(['acted', 'enqueued']);
	});

	it('takes up a silent claim', async () => {
		const tasks: string[] = [];
		const { reconciler } = aReconciler(
			{ slack: { is: 'silent', by: 'dead' } },
			async ({ channel }) => (tasks.push(channel), {}),
		);
		await reconciler.reconcile('nr-1');
		await reconciler.idle();
		expect(tasks).toEqual(['slack']);
	});

	it('of a message that is gone does nothing', async () => {
		const { reconciler, gone } = aReconciler({ slack: { is: 'due' } }, () => Promise.reject(new Error('attempted')));
		gone();
		expect(await reconciler.reconcile('nr-1')).toEqual({});
		expect(reconciler.inFlight).toBe(0);
	});

	it('asks the routing where a message names no channels', async () => {
		const tasks: DeliveryTask[] = [];
		const { reconciler, unrouted } = aReconciler({ log: { is: 'due' } }, async (task) => (tasks.push(task), {}));
		unrouted();
		await reconciler.reconcile('nr-1');
		await reconciler.idle();
		expect(tasks).toMatchObject([{ channel: 'log', channels: ['log'] }]);
	});

	it('leaves an attempt that was put off until its time', async () => {
		let attempts = 0;
		const { reconciler, clock, log } = aReconciler(
			{ slack: { is: 'due' } },
			async () => (attempts++, { afterMs: 1000 }),
		);
		await reconciler.reconcile('nr-1');
		await reconciler.idle();
		expect(log).toEqual(['enqueued']);
		expect(await reconciler.reconcile('nr-1')).toEqual({ afterMs: 1005 });
		clock.advance(1000);
		await reconciler.reconcile('nr-1');
		await reconciler.idle();
		expect(attempts).toBe(2);
	});

	it('waits longer after each failure, and forgets with the message', async () => {
		const { reconciler, clock, log } = aReconciler({ slack: { is: 'due' } }, () => Promise.reject(new Error('away')));
		const waits: number[] = [];
		for (let i = 0; i < 3; i++) {
			await reconciler.reconcile('nr-1');
			await reconciler.idle();
			waits.push((await reconciler.reconcile('nr-1')).afterMs ?? 0);
			clock.advance(waits.at(-1) ?? 0);
		}
		expect(waits[1]).toBeGreaterThan((waits[0] ?? 0) * 1.5);
		expect(log.filter((line) => line === 'failed slack')).toHaveLength(3);
		reconciler.forget('uid-1');
		expect(log.at(-1)).toBe('forgot uid-1');
	});
});
