// Puts the executor together: queue, turns, watches of executions and runs, the lock, the reconciler, the sweeper.
import { createBackoff } from '@kubernaut/backoff';
import { createEventRecorder } from './act/event-recorder.ts';
import { createExecutionWriter } from './act/execution-writer.ts';
import type { ExecutorObserver } from './act/executor-observer.ts';
import { inTurns } from './act/in-turns.ts';
import { createReconciler } from './act/reconciler.ts';
import { explainUnlistedRuns } from './act/unlisted-runs.ts';
import { announcePresence } from './controller/replica-presence.ts';
import { ReplicaTurns } from './controller/replica-turns.ts';
import { SyncCheck } from './controller/sync-check.ts';
import { follow, startWatches } from './controller/watches.ts';
import { type QueueObserver, WorkQueue } from './controller/work-queue.ts';
import type { RunPolicy } from './decide/run-policy.ts';
import { DistributedLock, type LockObserver } from './distributed-lock.ts';
import type { KubeClient } from './kube/kube.ts';
import { EngineFaults } from './objects/engine-faults.ts';
import { toExecution } from './objects/execution.ts';
import { createExecutionStore, executionsPath } from './objects/execution-store.ts';
import { KnownObjects } from './objects/known-objects.ts';
import { createTektonEngine, runsPath } from './objects/tekton-engine.ts';
import { EXECUTION_LABEL, SOURCE_NAMESPACE_LABEL, toRun } from './objects/tekton-run.ts';
import type { Clock } from './process/clock.ts';
import type { Check } from './process/health-server.ts';

export type ExecutorOptions = {
	readonly kube: KubeClient;
	/** Its wall time is the API server's. */
	readonly clock: Clock;
	readonly podName: string;
	readonly podNamespace: string;
	readonly namespace: string;
	readonly executionNamespace: string;
	readonly cooldownMs: number;
	readonly orphanAfterMs: number;
	readonly turnMs: number;
	readonly concurrency: number;
	readonly policy: RunPolicy;
	readonly observer: {
		readonly lock: LockObserver;
		readonly queue: QueueObserver;
		readonly executor: ExecutorObserver;
		/** A cache is in sync with the API server, or not. */
		syncChanged(what: string, inSync: boolean, reason: string): void;
	};
};
export type Executor = { readonly checks: readonly (() => Check)[]; stop(): Promise<void> };

export function startExecutor(options: ExecutorOptions): Executor {
	const { kube, clock, podName, namespace, executionNamespace, observer } = options;
	const { cooldownMs, orphanAfterMs, policy } = options;
	const now = () => clock.wallTime().getTime();
	const backoff = createBackoff({ basePeriodMs: 100, maxPeriodMs: 5000 });
	const turns = new ReplicaTurns(podName, options.turnMs, clock.now);
	const queue = new WorkQueue({
		concurrency: options.concurrency,
		waitMs: (target) => turns.waitMs(target),
		backoff: createBackoff({ basePeriodMs: 200, maxPeriodMs: 10_000 }),
		clock,
		observer: {
			...observer.queue,
			failed(target, error, retryInMs) {
				faults.reconcileFailed(target, error);
				observer.queue.failed(target, error, retryInMs);
			},
		},
	});
	const known: KnownObjects = new KnownObjects(
		namespace,
		cooldownMs,
		now,
		(target) => {
			observer.executor.waitersChanged(known.locks.waiting);
			queue.add(target);
		},
		(pod) => turns.active(pod),
	);
	const faults: EngineFaults = new EngineFaults(clock.now, (target) => reconciler.propose(target).work.length > 0);
	const engine = createTektonEngine(faults.noting(kube), executionNamespace);
	const store = createExecutionStore(kube, namespace);
	const events = createEventRecorder(kube, namespace, podName, clock.wallTime, observer.executor.eventFailed);
	const place = { namespace, cooldownMs, orphanAfterMs };
	const lock = new DistributedLock(engine, store, place, clock, observer.lock);
	const writer = createExecutionWriter(store, known, events, clock.wallTime, observer.executor);
	const reconciler = createReconciler({
		lock,
		engine,
		store,
		known,
		writer,
		events,
		place,
		policy,
		podName,
		now,
		onTakenOver: observer.executor.takenOver,
		onAbandoned: observer.executor.abandoned,
	});
	const sync = new SyncCheck(clock, ['replicas']);
	const syncChanged = (what: string, inSync: boolean, reason: string) => {
		sync.changed(what, inSync, reason);
		observer.syncChanged(what, inSync, reason);
	};
	const presence = announcePresence({
		kube,
		namespace: options.podNamespace,
		podName,
		clock,
		backoff,
		replicas: turns,
		onSync: (inSync, reason) => syncChanged('replicas', inSync, reason),
	});
	const stopExplaining = explainUnlistedRuns({
		tryList: () => engine.tryList(),
		executions: () => known.executions.all(),
		writer,
		clock,
	});
	const watches = startWatches({
		kube,
		kinds: {
			executions: follow(
				{ path: executionsPath(namespace), resource: 'workflowexecutions', namespace },
				toExecution,
				known.executions,
			),
			runs: follow(
				{
					path: runsPath(executionNamespace),
					resource: 'pipelineruns',
					namespace: executionNamespace,
					labelSelector: `${EXECUTION_LABEL},${SOURCE_NAMESPACE_LABEL}=${namespace}`,
				},
				toRun,
				known.runs,
			),
		},
		backoff,
		clock,
		onListed() {
			stopExplaining();
			faults.listed('pipelineruns');
			queue.start(inTurns(reconciler, turns, now));
		},
		onHold: () => queue.hold(),
		// The sweeper: what is kept is looked at anew, and what the watches missed is listed. Runs and open executions are few,
		// and an execution that is over is a few fields.
		resync() {
			watches.relist();
			for (const target of known.targets()) queue.add(target);
		},
		onSync: syncChanged,
	});

	return {
		checks: [watches.check, () => sync.check(), presence.check, () => faults.check()],
		async stop() {
			lock.shutdown();
			stopExplaining();
			watches.stop();
			await queue.stop();
			await presence.stop();
			await events.settled();
		},
	};
}
