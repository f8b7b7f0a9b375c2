// The app's real code (reconciler, delivery, status writer, coordinator) as a process whose every call waits for its answer.
// The code is deterministic: what it does next follows from what it has met so far. So a process is the row of what it met,
// and the code runs again from the start for each row.
import { setImmediate as turn } from 'node:timers/promises';
import { createCoordinator } from '../../src/act/coordination/coordinator.ts';
import { createDelivery } from '../../src/act/delivery.ts';
import type { DeliveryObserver } from '../../src/act/delivery-observer.ts';
import { Breaker } from '../../src/act/gate/breaker.ts';
import { ChannelLine } from '../../src/act/gate/channel-line.ts';
import { NO_PACE } from '../../src/act/gate/pace.ts';
import { createReconciler } from '../../src/act/reconciler.ts';
import { createStatusWriter } from '../../src/act/status-writer.ts';
import type { Channel, SendEnd } from '../../src/channels/channel.ts';
import type { UnknownEndPolicy } from '../../src/decide/delivery-entry.ts';
import type { Acquisition, Held } from '../../src/distributed-lock.ts';
import {
	NOTIFICATION_REQUEST_CHANNELS,
	type NotificationRequest,
	type NotificationRequestStatus,
} from '../../src/generated/notification-request.ts';
import { KnownNotifications } from '../../src/objects/known-notifications.ts';
import { type ChannelName, toNotification } from '../../src/objects/notification.ts';

export const CHANNEL: ChannelName = 'slack';
/** In units of the model: the send and a margin are shorter than the claim, the claim than the Lease. */
export const TIMES = { sendTimeoutMs: 2, marginMs: 1, claimTimeoutMs: 4, leaseMs: 5 } as const;

export type Call =
	| { readonly do: 'get' }
	| { readonly do: 'patch'; readonly version: string; readonly status: NotificationRequestStatus }
	| { readonly do: 'acquire' }
	| { readonly do: 'release' }
	| { readonly do: 'send'; readonly claimedBy: string; readonly at: number };
/** What a process meets. */
export type Met =
	| { readonly time: number; readonly answer: unknown; readonly call: number }
	| { readonly time: number; readonly seen?: NotificationRequest };
export type Mutation = {
	/** The check right before the send reads this clock. */
	readonly clockBeforeSend?: (now: number) => number;
	readonly contendedIsSuccess?: boolean;
};
export type PodSpec = {
	readonly name: string;
	readonly life: number;
	readonly policy: UnknownEndPolicy;
	readonly locking: boolean;
	readonly mutation: Mutation;
};
/** Calls without an answer yet, by their number; and whether anything would wake it. */
export type PodState = { readonly open: ReadonlyMap<number, Call>; readonly wakesAt: number };

const SILENT = new Proxy({} as DeliveryObserver, { get: () => () => {} });

