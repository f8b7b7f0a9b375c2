// Which states of a request people are notified of: one NotificationRequest for each cause, with a name that every replica
// computes alike, so that each is made once. An end that was inherited is not notified: the original's was.
import { createHash } from 'node:crypto';
import type {
	NewNotificationRequest,
	NotificationRequestChannel,
	NotificationRequestPriority,
	NotificationRequestType,
} from '../generated/notification-request.ts';
import { NOTIFICATION_REQUEST_LIMITS as LIMITS } from '../generated/notification-request.ts';
import { type BlockReason, isTerminal, type Phase, type Remediation } from '../objects/remediation.ts';
import type { Outcome } from './decision.ts';

export type NotificationSubject = {
	/** Part of the name of the NotificationRequest. */
	readonly cause: string;
	readonly type: NotificationRequestType;
	/** Absent: as urgent as the signal. */
	readonly priority?: NotificationRequestPriority;
	/** In front of the signal and the target. */
	readonly subject: string;
	/** When it is sent, and what to do. */
	readonly meaning: string;
};

/** By phase, by block reason, or by an outcome that is not notified as its phase is. No other state is notified. */
export const NOTIFICATION_SUBJECTS: Readonly<Partial<Record<Phase | BlockReason | Outcome, NotificationSubject>>> = {
	Completed: {
		cause: 'completed',
		type: 'Completion',
		priority: 'Low',
		subject: 'Remediated',
		meaning: 'The workflow ran and succeeded. Nothing to do.',
	},
	DryRun: {
		cause: 'dry-run',
		type: 'StatusUpdate',
		priority: 'Low',
		subject: 'Dry run',
		meaning: 'The workflow is in mode DryRun: nothing ran. The body says what would have run.',
	},
	Failed: {
		cause: 'failed',
		type: 'Escalation',
		subject: 'Remediation failed',
		meaning: 'The workflow ran and failed, or its WorkflowExecution was deleted. Repair the target by hand.',
	},
	TimedOut: {
		cause: 'timed-out',
		type: 'Escalation',
		subject: 'Remediation timed out',
		meaning: 'Nothing could run before the deadline, or the run did not end in time. Repair the target by hand.',
	},
	NoWorkflow: {
		cause: 'no-workflow',
		type: 'Escalation',
		subject: 'No matching workflow',
		meaning: 'No RemediationWorkflow matches the signal. Create one, or repair the target by hand.',
	},
	ConsecutiveFailures: {
		cause: 'consecutive-failures',
		type: 'Escalation',
		subject: 'Repeated failures',
		meaning: 'Several runs on the target failed in a row, so it is blocked for a while. Repair the target by hand.',
	},
	ConfigurationError: {
		cause: 'configuration-error',
		type: 'ManualReview',
		priority: 'High',
		subject: 'Configuration error',
		meaning:
			'A parameter of the workflow cannot be filled from the signal, or the API server rejected the WorkflowExecution. Correct what the body names.',
	},
	AwaitingApproval: {
		cause: 'awaiting-approval',
		type: 'ManualReview',
		priority: 'High',
		subject: 'Approval needed',
		meaning: 'The workflow is in mode Approval. Create a RemediationApproval that approves or rejects the request.',
	},
};

function subjectOf(request: Remediation): NotificationSubject | undefined {
	if (isTerminal(request) && request.duplicateOf !== undefined) return undefined;
	const key = request.block?.reason ?? (request.outcome === 'DryRun' ? 'DryRun' : request.phase);
	return key === undefined ? undefined : NOTIFICATION_SUBJECTS[key];
}

/** Also when its state asks for no notification. */
export function isNotified(request: Remediation): boolean {
	const subject = subjectOf(request);
	return subject === undefined || request.notifications.some(({ name }) => name === nameOf(request, subject));
}

/** Since when the request is in a state that may ask for a notification. */
export function notifiableSince({ completedAt, conditions, createdAt }: Remediation): number {
	const changed = conditions.map(({ lastTransitionTime }) => Date.parse(lastTransitionTime));
	return completedAt === undefined ? Math.max(Date.parse(createdAt), ...changed) : Date.parse(completedAt);
}

export function notificationOf(
	request: Remediation,
	channels: readonly NotificationRequestChannel[],
): NewNotificationRequest | undefined {
	const about = subjectOf(request);
	if (about === undefined) return undefined;
	const { name, uid } = request;
	const subject = `${about.subject}: ${request.signal.name} on ${request.target}`;
	return {
		apiVersion: 'kubernaut.ai/v1alpha1',
		kind: 'NotificationRequest',
		metadata: { name: nameOf(request, about), ownerReferences: [ownerReference(request)] },
		spec: {
			remediationRequestRef: { name, uid },
			type: about.type,
			priority: about.priority ?? urgency(request),
			subject: subject.slice(0, LIMITS['spec.subject'].maxLength).toWellFormed(),
			body: bodyOf(request).slice(0, LIMITS['spec.body'].maxLength).toWellFormed(),
			channels: [...channels],
		},
	};
}

export function ownerReference({ name, uid }: Pick<Remediation, 'name' | 'uid'>) {
	return { apiVersion: 'kubernaut.ai/v1alpha1', kind: 'RemediationRequest', name, uid, controller: true };
}

/** A name may be used again when all of its chain was removed; a uid never is. */
function nameOf({ name, uid }: Remediation, { cause }: NotificationSubject): string {
	return `${name}-${createHash('sha256').update(uid).digest('hex').slice(0, 8)}-${cause}`;
}

function urgency({ signal }: Remediation): NotificationRequestPriority {
	if (signal.severity === 'critical') return 'Critical';
	return signal.severity === 'warning' || signal.severity === 'info' ? 'Medium' : 'High';
}

function bodyOf(request: Remediation): string {
	const { block, failureReason, outcome, conditions } = request;
	const why = block?.message ?? failureReason ?? conditions.at(-1)?.message ?? outcome ?? '';
	return [
		`Signal: ${request.signal.name} (severity ${request.signal.severity}, from ${request.signal.source})`,
		`Target: ${request.target}`,
		`State: ${request.phase}${block === undefined ? (outcome === undefined ? '' : `, ${outcome}`) : `, ${block.reason}`}`,
		`Why: ${why}`,
		`Firing since: ${request.firingTime}`,
		`More: kubectl describe remediationrequest ${request.name}`,
	].join('\n');
}
