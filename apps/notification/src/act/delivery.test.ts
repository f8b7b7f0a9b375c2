import { ManualClock } from '@kubernaut/testkit/manual-clock';
import { describe, expect, it } from 'vitest';
import { aClaim, anObject } from '../../test/harness/made-up.ts';
import type { Channel, SendEnd, SendOptions } from '../channels/channel.ts';
import type { UnknownEndPolicy } from '../decide/delivery-entry.ts';
import {
	NOTIFICATION_REQUEST_CHANNELS,
	type NotificationRequest,
	type NotificationRequestStatus,
} from '../generated/notification-request.ts';
import { KubeError } from '../kube/kube.ts';
import { KnownNotifications } from '../objects/known-notifications.ts';
import { type ChannelName, type Delivery, type Notification, toNotification } from '../objects/notification.ts';
import { ClaimBatch } from './claim-batch.ts';
import type { Coordinator, PermitResult } from './coordination/coordinator.ts';
import { createDelivery } from './delivery.ts';
import type { DeliveryObserver } from './delivery-observer.ts';
import { Breaker } from './gate/breaker.ts';
import { createStatusWriter } from './status-writer.ts';

const DELIVERED: SendEnd = { end: 'delivered' };
const perChannel = <T>(make: () => T) =>
	Object.fromEntries(NOTIFICATION_REQUEST_CHANNELS.map((channel) => [channel, make()])) as Record<ChannelName, T>;

type Setup = {
	readonly before?: Delivery;
	readonly ends?: (SendEnd | Error | 'hang')[];
	readonly policy?: UnknownEndPolicy;
	readonly permit?:
		| Partial<Extract<PermitResult, { outcome: 'permitted' }>>
		| Exclude<PermitResult, { outcome: 'permitted' }>;
	readonly receiver?: string;
	readonly keyTemplate?: string;
	readonly context?: NotificationRequest['spec']['context'];
	/** Before the nth write of the status. */
	readonly beforeWrite?: (write: number) => void;
};

function aDelivery({
	before,
	ends = [DELIVERED],
	policy = 'atLeastOnce',
	permit = {},
	receiver,
	keyTemplate,
	context,
	beforeWrite,
}: Setup = {}) {
	const manual = new ManualClock();
	const clock = {
		now: () => manual.now(),
		wallTime: () => manual.wallTime(),
		setTimer: (fire: () => void, ms: number) => manual.setTimer(fire, ms),
	};
	const log: string[] = [];
	const sent: SendOptions[] = [];
	const recordEnds: string[] = [];
	let version = 1;
	let writes = 0;
	let status: NotificationRequestStatus | undefined = before === undefined ? undefined : { deliveries: [before] };
	const spec = { channels: ['slack' as const], ...(context === undefined ? {} : { context }) };
	const stored = () => anObject(spec, status, { resourceVersion: String(version) });
	const known = new KnownNotifications(clock.now, () => {});
	known.changed(toNotification(stored()));
	const store = {
		get: async (): Promise<Notification | undefined> => toNotification(stored()),
		async patchStatus({ resourceVersion }: Pick<Notification, 'resourceVersion'>, next: NotificationRequestStatus) {
			beforeWrite?.(++writes);
			if (resourceVersion !== String(version)) return 'changed' as const;
			version++;
			status = { ...status, ...next };
			return toNotification(stored());
		},
	};
	const observer = new Proxy({} as DeliveryObserver, {
		get:
			(_, name: string) =>
			(...args: unknown[]) =>
				void log.push([name, ...args.map((arg) => JSON.stringify(arg))].join(' ')),
	});
	let sends = 0;
	const channel: Channel = {
		name: 'slack',
		key: 'SLACK',
		receiver: () => receiver,
		send(_, options) {
			sent.push(options);
			const end = ends[sends++] ?? DELIVERED;
			if (end instanceof Error) return Promise.reject(end);
			return end === 'hang' ? new Promise(() => {}) : Promise.resolve(end);
		},
	};
	const freed: number[] = [];
	const coordinator: Coordinator = {
		waitMs: () => 0,
		enter: async () =>
			'outcome' in permit && permit.outcome !== 'permitted'
				? (permit as PermitResult)
				: {
						outcome: 'permitted',
						fencing: undefined,
						turn: { deadline: Infinity, free: async (restMs) => void freed.push(restMs) },
						isHeld: () => true,
						endRecord: async (end) => void recordEnds.push(end),
						release: async () => void log.push('released'),
						...permit,
					},
	};
	const stopping = new AbortController();
	const events: string[] = [];
	const delivery = createDelivery({
		known,
		writer: createStatusWriter(store, known, { ...clock, setTimer: (fire) => (setImmediate(fire), () => {}) }),
		coordinator,
		breaker: new Breaker(clock, observer),
		channels: perChannel(() => channel),
		messageOf: () => ({}) as never,
		events: { record: (_, reason, message) => void events.push(`${reason}: ${message}`) },
		config: {
			podName: 'me',
			sendTimeoutMs: 10_000,
			claimTimeoutMs: 20_000,
			marginMs: 2000,
			policies: perChannel(() => policy),
			keyTemplate,
		},
		clock,
		stopping: stopping.signal,
		observer,
		nonce: () => String(writes),
		random: () => 0.5,
	});
	const attempt = () =>
		delivery.attempt({
			name: 'nr-1',
			uid: 'uid-1',
			channel: 'slack',
			channels: ['slack'],
			batch: new ClaimBatch(['slack'], 100, clock),
		});
	const entry = () => status?.deliveries?.find((one) => one.channel === 'slack');
	return {
		attempt,
		entry,
		status: () => status,
		sent,
		log,
		events,
		recordEnds,
		freed,
		clock: manual,
		stopping,
		delivery,
		see: (next: NotificationRequestStatus) => ((status = next), version++, known.changed(toNotification(stored()))),
	};
}
const settle = async () => {
	for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve));
};

