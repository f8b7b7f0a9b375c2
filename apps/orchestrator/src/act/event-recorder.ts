// Kubernetes Events: what `kubectl describe` shows under a request. Recorded by the replica whose write the API server
// accepted, so once for each decision. An Event that cannot be written is counted and dropped: nothing depends on it.
import { randomBytes } from 'node:crypto';
import { APP } from '../app.ts';
import { OUTCOMES, type Outcome } from '../decide/decision.ts';
import type { KubeClient } from '../kube/kube.ts';
import type { BlockReason, Remediation } from '../objects/remediation.ts';

export type EventReason = 'Executing' | BlockReason | Outcome;

/** Every reason of an Event, with what it means and what to do. */
export const EVENT_REASONS: Readonly<Record<EventReason, string>> = {
	Executing: 'A WorkflowExecution was created, or an existing one adopted.',
	Paused: 'The pause switch stops new remediations of the target. Edit or delete its ConfigMap to go on.',
	NoWorkflow: 'No RemediationWorkflow matches the signal. Create one, or repair the target by hand.',
	ConsecutiveFailures:
		'Several runs of the workflow on the target failed in a row. It is blocked there for a while; repair the target by hand.',
	DuplicateInProgress:
		'Another request asks for the very same run. When it succeeds, this one is done, too; when it fails, the oldest takes the next try.',
	ResourceBusy: 'A WorkflowExecution holds the target, or the executor skipped the one of this request.',
	RecentlyRemediated: 'The cooldown of the target is not over.',
	ExponentialBackoff: 'The last run of the workflow on the target failed. The next one waits.',
	ConfigurationError:
		'A parameter of the workflow cannot be filled, or the API server rejected the WorkflowExecution. Correct what the message names.',
	AwaitingApproval: 'The workflow is in mode Approval. The message says what would run, and which command answers.',
	...OUTCOMES,
};

export type EventRecorder = {
	record(about: Remediation, type: 'Normal' | 'Warning', reason: EventReason, message: string): void;
	/** When every recorded Event is written or dropped. */
	settled(): Promise<void>;
};

const MAX_MESSAGE_LENGTH = 1024;

export function createEventRecorder(
	kube: Pick<KubeClient, 'call'>,
	namespace: string,
	podName: string,
	now: () => Date,
	onFailure: (error: unknown) => void,
): EventRecorder {
	const underWay = new Set<Promise<void>>();

	async function write(about: Remediation, type: string, reason: string, message: string): Promise<void> {
		const time = now().toISOString();
		try {
			await kube.call({
				verb: 'create',
				path: `/api/v1/namespaces/${namespace}/events`,
				resource: 'events',
				namespace,
				body: {
					apiVersion: 'v1',
					kind: 'Event',
					metadata: { name: `${about.name}.${randomBytes(8).toString('hex')}`, namespace },
					involvedObject: {
						apiVersion: 'kubernaut.ai/v1alpha1',
						kind: 'RemediationRequest',
						name: about.name,
						namespace,
						uid: about.uid,
						resourceVersion: about.resourceVersion,
					},
					type,
					reason,
					message: message.slice(0, MAX_MESSAGE_LENGTH).toWellFormed(),
					source: { component: `kubernaut-${APP.name}` },
					reportingComponent: `kubernaut-${APP.name}`,
					reportingInstance: podName,
					firstTimestamp: time.replace(/\.\d{3}Z$/, 'Z'),
					lastTimestamp: time.replace(/\.\d{3}Z$/, 'Z'),
					eventTime: null,
					count: 1,
				},
			});
		} catch (error) {
			onFailure(error);
		}
	}

	return {
		record(about, type, reason, message) {
			const writing = write(about, type, reason, message).finally(() => underWay.delete(writing));
			underWay.add(writing);
		},
		async settled() {
			await Promise.all(underWay);
		},
	};
}
