// Puts the orchestrator together: queue, lock, known objects, decisions, writers, watches.
import { createBackoff } from '@kubernaut/backoff';
import { createBreather } from './act/breather.ts';
import { choosingAhead } from './act/choosing-ahead.ts';
import { createEventRecorder } from './act/event-recorder.ts';
import { FailedCreates } from './act/failed-creates.ts';
import { createTextReader } from './act/missing-texts.ts';
import { createReconciler, type DecisionObserver, type ReconcilerConfig } from './act/reconciler.ts';
import { createRequestWriter } from './act/request-writer.ts';
import { countingWriter, type WorkflowObserver } from './act/workflow/workflow-counts.ts';
import { createWorkflowStatus } from './act/workflow/workflow-status.ts';
import { announcePresence } from './controller/replica-presence.ts';
import { ReplicaTurns } from './controller/replica-turns.ts';
import { SyncCheck } from './controller/sync-check.ts';
import { takeTurns } from './controller/take-turns.ts';
import { type FollowedKind, follow, startWatches } from './controller/watches.ts';
import { type QueueObserver, WorkQueue } from './controller/work-queue.ts';
import { type LockObserver, startDistributedLock } from './distributed-lock.ts';
import type { NotificationRequestChannel } from './generated/notification-request.ts';
import type { RemediationRequest } from './generated/remediation-request.ts';
import type { KubeClient } from './kube/kube.ts';
import { toApproval } from './objects/approval.ts';
import { toExecution } from './objects/execution.ts';
import { KnownObjects } from './objects/known-objects.ts';
import type { PauseChange } from './objects/known-pause.ts';
import { createObjectStore, resourcePath } from './objects/object-store.ts';
import { type ConfigMap, createPauseReader } from './objects/pause-switch.ts';
import { toWorkflow } from './objects/workflow.ts';
import type { Clock } from './process/clock.ts';
import type { Check } from './process/health-server.ts';

export type OrchestratorObserver = {
	readonly lock: LockObserver;
	readonly queue: QueueObserver;
	readonly decisions: DecisionObserver;
	readonly workflows: WorkflowObserver;
	/** A cache is in sync with the API server, or not. */
	syncChanged(what: string, inSync: boolean, reason: string): void;
	pauseChanged(change: PauseChange): void;
};
export type OrchestratorOptions = {
	readonly kube: KubeClient;
	/** Its wall time is the API server's. */
	readonly clock: Clock;
	readonly podName: string;
	readonly lockNamespace: string;
	readonly namespace: string;
	readonly leaseDurationMs: number;
	readonly requestTimeoutMs: number;
	readonly turnMs: number;
	readonly concurrency: number;
	readonly pauseConfigMap: string;
	/** Absent: the routing of the notification service decides. */
	readonly channels: readonly NotificationRequestChannel[] | undefined;
	readonly decisions: ReconcilerConfig;
	readonly observer: OrchestratorObserver;
};
export type Orchestrator = { readonly checks: readonly (() => Check)[]; stop(graceMs: number): Promise<void> };

