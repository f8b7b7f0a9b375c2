// Puts the controller together: lock, what is known, decisions, writers, queue.
import { createBackoff } from '@kubernaut/backoff';
import { createEventRecorder } from './act/event-recorder.ts';
import { createReconciler, type ReconcileObserver, type ReconcilerConfig } from './act/reconciler.ts';
import { createRequestWriter, type WriterObserver } from './act/request-writer.ts';
import { APP } from './app.ts';
import {
	announcePresence,
	isPresence,
	PRESENCE_DURATION_MS,
	PRESENCE_PREFIX,
	podOf,
} from './controller/replica-presence.ts';
import { ReplicaTurns } from './controller/replica-turns.ts';
import { type Followed, startController } from './controller/watches.ts';
import { type QueueObserver, WorkQueue } from './controller/work-queue.ts';
import type { NotificationRequestChannel } from './generated/notification-request.ts';
import type { Check } from './kube/api-readiness.ts';
import type { KubeClient } from './kube/kube.ts';
import { type Listed, startListWatch } from './kube/list-watch.ts';
import { createLeaseClient, type LeaseObject, LOCK_LABEL, leasesPath, toLease } from './lock/lease-client.ts';
import { DistributedLock } from './lock/lease-lock.ts';
import { SYSTEM_LOCK_CLOCK } from './lock/lock-clock.ts';
import type { Lease, LockObserver } from './lock/lock-ports.ts';
import { KnownObjects } from './objects/known-objects.ts';
import { createObjectStore } from './objects/object-store.ts';

export type OrchestratorObserver = {
	readonly lock: LockObserver;
	readonly queue: QueueObserver;
	readonly reconcile: ReconcileObserver & WriterObserver & { eventFailed(error: unknown): void };
	/** A cache is in step with the API server, or not. */
	following(what: Followed | 'leases', inStep: boolean, reason: string): void;
};
export type OrchestratorOptions = {
	readonly kube: KubeClient;
	readonly podName: string;
	readonly lockNamespace: string;
	readonly namespace: string;
	readonly leaseDurationMs: number;
	readonly requestTimeoutMs: number;
	readonly turnMs: number;
	readonly concurrency: number;
	readonly pauseConfigMap: string;
	readonly channels: readonly NotificationRequestChannel[];
	readonly decisions: ReconcilerConfig;
	readonly observer: OrchestratorObserver;
};
export type Orchestrator = { check(): Check; stop(graceMs: number): Promise<void> };

export const LOCK_PREFIX = 'ro-lock-';
/** How long a contended target waits at most for its next try; a release seen by the watch ends the wait. */
const CONTENDED_MS = 100;

export function startOrchestrator(options: OrchestratorOptions): Orchestrator {
	const { kube, podName, namespace, lockNamespace, observer } = options;
	const now = () => new Date();
	const stopping = new AbortController();
	const follow = { backoff: createBackoff({ basePeriodMs: 100, maxPeriodMs: 5000 }) };

	const leaseClient = createLeaseClient(kube, lockNamespace, APP.name);
	const times = { podName, requestTimeoutMs: options.requestTimeoutMs };
	const lock = new DistributedLock(
		{ ...times, prefix: LOCK_PREFIX, leaseDurationMs: options.leaseDurationMs },
		leaseClient,
		SYSTEM_LOCK_CLOCK,
		observer.lock,
	);
	lock.start();
	const presenceLock = new DistributedLock(
		{ ...times, prefix: PRESENCE_PREFIX, leaseDurationMs: PRESENCE_DURATION_MS },
		leaseClient,
		SYSTEM_LOCK_CLOCK,
		UNOBSERVED,
	);
	presenceLock.start(); // what dead replicas left of it is swept, too
	const presence = announcePresence(presenceLock, podName, SYSTEM_LOCK_CLOCK);
	const turns = new ReplicaTurns(podName, options.turnMs, SYSTEM_LOCK_CLOCK.now);
	const leases = startListWatch<Lease & Listed>(
		kube,
		{
			path: leasesPath(lockNamespace),
			resource: 'leases',
			namespace: lockNamespace,
			labelSelector: `${LOCK_LABEL}=${APP.name}`,
		},
		(object) => {
			const lease = toLease(object as LeaseObject);
			return { ...lease, metadata: { resourceVersion: lease.resourceVersion } };
		},
		{
			replaced(seen, resourceVersion) {
				for (const each of [lock, presenceLock]) each.observations.replaceAll(seen, resourceVersion);
				for (const lease of seen) tellTurns(turns, lease);
			},
			changed(lease) {
				for (const each of [lock, presenceLock]) each.seen(lease);
				tellTurns(turns, lease);
			},
			removed(lease) {
				for (const each of [lock, presenceLock]) each.observations.removed(lease);
				const pod = podOf(lease);
				if (isPresence(lease) && pod !== undefined) turns.gone(pod);
			},
			following: (inStep, reason) => observer.following('leases', inStep, reason),
		},
		follow,
	);

	const known = new KnownObjects((target) => controller.concern(target));
	const store = createObjectStore(kube, namespace);
	const events = createEventRecorder(kube, namespace, podName, now, (error) => observer.reconcile.eventFailed(error));
	const reconcile = createReconciler({
		lock,
		store,
		known,
		writer: createRequestWriter(store, known, events, options.channels, observer.reconcile),
		config: options.decisions,
		now,
		turns,
		observer: observer.reconcile,
		lookAgainWhenReleased: (target) =>
			void lock.waitForRelease(target, CONTENDED_MS, stopping.signal).then(() => controller.concern(target)),
	});
	const queue = new WorkQueue(reconcile, {
		concurrency: options.concurrency,
		backoff: createBackoff({ basePeriodMs: 200, maxPeriodMs: 10_000 }),
		clock: SYSTEM_LOCK_CLOCK,
		observer: observer.queue,
	});
	const controller = startController(known, () => queue, {
		kube,
		namespace,
		turns,
		pauseConfigMap: options.pauseConfigMap,
		backoff: follow.backoff,
		clock: SYSTEM_LOCK_CLOCK,
		onFollowing: (what, inStep, reason) => observer.following(what, inStep, reason),
	});

	return {
		check: () => controller.check(),
		async stop(graceMs) {
			stopping.abort();
			controller.stop();
			presence.stop();
			const idle = queue.stop();
			await Promise.all([lock.shutdown(graceMs), presenceLock.shutdown(0)]);
			await idle;
			await events.settled();
			leases.stop();
		},
	};
}

function tellTurns(turns: ReplicaTurns, lease: Lease): void {
	const pod = podOf(lease);
	if (pod === undefined) return;
	if (isPresence(lease)) turns.present(pod);
	else turns.active(pod);
}

/** Being there is no lock that anybody waits for: it would only blur the figures of those. */
const UNOBSERVED: LockObserver = {
	attempted() {},
	acquired() {},
	contended() {},
	failed() {},
	released() {},
	releaseFailed() {},
	lost() {},
	swept() {},
	waiting() {},
};