describe('an attempt', () => {
	it('claims, sends, records, frees the pace and releases the lock', async () => {
		const { attempt, entry, status, sent, recordEnds, events, log } = aDelivery({ receiver: 'workspace' });
		expect(await attempt()).toEqual({ acted: true });
		expect(entry()).toMatchObject({ state: 'Delivered', attempt: 1, claimedBy: 'me_0' });
		expect(status()).toMatchObject({ phase: 'Sent', counters: { attempts: 1, delivered: 1, failed: 0 } });
		expect(sent).toHaveLength(1);
		expect(recordEnds).toEqual(['Delivered']);
		expect(events).toEqual(['Sent: The message was delivered on every channel.']);
		expect(log).toContain('released');
	});

	it('of a claim that could not be written sends nothing', async () => {
		const { attempt, sent, recordEnds } = aDelivery({
			beforeWrite: () => {
				throw new KubeError('KUBE_FORBIDDEN', 'no right');
			},
		});
		await expect(attempt()).rejects.toThrow('no right');
		expect(sent).toEqual([]);
		expect(recordEnds).toEqual(['free']);
	});

	it('tries to record until it is written', async () => {
		const { attempt, entry, clock, sent } = aDelivery({
			beforeWrite: (write) => {
				if (write === 2 || write === 3) throw new KubeError('KUBE_UNAVAILABLE', 'away');
			},
		});
		const done = attempt();
		for (let i = 0; i < 8; i++) {
			await settle();
			clock.advance(5000);
		}
		await done;
		expect(entry()?.state).toBe('Delivered');
		expect(sent).toHaveLength(1);
	});

	it('that stood still between the claim and the send gives the claim back', async () => {
		const parts = aDelivery({ beforeWrite: (write) => void (write === 1 && parts.clock.advance(18_000)) });
		await parts.attempt();
		expect(parts.sent).toEqual([]);
		expect(parts.entry()).toMatchObject({ state: 'Failed', reason: 'GivenBack' });
		expect(parts.entry()).not.toHaveProperty('refusals');
	});

	it('aborts its send at the time-out, and its end is unknown', async () => {
		const { attempt, entry, sent, clock, events } = aDelivery({ ends: ['hang'] });
		const done = attempt();
		await settle();
		clock.advance(10_000);
		expect(sent[0]?.abort.aborted).toBe(true);
		clock.advance(1000);
		await settle();
		clock.advance(3000);
		await done;
		expect(entry()).toMatchObject({ state: 'Failed', reason: 'OutcomeUnknown', refusals: 1 });
		expect(events[0]).toMatch(/^OutcomeUnknown: slack: /);
	});

	it('of a channel that fails in an unknown way is unknown, without its words', async () => {
		const { attempt, entry } = aDelivery({ ends: [new Error('token=secret')], policy: 'atMostOnce' });
		await attempt();
		expect(entry()).toMatchObject({ final: true, reason: 'OutcomeUnknown' });
		expect(JSON.stringify(entry())).not.toContain('secret');
	});

	it('that the receiver throttles asks for a pause for everyone', async () => {
		const { attempt, entry, freed } = aDelivery({
			ends: [{ end: 'refused-for-now', reason: 'Throttled', detail: '429', retryAfterMs: 90_000 }],
			receiver: 'workspace',
		});
		await attempt();
		expect(freed).toContain(90_000);
		expect(entry()).toMatchObject({ reason: 'Throttled', notBefore: new Date(91_000).toISOString() });
	});

	it('with the lock held by another comes again', async () => {
		const { attempt, sent, entry } = aDelivery({ permit: { outcome: 'later', retryInMs: 700, why: 'contended' } });
		expect(await attempt()).toEqual({ afterMs: 700 });
		expect([sent.length, entry()]).toEqual([0, undefined]);
	});

	it('whose lock was lost before the claim does nothing', async () => {
		const { attempt, sent, recordEnds } = aDelivery({ permit: { isHeld: () => false } });
		expect(await attempt()).toEqual({});
		expect([sent.length, recordEnds]).toEqual([0, ['free']]);
	});

	it('after the stop does nothing', async () => {
		const { attempt, sent, stopping } = aDelivery();
		stopping.abort();
		await attempt();
		expect(sent).toEqual([]);
	});

	it('of a receiver that is left alone is put off, and counts nothing', async () => {
		const down: SendEnd = { end: 'refused-for-now', reason: 'Unreachable', detail: 'ECONNREFUSED' };
		const parts = aDelivery({ ends: Array.from({ length: 9 }, () => down), receiver: 'workspace' });
		for (let i = 0; i < 5; i++) {
			await parts.attempt();
			parts.see({ deliveries: [] });
		}
		expect(await parts.attempt()).toEqual({ afterMs: expect.any(Number) });
		expect(parts.sent).toHaveLength(5);
	});

	it('that gave back the claim with which it tried such a receiver leaves the try to the next', async () => {
		const down: SendEnd = { end: 'refused-for-now', reason: 'Unreachable', detail: 'ECONNREFUSED' };
		let standsStill = false;
		const parts = aDelivery({
			ends: Array.from({ length: 5 }, () => down),
			receiver: 'workspace',
			beforeWrite: () => void (standsStill && parts.clock.advance(18_000)),
		});
		for (let i = 0; i < 5; i++) {
			await parts.attempt();
			parts.see({ deliveries: [] });
		}
		parts.clock.advance(6000);
		standsStill = true;
		await parts.attempt();
		expect(parts.entry()).toMatchObject({ reason: 'GivenBack' });
		standsStill = false;
		parts.see({ deliveries: [] });
		await parts.attempt();
		expect(parts.entry()).toMatchObject({ state: 'Delivered' });
	});
});

