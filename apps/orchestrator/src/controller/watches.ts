// Watches, and brings every target that may need something to the reconciler.
// All replicas see the same events and take turns (replica-turns.ts).
import type { Backoff } from '@kubernaut/backoff';
import { toWorkflow } from '../decide/workflow-match.ts';
import type { RemediationApproval } from '../generated/remediation-approval.ts';
import type { RemediationRequest } from '../generated/remediation-request.ts';
import type { RemediationWorkflow } from '../generated/remediation-workflow.ts';
import type { WorkflowExecution } from '../generated/workflow-execution.ts';
import type { KubeClient } from '../kube/kube.ts';
import { type ListWatch, type ListWatchTarget, startListWatch } from '../kube/list-watch.ts';
import type { ObjectCache, Versioned } from '../kube/object-cache.ts';
import { toExecution } from '../objects/execution.ts';
import { type KnownObjects, toApproval } from '../objects/known-objects.ts';
import { resourcePath } from '../objects/object-store.ts';
import { type ConfigMap, NOT_PAUSED, readPauseSwitch } from '../objects/pause-switch.ts';
import { toRemediation } from '../objects/remediation.ts';
import type { Check } from '../process/health-server.ts';
import type { ReplicaTurns } from './replica-turns.ts';
import type { QueueClock, WorkQueue } from './work-queue.ts';

export const FOLLOWED = ['requests', 'executions', 'workflows', 'approvals', 'pause'] as const;
export type Followed = (typeof FOLLOWED)[number];

export type ControllerOptions = {
	readonly kube: KubeClient;
	readonly namespace: string;
	readonly turns: Pick<ReplicaTurns, 'waitMs'>;
	readonly pauseConfigMap: string;
	readonly backoff: Backoff;
	readonly clock: Pick<QueueClock, 'setTimer'>;
	readonly onSync: (what: Followed, inSync: boolean, reason: string) => void;
};
export type Controller = {
	/** For readiness: everything was listed once. */
	check(): Check;
	/** This target may need a look, when it is our turn. */
	concern(target: string): void;
	stop(): void;
};

/** Everything is looked at again so often, whatever the watches told: what was overlooked is not overlooked for long. */
const RESYNC_MS = 600_000;

/** `queue` is given late, because its work needs what is known, and what is known tells of concerns. */
export function startController(known: KnownObjects, queue: () => WorkQueue, options: ControllerOptions): Controller {
	const { kube, namespace, turns } = options;
	const waitingFor = new Set<Followed>(FOLLOWED);
	let cancelResync = () => {};

	/** Nothing is decided from a view that is known to have holes. */
	function listed(what: Followed): void {
		if (!waitingFor.delete(what) || waitingFor.size > 0) return;
		concernAll();
	}
	function concernAll(): void {
		for (const { target } of known.requests.all()) concern(target);
		cancelResync();
		cancelResync = options.clock.setTimer(concernAll, RESYNC_MS);
	}
	function concern(target: string): void {
		if (waitingFor.size === 0) queue().addAfter(target, turns.waitMs(target));
	}
	function follow<T extends Versioned>(
		what: Exclude<Followed, 'pause'>,
		plural: string,
		cache: ObjectCache<T>,
		project: (object: unknown) => T,
	): ListWatch {
		const target = { path: resourcePath(namespace, plural), resource: plural, namespace };
		return startListWatch(
			kube,
			target,
			project,
			{
				replaced(items, resourceVersion) {
					cache.replaceAll(items, resourceVersion);
					listed(what);
				},
				changed: (item) => cache.changed(item),
				removed: (item) => cache.removed(item),
				syncChanged: (inSync, reason) => options.onSync(what, inSync, reason),
			},
			{ backoff: options.backoff },
		);
	}
	function followPause(): ListWatch {
		const target: ListWatchTarget = {
			path: `/api/v1/namespaces/${namespace}/configmaps`,
			resource: 'configmaps',
			namespace,
			fieldSelector: `metadata.name=${options.pauseConfigMap}`,
		};
		return startListWatch(
			kube,
			target,
			(object) => object as ConfigMap,
			{
				replaced([configMap]) {
					known.pause = configMap === undefined ? NOT_PAUSED : readPauseSwitch(configMap);
					listed('pause');
				},
				changed: (configMap) => (known.pause = readPauseSwitch(configMap)),
				removed: () => (known.pause = NOT_PAUSED),
				syncChanged: (inSync, reason) => options.onSync('pause', inSync, reason),
			},
			{ backoff: options.backoff },
		);
	}
	const watches = [
		follow('requests', 'remediationrequests', known.requests, (object) => toRemediation(object as RemediationRequest)),
		follow('executions', 'workflowexecutions', known.executions, (object) => toExecution(object as WorkflowExecution)),
		follow('workflows', 'remediationworkflows', known.workflows, (object) => toWorkflow(object as RemediationWorkflow)),
		follow('approvals', 'remediationapprovals', known.approvals, (object) => toApproval(object as RemediationApproval)),
		followPause(),
	];

	return {
		check: () => ({
			name: 'caches',
			ok: waitingFor.size === 0,
			message:
				waitingFor.size === 0 ? `${known.requests.size} requests` : `not listed yet: ${[...waitingFor].join(', ')}`,
		}),
		concern,
		stop() {
			cancelResync();
			for (const watch of watches) watch.stop();
		},
	};
}