/** Runs the code through everything that it met, and returns what it waits for then. */
export async function replay(
	spec: PodSpec,
	start: { readonly time: number; readonly object: NotificationRequest },
	met: readonly Met[],
): Promise<PodState> {
	let time = start.time;
	let calls = 0;
	const open = new Map<number, { readonly call: Call; answer(value: unknown): void }>();
	const timers = new Set<{ readonly at: number; fire(): void }>();
	const ask = <T>(call: Call) =>
		new Promise<T>((resolve) => void open.set(calls++, { call, answer: (value) => resolve(value as T) }));
	const clock = {
		now: () => time,
		wallTime: () => new Date(time),
		setTimer(fire: () => void, delay: number) {
			const timer = { at: time + Math.max(0, delay), fire };
			timers.add(timer);
			return () => void timers.delete(timer);
		},
	};
	const fireDue = () => {
		for (;;) {
			const [due] = [...timers].filter(({ at }) => at <= time).toSorted((a, b) => a.at - b.at);
			if (due === undefined) return;
			timers.delete(due);
			due.fire();
		}
	};
	/** Batches and waits that are no part of the protocol end at once. */
	const settle = async () => {
		for (let turns = 0; turns < 4; turns++) await turn();
	};

	const known = new KnownNotifications(clock.now, () => {});
	known.changed(toNotification(start.object));
	const store = {
		get: async () => {
			const object = await ask<NotificationRequest>({ do: 'get' });
			return toNotification(object);
		},
		patchStatus: async ({ resourceVersion }: { resourceVersion: string }, status: NotificationRequestStatus) => {
			const answer = await ask<NotificationRequest | 'changed'>({ do: 'patch', version: resourceVersion, status });
			return typeof answer === 'string' ? answer : toNotification(answer);
		},
	};
	const held = { lease: 'l/1', fencingToken: 1n, signal: new AbortController().signal } as unknown as Held;
	const lock = {
		knownHolder: () => undefined,
		tryAcquire: () =>
			ask<Acquisition>({ do: 'acquire' }).then((answer) =>
				answer.outcome === 'acquired' ? { ...answer, held } : answer,
			),
		release: () => ask<void>({ do: 'release' }),
	};
	const perChannel = <T>(make: (channel: ChannelName) => T) =>
		Object.fromEntries(NOTIFICATION_REQUEST_CHANNELS.map((channel) => [channel, make(channel)])) as Record<
			ChannelName,
			T
		>;
	let claimedBy = '';
	const channel: Channel = {
		name: CHANNEL,
		key: 'KEY',
		receiver: () => undefined,
		send: (_, { abort }) =>
			Promise.race([
				ask<SendEnd>({ do: 'send', claimedBy, at: time }),
				new Promise<SendEnd>((resolve) =>
					abort.addEventListener('abort', () => resolve({ end: 'unknown', reason: 'Aborted', detail: 'aborted' })),
				),
			]),
	};
	const coordinator = createCoordinator({
		lock: spec.locking ? lock : undefined,
		records: undefined,
		paces: perChannel(() => NO_PACE),
		localPaces: perChannel(() => NO_PACE),
		onLockUnavailable: 'hold',
		now: clock.now,
		observer: SILENT,
	});
	let nonces = 0;
	const { mutation } = spec;
	const delivery = createDelivery({
		known,
		writer: createStatusWriter(store, known, { ...clock, setTimer: soon }),
		coordinator: mutation.contendedIsSuccess
			? {
					...coordinator,
					async enter(request) {
						const result = await coordinator.enter(request);
						if (result.outcome !== 'later') return result;
						return { outcome: 'elsewhere', state: 'Delivered', message: 'uid-1' };
					},
				}
			: coordinator,
		breaker: new Breaker(clock, SILENT),
		channels: perChannel(() => channel),
		messageOf: (object) => {
			claimedBy = object.status?.deliveries?.find((entry) => entry.channel === CHANNEL)?.claimedBy ?? '';
			// The message is made right before the check of the time: a clock that is read here is the one of the check.
			lookBack = mutation.clockBeforeSend !== undefined;
			return {} as never;
		},
		events: { record() {} },
		config: {
			podName: spec.name,
			sendTimeoutMs: TIMES.sendTimeoutMs,
			claimTimeoutMs: TIMES.claimTimeoutMs,
			marginMs: TIMES.marginMs,
			policies: perChannel(() => spec.policy),
			keyTemplate: undefined,
		},
		clock: {
			...clock,
			now() {
				if (!lookBack) return time;
				lookBack = false;
				return mutation.clockBeforeSend?.(time) ?? time;
			},
		},
		stopping: new AbortController().signal,
		observer: SILENT,
		nonce: () => `${spec.life}.${nonces++}`,
		random: () => 0.5,
	});
	let lookBack = false;
	function soon(fire: () => void): () => void {
		const immediate = setImmediate(fire);
		return () => clearImmediate(immediate);
	}

	let cancel = () => {};
	const lines = perChannel(() => new ChannelLine(1));
	const reconciler = createReconciler({
		known,
		delivery,
		lines,
		routing: { channelsFor: () => [CHANNEL] },
		clock: { now: clock.now, setTimer: clock.setTimer },
		observer: SILENT,
		enqueue: () => void run(),
		onActed() {},
	});
	async function run(): Promise<void> {
		cancel();
		const { afterMs } = await reconciler.reconcile('nr-1');
		if (afterMs !== undefined) cancel = clock.setTimer(() => void run(), afterMs);
	}
	void run();
	await settle();
	for (const event of met) {
		time = event.time;
		if ('call' in event) {
			open.get(event.call)?.answer(event.answer);
			open.delete(event.call);
			await settle();
			fireDue(); // a process that stood still reads what has arrived before its timers count
		} else {
			if (event.seen !== undefined) {
				known.changed(toNotification(event.seen));
				void run();
			}
			fireDue();
		}
		await settle();
	}
	const wakesAt = Math.min(Infinity, ...[...timers].map(({ at }) => at));
	return { open: new Map([...open].map(([number, { call }]) => [number, call])), wakesAt };
}