export function startOrchestrator(options: OrchestratorOptions): Orchestrator {
	const { kube, clock, podName, namespace, lockNamespace, observer } = options;
	const now = () => clock.wallTime();
	const stopping = new AbortController();
	const backoff = createBackoff({ basePeriodMs: 100, maxPeriodMs: 5000 });

	const turns = new ReplicaTurns(podName, options.turnMs, clock.now);
	const queue = new WorkQueue({
		concurrency: options.concurrency,
		waitMs: (target) => turns.waitMs(target),
		backoff: createBackoff({ basePeriodMs: 200, maxPeriodMs: 10_000 }),
		clock,
		observer: observer.queue,
	});
	const sync = new SyncCheck(clock, ['leases', 'replicas']);
	const syncChanged = (what: string, inSync: boolean, reason: string) => {
		sync.changed(what, inSync, reason);
		observer.syncChanged(what, inSync, reason);
	};
	const { lock, stop: stopLock } = startDistributedLock({
		kube,
		clock,
		podName,
		namespace: lockNamespace,
		leaseDurationMs: options.leaseDurationMs,
		requestTimeoutMs: options.requestTimeoutMs,
		observer: observer.lock,
		backoff,
		onSync: (inSync, reason) => syncChanged('leases', inSync, reason),
		onSeenAtWork: (pod) => turns.active(pod),
	});
	const presence = announcePresence({
		kube,
		namespace: lockNamespace,
		podName,
		clock,
		backoff,
		replicas: turns,
		onSync: (inSync, reason) => syncChanged('replicas', inSync, reason),
	});

	const workflowQueue = new WorkQueue({
		concurrency: 1,
		waitMs: (name) => turns.waitMs(`workflow ${name}`),
		backoff: createBackoff({ basePeriodMs: 1000, maxPeriodMs: 300_000 }),
		clock,
		observer: {
			depth() {},
			started() {},
			finished() {},
			failed: (name, error, retryInMs) => observer.workflows.workflowStatusFailed(name, error, retryInMs),
		},
	});
	const breathe = createBreather(clock.now);
	const store = createObjectStore(kube, namespace);
	const events = createEventRecorder(kube, namespace, podName, now, (error) => observer.decisions.eventFailed(error));
	const known = new KnownObjects(
		(target) => queue.add(target),
		undefined,
		(change) => {
			events.recordPause(change);
			observer.pauseChanged(change);
		},
		(name) => {
			if (known.workflows.get(name) === undefined) observer.workflows.workflowRemoved(name);
			else observer.workflows.workflowKnown(name);
			workflowQueue.add(name);
		},
	);
	const failedCreates = new FailedCreates(
		clock,
		(uid) => known.requests.by('uid', uid)[0],
		(reason) => observer.decisions.createFailed(reason),
	);
	const reconcile = createReconciler({
		lock,
		store,
		known,
		texts: choosingAhead(createTextReader(store, known), breathe),
		breathe,
		writer: countingWriter(
			createRequestWriter(store, known, events, options.channels, observer.decisions, clock),
			known,
			observer.workflows,
		),
		failedCreates,
		readPause: createPauseReader(kube, namespace, options.pauseConfigMap),
		config: options.decisions,
		now,
		observer: observer.decisions,
		requeueOnRelease: (target) => void lock.whenWorthAnotherTry(target, stopping.signal).then(() => queue.add(target)),
	});
	const watches = startWatches({
		kube,
		kinds: kindsOf(known, namespace, options.pauseConfigMap),
		backoff,
		clock,
		onListed() {
			queue.start(takeTurns(reconcile, turns));
			workflowQueue.start(createWorkflowStatus(store, known.workflows, now));
		},
		onHold() {
			queue.hold();
			workflowQueue.hold();
		},
		resync() {
			for (const { target } of known.requests.all()) queue.add(target);
		},
		onSync: syncChanged,
	});

	return {
		checks: [watches.check, () => sync.check(), presence.check, () => failedCreates.check()],
		async stop(graceMs) {
			stopping.abort();
			watches.stop();
			const idle = Promise.all([queue.stop(), workflowQueue.stop()]);
			await Promise.all([stopLock(graceMs), presence.stop()]);
			await idle;
			await events.settled();
		},
	};
}

function kindsOf(known: KnownObjects, namespace: string, pauseConfigMap: string): Record<string, FollowedKind> {
	const ofKubernaut = (plural: string) => ({ path: resourcePath(namespace, plural), resource: plural, namespace });
	const theConfigMap = {
		path: `/api/v1/namespaces/${namespace}/configmaps`,
		resource: 'configmaps',
		namespace,
		fieldSelector: `metadata.name=${pauseConfigMap}`,
	};
	return {
		requests: follow(
			ofKubernaut('remediationrequests'),
			(request: RemediationRequest) => known.requests.project(request),
			known.requests,
		),
		executions: follow(ofKubernaut('workflowexecutions'), toExecution, known.executions),
		workflows: follow(ofKubernaut('remediationworkflows'), toWorkflow, known.workflows),
		approvals: follow(ofKubernaut('remediationapprovals'), toApproval, known.approvals),
		pause: follow(theConfigMap, (configMap: ConfigMap) => configMap, known.pause),
	};
}
