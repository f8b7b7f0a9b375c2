// Puts the controller together: lock, what is known, decisions, writers, queue.
import { createBackoff } from '@kubernaut/backoff';
import { createEventRecorder } from './act/event-recorder.ts';
import { createReconciler, type ReconcileObserver, type ReconcilerConfig } from './act/reconciler.ts';
import { createRequestWriter, type WriterObserver } from './act/request-writer.ts';
import { announcePresence } from './controller/replica-presence.ts';
import { ReplicaTurns } from './controller/replica-turns.ts';
import { type Followed, startController } from './controller/watches.ts';
import { type QueueObserver, WorkQueue } from './controller/work-queue.ts';
import { type LockObserver, startDistributedLock } from './distributed-lock.ts';
import type { NotificationRequestChannel } from './generated/notification-request.ts';
import type { KubeClient } from './kube/kube.ts';
import { KnownObjects } from './objects/known-objects.ts';
import { createObjectStore } from './objects/object-store.ts';
import { SYSTEM_CLOCK } from './process/clock.ts';
import type { Check } from './process/health-server.ts';

export type OrchestratorObserver = {
	readonly lock: LockObserver;
	readonly queue: QueueObserver;
	readonly reconcile: ReconcileObserver & WriterObserver & { eventFailed(error: unknown): void };
	/** A cache is in sync with the API server, or not. */
	syncChanged(what: Followed | 'leases' | 'replicas', inSync: boolean, reason: string): void;
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

export function startOrchestrator(options: OrchestratorOptions): Orchestrator {
	const { kube, podName, namespace, lockNamespace, observer } = options;
	const now = () => new Date();
	const stopping = new AbortController();
	const backoff = createBackoff({ basePeriodMs: 100, maxPeriodMs: 5000 });

	const turns = new ReplicaTurns(podName, options.turnMs, SYSTEM_CLOCK.now);
	const { lock, stop: stopLock } = startDistributedLock({
		kube,
		podName,
		namespace: lockNamespace,
		leaseDurationMs: options.leaseDurationMs,
		requestTimeoutMs: options.requestTimeoutMs,
		observer: observer.lock,
		backoff,
		onSync: (inSync, reason) => observer.syncChanged('leases', inSync, reason),
		onSeenAtWork: (pod) => turns.active(pod),
	});
	const presence = announcePresence({
		kube,
		namespace: lockNamespace,
		podName,
		clock: SYSTEM_CLOCK,
		backoff,
		replicas: turns,
		onSync: (inSync, reason) => observer.syncChanged('replicas', inSync, reason),
	});

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
			void lock.whenWorthAnotherTry(target, stopping.signal).then(() => controller.concern(target)),
	});
	const queue = new WorkQueue(reconcile, {
		concurrency: options.concurrency,
		backoff: createBackoff({ basePeriodMs: 200, maxPeriodMs: 10_000 }),
		clock: SYSTEM_CLOCK,
		observer: observer.queue,
	});
	const controller = startController(known, () => queue, {
		kube,
		namespace,
		turns,
		pauseConfigMap: options.pauseConfigMap,
		backoff,
		clock: SYSTEM_CLOCK,
		onSync: (what, inSync, reason) => observer.syncChanged(what, inSync, reason),
	});

	return {
		check: () => controller.check(),
		async stop(graceMs) {
			stopping.abort();
			controller.stop();
			const idle = queue.stop();
			await Promise.all([stopLock(graceMs), presence.stop()]);
			await idle;
			await events.settled();
		},
	};
}
