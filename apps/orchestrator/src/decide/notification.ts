// Whom a request's state concerns: one NotificationRequest for each cause, with a name that every replica computes
// alike, so that each is made once. What a request inherited from another was told by that one.
import { createHash } from 'node:crypto';
import type {
	NewNotificationRequest,
	NotificationRequestChannel,
	NotificationRequestPriority,
} from '../generated/notification-request.ts';
import { NOTIFICATION_REQUEST_LIMITS as LIMITS } from '../generated/notification-request.ts';
import { isTerminal, type Remediation } from '../objects/remediation.ts';

type Told = {
	/** Part of the name. */
	readonly cause: string;
	readonly type: NewNotificationRequest['spec']['type'];
	/** Absent: as urgent as the signal. */
	readonly priority?: NotificationRequestPriority;
	/** In front of what it is about. */
	readonly words: string;
};

/** By phase, by the reason of a block, or by an outcome that is told otherwise. What is not here is told to nobody. */
const TOLD: Readonly<Record<string, Told>> = {
	Completed: { cause: 'completed', type: 'Completion', priority: 'Low', words: 'Remediated' },
	DryRun: { cause: 'dry-run', type: 'StatusUpdate', priority: 'Low', words: 'Dry run' },
	Failed: { cause: 'failed', type: 'Escalation', words: 'Failed' },
	TimedOut: { cause: 'timed-out', type: 'Escalation', words: 'Timed out' },
	NoWorkflow: { cause: 'no-workflow', type: 'Escalation', words: 'Nobody knows what to do' },
	ConsecutiveFailures: { cause: 'consecutive-failures', type: 'Escalation', words: 'Fails again and again' },
	ConfigurationError: {
		cause: 'configuration-error',
		type: 'ManualReview',
		priority: 'High',
		words: 'The workflow does not fit the signal',
	},
	AwaitingApproval: { cause: 'awaiting-approval', type: 'ManualReview', priority: 'High', words: 'Waits for approval' },
};

function toTell(request: Remediation): Told | undefined {
	if (isTerminal(request) && request.duplicateOf !== undefined) return undefined;
	const key = request.block?.reason ?? (request.outcome === 'DryRun' ? 'DryRun' : request.phase);
	return key === undefined ? undefined : TOLD[key];
}

export function isTold(request: Remediation): boolean {
	const told = toTell(request);
	return told === undefined || request.notifications.some(({ name }) => name === nameOf(request, told));
}

/** Since when there is something to tell. */
export function toldSince({ completedAt, conditions, createdAt }: Remediation): number {
	const changed = conditions.map(({ lastTransitionTime }) => Date.parse(lastTransitionTime));
	return completedAt === undefined ? Math.max(Date.parse(createdAt), ...changed) : Date.parse(completedAt);
}

export function notificationOf(
	request: Remediation,
	channels: readonly NotificationRequestChannel[],
): NewNotificationRequest | undefined {
	const told = toTell(request);
	if (told === undefined) return undefined;
	const { name, uid } = request;
	const subject = `${told.words}: ${request.signal.name} on ${request.target}`;
	return {
		apiVersion: 'kubernaut.ai/v1alpha1',
		kind: 'NotificationRequest',
		metadata: { name: nameOf(request, told), ownerReferences: [ownerReference(request)] },
		spec: {
			remediationRequestRef: { name, uid },
			type: told.type,
			priority: told.priority ?? urgency(request),
			subject: subject.slice(0, LIMITS['spec.subject'].maxLength).toWellFormed(),
			body: bodyOf(request).slice(0, LIMITS['spec.body'].maxLength).toWellFormed(),
			channels: [...channels],
		},
	};
}

export function ownerReference({ name, uid }: Pick<Remediation, 'name' | 'uid'>) {
	return { apiVersion: 'kubernaut.ai/v1alpha1', kind: 'RemediationRequest', name, uid, controller: true };
}

/** A name may come again when all of its chain was removed; a uid never does. */
function nameOf({ name, uid }: Remediation, { cause }: Told): string {
	return `${name}-${createHash('sha256').update(uid).digest('hex').slice(0, 8)}-${cause}`;
}

function urgency({ signal }: Remediation): NotificationRequestPriority {
	if (signal.severity === 'critical') return 'Critical';
	return signal.severity === 'warning' || signal.severity === 'info' ? 'Medium' : 'High';
}

function bodyOf(request: Remediation): string {
	const { block, failureReason, outcome, conditions } = request;
	const words = block?.message ?? failureReason ?? conditions.at(-1)?.message ?? outcome ?? '';
	return [
		`Signal: ${request.signal.name} (severity ${request.signal.severity}, from ${request.signal.source})`,
		`Target: ${request.target}`,
		`State: ${request.phase}${block === undefined ? (outcome === undefined ? '' : `, ${outcome}`) : `, ${block.reason}`}`,
		`Why: ${words}`,
		`Fires since: ${request.firingTime}`,
		`More: kubectl describe remediationrequest ${request.name}`,
	].join('\n');
}