describe('what another cluster has settled', () => {
	it('becomes Delivered with that reason', async () => {
		const { attempt, entry, sent } = aDelivery({
			permit: { outcome: 'elsewhere', state: 'Delivered', message: 'uid-2' },
		});
		await attempt();
		expect(entry()).toMatchObject({ state: 'Delivered', reason: 'DeliveredElsewhere' });
		expect(sent).toEqual([]);
	});

	it('by an attempt of our own message is simply Delivered', async () => {
		const { attempt, entry } = aDelivery({ permit: { outcome: 'elsewhere', state: 'Delivered', message: 'uid-1' } });
		await attempt();
		expect(entry()?.state).toBe('Delivered');
		expect(entry()).not.toHaveProperty('reason');
	});

	it('as unknown is given up', async () => {
		const { attempt, entry } = aDelivery({
			permit: { outcome: 'elsewhere', state: 'Unknown', message: 'uid-2' },
			policy: 'atMostOnce',
		});
		await attempt();
		expect(entry()).toMatchObject({ final: true, reason: 'OutcomeUnknown' });
	});

	it('a context that lacks a variable of the key is a condition', async () => {
		const { attempt, status } = aDelivery({ keyTemplate: '{execution}{channel}', context: {} });
		await attempt();
		expect(status()?.conditions).toContainEqual(expect.objectContaining({ type: 'KeyOfUid', status: 'True' }));
	});
});

describe('a silent claim', () => {
	const silent = aClaim({ claimedBy: 'dead_1', refusals: 1 });
	it('is taken over, sent again, and says so', async () => {
		const parts = aDelivery({ before: silent });
		expect(await parts.attempt()).toEqual({});
		expect(parts.sent).toEqual([]);
		parts.clock.advance(20_000);
		await parts.attempt();
		expect(parts.entry()).toMatchObject({ state: 'Delivered', attempt: 2, refusals: 1 });
		expect(parts.status()?.conditions).toContainEqual(
			expect.objectContaining({ type: 'OutcomeUnknown', reason: 'Repeated' }),
		);
		expect(parts.events[0]).toMatch(/^OutcomeUnknown: slack: dead_1 stopped/);
		expect(parts.log.some((line) => line.startsWith('takenOver'))).toBe(true);
	});

	it('on a channel with at most one send is given up, and nothing is sent', async () => {
		const parts = aDelivery({ before: silent, policy: 'atMostOnce' });
		parts.clock.advance(20_000);
		await parts.attempt();
		expect(parts.entry()).toMatchObject({ state: 'Failed', final: true, reason: 'OutcomeUnknown', attempt: 2 });
		expect(parts.sent).toEqual([]);
	});

	it('of a message that this process has delivered is recorded as delivered', async () => {
		const parts = aDelivery();
		await parts.attempt();
		parts.see({ deliveries: [aClaim({ claimedBy: 'dead_1', attempt: 7 })] });
		parts.clock.advance(20_000);
		await parts.attempt();
		expect(parts.entry()).toMatchObject({ state: 'Delivered', attempt: 8 });
		expect(parts.sent).toHaveLength(1);
		parts.delivery.forget('uid-1');
	});
});
