// Puts the notification service together: queue, turns, watch, coordination, lines of the channels, reconciler, retention.
import { createBackoff } from '@kubernaut/backoff';
import { startCoordination } from './act/coordination/coordination.ts';
import { createCoordinator, type OnLockUnavailable } from './act/coordination/coordinator.ts';
import { createDelivery } from './act/delivery.ts';
import type { DeliveryObserver } from './act/delivery-observer.ts';
import { drawnTurns, type Turns } from './act/drawn-turns.ts';
import { createEventRecorder } from './act/event-recorder.ts';
import { Breaker } from './act/gate/breaker.ts';
import { ChannelLine } from './act/gate/channel-line.ts';
import { LocalPace, LocalRest } from './act/gate/pace.ts';
import { createReconciler } from './act/reconciler.ts';
import { startRetention } from './act/retention.ts';
import { createStatusWriter } from './act/status-writer.ts';
import type { Channel } from './channels/channel.ts';
import { announcePresence } from './controller/replica-presence.ts';
import { ReplicaTurns } from './controller/replica-turns.ts';
import { SyncCheck } from './controller/sync-check.ts';
import { follow, startWatches } from './controller/watches.ts';
import { type QueueObserver, WorkQueue } from './controller/work-queue.ts';
import type { UnknownEndPolicy } from './decide/delivery-entry.ts';
import { CLAIM_MARGIN_MS } from './decide/delivery-keys.ts';
import type { LockObserver } from './distributed-lock.ts';
import {
	NOTIFICATION_REQUEST_CHANNELS as CHANNELS,
	type NotificationRequest,
	type NotificationRequestSpec,
} from './generated/notification-request.ts';
import type { KubeClient } from './kube/kube.ts';
import type { Message } from './message/message.ts';
import { KnownNotifications } from './objects/known-notifications.ts';
import { type ChannelName, isFinished, toNotification } from './objects/notification.ts';
import { createNotificationStore, notificationsPath } from './objects/notification-store.ts';
import type { Clock } from './process/clock.ts';
import type { Check } from './process/health-server.ts';

export type NotificationServiceOptions = {
	readonly kube: KubeClient;
	/** Its wall time is the API server's. */
	readonly clock: Clock;
	readonly podName: string;
	readonly podNamespace: string;
	readonly namespace: string;
	/** Undefined: USE_DISTRIBUTED_LOCKING is false. */
	readonly locking:
		| {
				readonly kube: KubeClient;
				readonly clock: Clock;
				readonly namespace: string;
				/** Several clusters share it. */
				readonly isShared: boolean;
				readonly keyTemplate: string;
		  }
		| undefined;
	readonly leaseDurationMs: number;
	readonly requestTimeoutMs: number;
	readonly sendTimeoutMs: number;
	readonly claimTimeoutMs: number;
	readonly onLockUnavailable: OnLockUnavailable;
	readonly atMostOnce: readonly ChannelName[];
	readonly paceMs: Readonly<Record<ChannelName, number>>;
	readonly lineWidth: number;
	readonly retentionMs: number;
	readonly turnMs: number;
	readonly concurrency: number;
	readonly channels: Readonly<Record<ChannelName, Channel>>;
	readonly messageOf: (object: NotificationRequest) => Message;
	readonly routing: { channelsFor(spec: NotificationRequestSpec): readonly ChannelName[] };
	readonly observer: {
		readonly lock: LockObserver;
		readonly queue: QueueObserver;
		readonly deliveries: DeliveryObserver;
		/** A cache is in sync with the API server, or not. */
		syncChanged(what: string, inSync: boolean, reason: string): void;
	};
};
export type NotificationService = { readonly checks: readonly (() => Check)[]; stop(graceMs: number): Promise<void> };

/** Of a retention: replicas step in one after the other. */
const REMOVAL_STEP = 240;

