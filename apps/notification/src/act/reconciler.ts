// Brings every message to its end: finds the channels that are due, and lines their attempts up. Attempts run outside the
// work queue, because a paced channel may have a long line; layer 1 of the promise is that none is lined up twice.
import { createBackoff } from '@kubernaut/backoff';
import type { Standing } from '../decide/standing.ts';
import type { NotificationRequestSpec } from '../generated/notification-request.ts';
import type { KnownNotifications } from '../objects/known-notifications.ts';
import { type ChannelName, deliveryId, type Notification } from '../objects/notification.ts';
import type { Clock } from '../process/clock.ts';
import { ClaimBatch } from './claim-batch.ts';
import type { DeliveryAttempts } from './delivery.ts';
import type { DeliveryObserver } from './delivery-observer.ts';
import type { ChannelLine } from './gate/channel-line.ts';

export type ReconcilerParts = {
	readonly known: Pick<KnownNotifications, 'active'>;
	readonly delivery: DeliveryAttempts;
	readonly lines: Readonly<Record<ChannelName, ChannelLine>>;
	readonly routing: { channelsFor(spec: NotificationRequestSpec): readonly ChannelName[] };
	readonly clock: Pick<Clock, 'now' | 'setTimer'>;
	readonly observer: Pick<DeliveryObserver, 'attemptFailed'>;
	/** It is worth another reconcile. */
	readonly enqueue: (name: string) => void;
	/** We acted on it, although others rank first. */
	readonly onActed: (name: string) => void;
};
export type Reconciler = {
	reconcile(name: string): Promise<{ readonly afterMs?: number }>;
	/** It is finished or gone. */
	forget(uid: string): void;
	/** Attempts that are lined up or under way. */
	readonly inFlight: number;
	/** Settles when no attempt is under way. */
	idle(): Promise<void>;
};

type Pause = { readonly until: number; readonly failures: number };

/** Channels that have only a Lease to get are claimed together. */
const CLAIM_WINDOW_MS = 100;
/** A claim or a wait that ends is looked at a moment later, not in the same instant. */
const A_MOMENT_MS = 5;
const AFTER_FAILURE = createBackoff({ basePeriodMs: 200, maxPeriodMs: 10_000 });

export function createReconciler(parts: ReconcilerParts): Reconciler {
	const { known, delivery, lines, clock } = parts;
	const inFlight = new Map<string, Promise<void>>();
	/** Attempts that are not worth it before this time of our clock, by id. */
	const pauses = new Map<string, Pause>();

	function channelsOf(notification: Notification): readonly ChannelName[] {
		const { object, channels } = notification;
		return channels ?? (object === undefined ? [] : parts.routing.channelsFor(object.spec));
	}

	async function reconcile(name: string): Promise<{ readonly afterMs?: number }> {
		const notification = known.active(name);
		if (notification === undefined) return {};
		const channels = channelsOf(notification);
		const due: ChannelName[] = [];
		let afterMs = Infinity;
		for (const channel of channels) {
			const id = deliveryId(notification.uid, channel);
			if (inFlight.has(id)) continue;
			const waitMs = Math.max(waitOf(delivery.standing(notification, channel)), pausedMs(id));
			if (waitMs <= 0) due.push(channel);
			else afterMs = Math.min(afterMs, waitMs);
		}
		const together = due.filter((channel) => lines[channel].isFree);
		const batch = new ClaimBatch(together, CLAIM_WINDOW_MS, clock);
		for (const channel of due) lineUp(notification, channel, channels, batch);
		return afterMs === Infinity ? {} : { afterMs: afterMs + A_MOMENT_MS };
	}

	function lineUp(
		{ name, uid }: Notification,
		channel: ChannelName,
		channels: readonly ChannelName[],
		batch: ClaimBatch,
	): void {
		const id = deliveryId(uid, channel);
		const attempt = lines[channel]
			.run(() => delivery.attempt({ name, uid, channel, channels, batch }))
			.then(
				(result) => {
					if (result?.afterMs === undefined) pauses.delete(id);
					else pauses.set(id, { until: clock.now() + result.afterMs, failures: 0 });
					if (result?.acted) parts.onActed(name);
				},
				(error: unknown) => {
					const failures = (pauses.get(id)?.failures ?? 0) + 1;
					pauses.set(id, { until: clock.now() + AFTER_FAILURE.calculate(failures), failures });
					parts.observer.attemptFailed({ name, channel, error });
				},
			)
			.finally(() => {
				batch.leave(channel);
				inFlight.delete(id);
				parts.enqueue(name);
			});
		inFlight.set(id, attempt);
	}

	function pausedMs(id: string): number {
		return (pauses.get(id)?.until ?? -Infinity) - clock.now();
	}

	return {
		reconcile,
		forget(uid) {
			delivery.forget(uid);
			for (const id of pauses.keys()) if (id.startsWith(`${uid}:`)) pauses.delete(id);
		},
		get inFlight() {
			return inFlight.size;
		},
		async idle() {
			while (inFlight.size > 0) await Promise.all(inFlight.values());
		},
	};
}

/** 0: an attempt is due. Infinity: nothing is left to do. */
function waitOf(standing: Standing): number {
	switch (standing.is) {
		case 'due':
		case 'silent':
			return 0;
		case 'waiting':
			return standing.forMs;
		case 'claimed':
			return standing.silentInMs;
		case 'settled':
			return Infinity;
	}
}
