import { describe, expect, it } from 'vitest';
import { aClaim, aNotification, anObject, NOW } from '../../test/harness/made-up.ts';
import type { NotificationRequestStatus } from '../generated/notification-request.ts';
import { KubeError } from '../kube/kube.ts';
import { KnownNotifications } from '../objects/known-notifications.ts';
import {
	type ChannelName,
	type Delivery,
	deliveryOf,
	type Notification,
	toNotification,
} from '../objects/notification.ts';
import { createStatusWriter, type EntryChange } from './status-writer.ts';

const CHANNELS: ChannelName[] = ['slack', 'log', 'email'];
const clock = { wallTime: () => new Date(NOW), setTimer: (fire: () => void) => (setImmediate(fire), () => {}) };

/** One message on an API server with versions; `meanwhile` comes before a write of ours. */
function aWriter(
	meanwhile: (write: number) => NotificationRequestStatus | 'deleted' | Error | 'lost' | void = () => {},
) {
	let stored: Notification | undefined = aNotification({ channels: CHANNELS });
	let writes = 0;
	const known = new KnownNotifications(
		() => 0,
		() => {},
	);
	known.changed(stored);
	const put = (status: NotificationRequestStatus) => {
		const { resourceVersion = '0', object } = stored ?? {};
		const metadata = { resourceVersion: String(Number(resourceVersion) + 1) };
		stored = toNotification(anObject({ channels: CHANNELS }, { ...object?.status, ...status }, metadata));
		return stored;
	};
	const store = {
		get: async () => stored,
		async patchStatus({ resourceVersion }: Pick<Notification, 'resourceVersion'>, status: NotificationRequestStatus) {
			const change = meanwhile(++writes);
			if (change === 'deleted') stored = undefined;
			else if (change instanceof Error) throw change;
			else if (typeof change === 'object') put(change);
			if (stored === undefined) return 'gone' as const;
			if (resourceVersion !== stored.resourceVersion) return 'changed' as const;
			const written = put(status);
			if (change === 'lost') throw new KubeError('KUBE_TIMEOUT', 'no answer');
			return written;
		},
	};
	const writer = createStatusWriter(store, known, clock);
	const write = (change: EntryChange) => writer.write({ name: 'nr-1', uid: 'uid-1' }, CHANNELS, change);
	return { write, stored: () => stored, writes: () => writes, known };
}

function claim(channel: ChannelName, claimedBy = 'me'): EntryChange {
	return {
		channel,
		next: (current) => (current === undefined ? aClaim({ channel, claimedBy }) : undefined),
		isApplied: (current) => current.claimedBy === claimedBy,
	};
}
const entryOf = (notification: Notification | undefined, channel: ChannelName): Delivery | undefined =>
	notification === undefined ? undefined : deliveryOf(notification, channel);

describe('changes of one message', () => {
	it('of the same moment go together in one write', async () => {
		const { write, stored, writes } = aWriter();
		const results = await Promise.all(CHANNELS.map((channel) => write(claim(channel))));
		expect(results.map(({ outcome }) => outcome)).toEqual(['written', 'written', 'written']);
		expect(writes()).toBe(1);
		expect(stored()?.deliveries).toHaveLength(3);
		expect(stored()?.phase).toBe('Sending');
	});

	it('that come while a write is under way go together in the next', async () => {
		const { write, writes } = aWriter();
		const first = write(claim('slack'));
		await new Promise((resolve) => setImmediate(resolve));
		await Promise.all([first, write(claim('log')), write(claim('email'))]);
		expect(writes()).toBe(2);
	});

	it('of which one finishes the message: one hears it', async () => {
		const { write } = aWriter();
		const done = (channel: ChannelName): EntryChange => ({
			...claim(channel),
			next: () => aClaim({ channel, state: 'Delivered', claimedBy: 'me' }),
		});
		const results = await Promise.all(CHANNELS.map((channel) => write(done(channel))));
		expect(results.filter((result) => result.outcome === 'written' && result.finishes)).toHaveLength(1);
	});
});

describe('a conflict', () => {
	it('is read again and decided again', async () => {
		const { write, stored, writes } = aWriter((n) =>
			n === 1 ? { deliveries: [aClaim({ channel: 'log' })] } : undefined,
		);
		expect(await write(claim('slack'))).toMatchObject({ outcome: 'written' });
		expect(writes()).toBe(2);
		expect(entryOf(stored(), 'log')?.claimedBy).toBe('pod-a_1');
	});

	it('with a claim of another drops ours: nothing is sent', async () => {
		const { write, stored } = aWriter((n) => (n === 1 ? { deliveries: [aClaim()] } : undefined));
		expect(await write(claim('slack'))).toEqual({ outcome: 'dropped' });
		expect(entryOf(stored(), 'slack')?.claimedBy).toBe('pod-a_1');
	});

	it('with a deletion drops the change', async () => {
		const { write, known } = aWriter(() => 'deleted');
		expect(await write(claim('slack'))).toEqual({ outcome: 'dropped' });
		expect(known.get('nr-1')).toBeUndefined();
	});

	it('with a finished message drops the change', async () => {
		const { write } = aWriter((n) => (n === 1 ? { phase: 'Failed' } : undefined));
		expect(await write(claim('slack'))).toEqual({ outcome: 'dropped' });
	});

	it('with a channel that the routing did not choose drops the change', async () => {
		const { write } = aWriter();
		expect(await write(claim('webhook'))).toEqual({ outcome: 'dropped' });
	});
});

describe('a fault', () => {
	it('reaches the caller: without a claim nothing is sent', async () => {
		const { write } = aWriter(() => new KubeError('KUBE_UNAVAILABLE', 'away'));
		await expect(write(claim('slack'))).rejects.toThrow('away');
	});

	it('after the write was done is read back', async () => {
		const { write, stored } = aWriter(() => 'lost');
		expect(await write(claim('slack'))).toMatchObject({ outcome: 'written', entry: { claimedBy: 'me' } });
		expect(entryOf(stored(), 'slack')?.claimedBy).toBe('me');
	});

	it('leaves later changes to be written', async () => {
		const { write } = aWriter((n) => (n === 1 ? new KubeError('KUBE_FORBIDDEN', 'no') : undefined));
		await expect(write(claim('slack'))).rejects.toThrow('no');
		expect(await write(claim('slack'))).toMatchObject({ outcome: 'written' });
	});
});