export function startNotificationService(options: NotificationServiceOptions): NotificationService {
	const { kube, clock, podName, namespace, locking, observer } = options;
	const backoff = createBackoff({ basePeriodMs: 100, maxPeriodMs: 5000 });
	const stopping = new AbortController();
	const sync = new SyncCheck(clock, locking === undefined ? [] : ['leases', 'paces', 'replicas']);
	const syncChanged = (what: string, inSync: boolean, reason: string) => {
		sync.changed(what, inSync, reason);
		observer.syncChanged(what, inSync, reason);
	};
	const ranked = locking === undefined ? undefined : new ReplicaTurns(podName, options.turnMs, clock.now);
	const turns: Turns = ranked ?? drawnTurns(podName, options.turnMs);
	const queue = new WorkQueue({
		concurrency: options.concurrency,
		waitMs: (name) => turns.waitMs(name),
		backoff: createBackoff({ basePeriodMs: 200, maxPeriodMs: 10_000 }),
		clock,
		observer: observer.queue,
	});
	const presence =
		ranked === undefined
			? undefined
			: announcePresence({
					kube,
					namespace: options.podNamespace,
					podName,
					clock,
					backoff,
					replicas: ranked,
					onSync: (inSync, reason) => syncChanged('replicas', inSync, reason),
				});
	const coordination =
		locking === undefined
			? undefined
			: startCoordination({
					...options,
					...locking,
					marginMs: CLAIM_MARGIN_MS,
					recordRetentionMs: locking.isShared ? options.retentionMs : undefined,
					backoff,
					observer: observer.lock,
					onSync: syncChanged,
					onSeenAtWork: (pod) => turns.active(pod),
					stopping: stopping.signal,
				});

	const known = new KnownNotifications(
		clock.now,
		(notification) => {
			const isOver = isFinished(notification) || known.get(notification.name)?.uid !== notification.uid;
			if (isOver) reconciler.forget(notification.uid);
			else queue.add(notification.name);
		},
		(pod) => turns.active(pod),
	);
	const store = createNotificationStore(kube, namespace);
	const events = createEventRecorder(kube, namespace, podName, clock.wallTime, observer.deliveries.eventFailed);
	const localPaces = perChannel((channel) =>
		options.paceMs[channel] > 0 ? new LocalPace(options.paceMs[channel], clock) : new LocalRest(clock),
	);
	const lines = perChannel(
		(channel) =>
			new ChannelLine(options.paceMs[channel] > 0 ? 1 : options.lineWidth, (length) =>
				observer.deliveries.queued(channel, length),
			),
	);
	const reconciler = createReconciler({
		known,
		delivery: createDelivery({
			known,
			writer: createStatusWriter(store, known, clock),
			coordinator: createCoordinator({
				lock: coordination?.lock,
				records: coordination?.records,
				paces: coordination?.paces ?? localPaces,
				localPaces,
				onLockUnavailable: options.onLockUnavailable,
				now: clock.now,
				observer: observer.deliveries,
			}),
			breaker: new Breaker(clock, observer.deliveries),
			channels: options.channels,
			messageOf: options.messageOf,
			events,
			config: {
				podName,
				sendTimeoutMs: options.sendTimeoutMs,
				claimTimeoutMs: options.claimTimeoutMs,
				marginMs: CLAIM_MARGIN_MS,
				policies: perChannel(
					(channel): UnknownEndPolicy => (options.atMostOnce.includes(channel) ? 'atMostOnce' : 'atLeastOnce'),
				),
				keyTemplate: locking?.isShared ? locking.keyTemplate : undefined,
			},
			clock,
			stopping: stopping.signal,
			observer: observer.deliveries,
		}),
		lines,
		routing: options.routing,
		clock,
		observer: observer.deliveries,
		enqueue: (name) => queue.add(name),
		onActed: (name) => turns.actedInsteadOfOthers(name),
	});
	const retention = startRetention({
		known,
		store,
		retentionMs: options.retentionMs,
		leaveToOthersMs: (name) => turns.waitMs(name) * REMOVAL_STEP,
		clock,
		onRemoved: observer.deliveries.removed,
	});
	const watches = startWatches({
		kube,
		kinds: {
			notifications: follow(
				{ path: notificationsPath(namespace), resource: 'notificationrequests', namespace },
				toNotification,
				known,
			),
		},
		backoff,
		clock,
		onListed: () =>
			queue.start(async (name) => {
				const { afterMs } = await reconciler.reconcile(name);
				// What time brings, it brings to all replicas at once: they take turns at that as well.
				return afterMs === undefined ? {} : { afterMs: afterMs + turns.waitMs(name) };
			}),
		onHold: () => queue.hold(),
		resync() {
			for (const notification of known.all()) if (!isFinished(notification)) queue.add(notification.name);
		},
		onSync: syncChanged,
	});

	return {
		checks: [watches.check, () => sync.check(), ...(presence === undefined ? [] : [presence.check])],
		async stop(graceMs) {
			stopping.abort();
			for (const line of Object.values(lines)) line.close();
			watches.stop();
			retention.stop();
			await queue.stop();
			// What is claimed is sent and recorded: that takes a send time-out at most, and then the record.
			await reconciler.idle();
			await Promise.all([coordination?.stop(graceMs), presence?.stop()]);
			await events.settled();
		},
	};
}

function perChannel<T>(make: (channel: ChannelName) => T): Record<ChannelName, T> {
	return Object.fromEntries(CHANNELS.map((channel) => [channel, make(channel)])) as Record<ChannelName, T>;
}
