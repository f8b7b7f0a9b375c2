// Kubernetes Events: what `kubectl describe` shows under a request or the pause switch. About a request it is recorded by the
// replica whose write the API server accepted, so once for each decision; about the switch every replica records it under
// the same name, and the API server keeps one. An Event that cannot be written is counted and dropped: nothing depends on it.
import { createHash, randomBytes } from 'node:crypto';
import { APP } from '../app.ts';
import { OUTCOMES, type Outcome } from '../decide/decision.ts';
import { answered } from '../kube/answered.ts';
import type { KubeClient } from '../kube/kube.ts';
import type { PauseChange } from '../objects/known-pause.ts';
import type { BlockReason, Remediation } from '../objects/remediation.ts';

export type EventReason = 'Executing' | 'Resumed' | BlockReason | Outcome;

/** Every reason of an Event, with what it means and what to do. */
export const EVENT_REASONS: Readonly<Record<EventReason, string>> = {
	Executing: 'A WorkflowExecution was created, or an existing one adopted.',
	Paused:
		'The pause switch stops new remediations of the target, or of what the ConfigMap names. Edit or delete its ConfigMap to go on.',
	Resumed: 'The pause switch stops nothing any more.',
	NoWorkflow: 'No RemediationWorkflow matches the signal. Create one, or repair the target by hand.',
	ConsecutiveFailures: 'Several runs on the target failed in a row. It is blocked for a while; repair it by hand.',
	DuplicateInProgress: 'Another request asks for the same workflow on the target. This one ends as that one does.',
	ResourceBusy: 'A WorkflowExecution holds the target, or the executor skipped the one of this request.',
	RecentlyRemediated: 'The cooldown of the target is not over.',
	ExponentialBackoff: 'The last run on the target failed. The next one waits.',
	ConfigurationError:
		'A parameter of the workflow cannot be filled, or the API server did not store the WorkflowExecution. Correct what the message names.',
	AwaitingApproval: 'The workflow is in mode Approval. Create a RemediationApproval for the request.',
	...OUTCOMES,
};

export type EventRecorder = {
	record(about: Remediation, type: 'Normal' | 'Warning', reason: EventReason, message: string): void;
	/** On the ConfigMap of the pause switch. */
	recordPause(change: PauseChange): void;
	/** When every recorded Event is written or dropped. */
	settled(): Promise<void>;
};

const MAX_MESSAGE_LENGTH = 1024;

type Subject = {
	readonly apiVersion: string;
	readonly kind: string;
	readonly name: string;
	readonly uid: string;
	readonly resourceVersion: string;
};

export function createEventRecorder(
	kube: Pick<KubeClient, 'call'>,
	namespace: string,
	podName: string,
	now: () => Date,
	onFailure: (error: unknown) => void,
): EventRecorder {
	const underWay = new Set<Promise<void>>();

	async function write(about: Subject, name: string, type: string, reason: string, message: string): Promise<void> {
		const time = now().toISOString();
		try {
			const call = kube.call({
				verb: 'create',
				path: `/api/v1/namespaces/${namespace}/events`,
				resource: 'events',
				namespace,
				body: {
					apiVersion: 'v1',
					kind: 'Event',
					metadata: { name: `${about.name}.${name}`, namespace },
					involvedObject: { ...about, namespace },
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
			await answered(call, { KUBE_ALREADY_EXISTS: undefined }); // another replica was first
		} catch (error) {
			onFailure(error);
		}
	}

	function start(...event: Parameters<typeof write>): void {
		const writing = write(...event).finally(() => underWay.delete(writing));
		underWay.add(writing);
	}

	return {
		record({ name, uid, resourceVersion }, type, reason, message) {
			const about = { apiVersion: 'kubernaut.ai/v1alpha1', kind: 'RemediationRequest', name, uid, resourceVersion };
			start(about, randomBytes(8).toString('hex'), type, reason, message);
		},
		recordPause({ configMap: { metadata }, pause, isDeleted }) {
			const { name = '', uid = '', resourceVersion = '' } = metadata;
			const about = { apiVersion: 'v1', kind: 'ConfigMap', name, uid, resourceVersion };
			const version = createHash('sha256')
				.update(`${uid} ${isDeleted ? 'deleted' : resourceVersion}`)
				.digest('hex');
			const isOn = pause.scope !== 'nothing';
			start(about, version.slice(0, 16), isOn ? 'Warning' : 'Normal', isOn ? 'Paused' : 'Resumed', pause.description);
		},
		async settled() {
			await Promise.all(underWay);
		},
	};
}
