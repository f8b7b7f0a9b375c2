// Kubernetes Events: what `kubectl describe` shows under an execution. Recorded by the replica whose write the API server
// accepted, so once for each step. An Event that cannot be written is counted and dropped: nothing depends on it.
import { randomBytes } from 'node:crypto';
import { APP } from '../app.ts';
import type { WaitReason } from '../decide/create-refusal.ts';
import { WAIT_REASONS } from '../decide/create-refusal.ts';
import type { WorkflowExecutionFailureReason, WorkflowExecutionSkipReason } from '../generated/workflow-execution.ts';
import type { KubeClient } from '../kube/kube.ts';
import type { Execution } from '../objects/execution.ts';

export type EventReason =
	| 'Started'
	| 'Completed'
	| 'LockReleased'
	| 'LockAbandoned'
	| WaitReason
	| WorkflowExecutionFailureReason
	| WorkflowExecutionSkipReason;

/** Every reason of an Event, with what it means and what to do. */
export const EVENT_REASONS: Readonly<Record<EventReason, string>> = {
	Started: 'The PipelineRun has the lock of the target, and was started.',
	Completed: 'The run succeeded. The target stays locked until its cooldown is over.',
	LockReleased: 'The PipelineRun and everything of it is gone: the target is free.',
	LockAbandoned:
		'Pods of the run did not end for run.orphan_after, and the target was given free without them. Look for pods on nodes that cannot be reached.',
	...WAIT_REASONS,
	ResourceBusy: 'Another WorkflowExecution, or a PipelineRun that is not ours, has the target.',
	RecentlyRemediated: 'The cooldown of the target is not over.',
	Withdrawn: 'The orchestrator withdrew it before it began.',
	OOMKilled: 'A step, a sidecar or an init container ran out of memory. Raise its limit.',
	DeadlineExceeded: 'The run did not end within the time-out of the workflow, counted from the creation.',
	Forbidden: 'The run or a pod of it was not admitted. The message names the policy.',
	ResourceExhausted: 'The run did not get the resources that it needs: a quota, a node, or an eviction.',
	ConfigurationError: 'The run cannot be made as it is configured. Correct what the message names.',
	ImagePullBackOff: 'An image cannot be pulled. Check its name, and the pull secrets of the ServiceAccount.',
	TaskFailed: 'A step of the pipeline failed. The status names task, step and exit code.',
	ExternallyDeleted: 'The PipelineRun was deleted before it ended.',
	Cancelled: 'The run was cancelled, or the WorkflowExecution was deleted while it ran.',
	Unknown: 'The run ended for a reason that is not known. The status has the words of Tekton.',
};

export type EventRecorder = {
	record(about: Pick<Execution, 'name' | 'uid' | 'resourceVersion'>, reason: EventReason, message: string): void;
	/** When every recorded Event is written or dropped. */
	settled(): Promise<void>;
};

const NORMAL: readonly EventReason[] = ['Started', 'Completed', 'LockReleased', 'RecentlyRemediated', 'ResourceBusy'];
const MAX_MESSAGE_LENGTH = 1024;

export function createEventRecorder(
	kube: Pick<KubeClient, 'call'>,
	namespace: string,
	podName: string,
	now: () => Date,
	onFailure: (error: unknown) => void,
): EventRecorder {
	const underWay = new Set<Promise<void>>();

	async function write(
		{ name, uid, resourceVersion }: Pick<Execution, 'name' | 'uid' | 'resourceVersion'>,
		reason: EventReason,
		message: string,
	): Promise<void> {
		const time = now()
			.toISOString()
			.replace(/\.\d{3}Z$/, 'Z');
		const component = `kubernaut-${APP.name}`;
		try {
			await kube.call({
				verb: 'create',
				path: `/api/v1/namespaces/${namespace}/events`,
				resource: 'events',
				namespace,
				body: {
					apiVersion: 'v1',
					kind: 'Event',
					metadata: { name: `${name}.${randomBytes(8).toString('hex')}`, namespace },
					involvedObject: {
						apiVersion: 'kubernaut.ai/v1alpha1',
						kind: 'WorkflowExecution',
						name,
						namespace,
						uid,
						resourceVersion,
					},
					type: NORMAL.includes(reason) ? 'Normal' : 'Warning',
					reason,
					message: message.slice(0, MAX_MESSAGE_LENGTH).toWellFormed(),
					source: { component },
					reportingComponent: component,
					reportingInstance: podName,
					firstTimestamp: time,
					lastTimestamp: time,
					eventTime: null,
					count: 1,
				},
			});
		} catch (error) {
			onFailure(error);
		}
	}

	return {
		record(about, reason, message) {
			const writing = write(about, reason, message).finally(() => underWay.delete(writing));
			underWay.add(writing);
		},
		async settled() {
			await Promise.all(underWay);
		},
	};
}
