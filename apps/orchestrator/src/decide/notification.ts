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

/** The subject of every notification, by phase, by block reason, or by an outcome that is not notified as its phase is. */
export const NOTIFICATION_SUBJECTS = {
	Completed: 'Remediated',
	DryRun: 'Dry run',
	Failed: 'Remediation failed',
	TimedOut: 'Remediation timed out',
	NoWorkflow: 'No matching workflow',
	ConsecutiveFailures: 'Repeated failures',
	ConfigurationError: 'Configuration error',
	AwaitingApproval: 'Approval needed',
} as const satisfies Readonly<Partial<Record<Phase | BlockReason | Outcome, string>>>;

type Cause = keyof typeof NOTIFICATION_SUBJECTS;
type Kind = {
	/** Part of the name of the NotificationRequest. */
	readonly suffix: string;
	readonly type: NotificationRequestType;
	/** Absent: as urgent as the signal. */
	readonly priority?: NotificationRequestPriority;
};

const KINDS: Readonly<Record<Cause, Kind>> = {
	Completed: { suffix: 'completed', type: 'Completion', priority: 'Low' },
	DryRun: { suffix: 'dry-run', type: 'StatusUpdate', priority: 'Low' },
	Failed: { suffix: 'failed', type: 'Escalation' },
	TimedOut: { suffix: 'timed-out', type: 'Escalation' },
	NoWorkflow: { suffix: 'no-workflow', type: 'Escalation' },
	ConsecutiveFailures: { suffix: 'consecutive-failures', type: 'Escalation' },
	ConfigurationError: { suffix: 'configuration-error', type: 'ManualReview', priority: 'High' },
	AwaitingApproval: { suffix: 'awaiting-approval', type: 'ManualReview', priority: 'High' },
};

/** Undefined for a state that asks for no notification. */
function causeOf(request: Remediation): Cause | undefined {
	if (isTerminal(request) && request.duplicateOf !== undefined) return undefined;
	const state = request.block?.reason ?? (request.outcome === 'DryRun' ? 'DryRun' : request.phase);
	return isCause(state) ? state : undefined;
}

function isCause(state: string | undefined): state is Cause {
	return state !== undefined && Object.hasOwn(NOTIFICATION_SUBJECTS, state);
}

/** Also when its state asks for no notification. */
export function isNotified(request: Remediation): boolean {
	const cause = causeOf(request);
	return cause === undefined || request.notifications.some(({ name }) => name === nameOf(request, cause));
}

/** Since when the request is in a state that may ask for a notification. */
export function notifiableSince({ completedAt, blockedSince, startTime, createdAt }: Remediation): number {
	return Date.parse(completedAt ?? blockedSince ?? startTime ?? createdAt);
}

export function notificationOf(
	request: Remediation,
	channels: readonly NotificationRequestChannel[],
): NewNotificationRequest | undefined {
	const cause = causeOf(request);
	if (cause === undefined) return undefined;
	const { name, uid } = request;
	const { type, priority = urgency(request) } = KINDS[cause];
	const subject = `${NOTIFICATION_SUBJECTS[cause]}: ${request.signal.name} on ${request.target}`;
	return {
		apiVersion: 'kubernaut.ai/v1alpha1',
		kind: 'NotificationRequest',
		metadata: { name: nameOf(request, cause), ownerReferences: [ownerReference(request)] },
		spec: {
			remediationRequestRef: { name, uid },
			type,
			priority,
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
function nameOf({ name, uid }: Remediation, cause: Cause): string {
	return `${name}-${createHash('sha256').update(uid).digest('hex').slice(0, 8)}-${KINDS[cause].suffix}`;
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
