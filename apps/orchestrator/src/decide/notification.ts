// Which states of a request people are notified of: one NotificationRequest for each cause, with a name that every replica
// computes alike, so that each is made once. A crowd is notified once: not the end of a duplicate, because its original's
// is, and of repeated failures the last failed execution, whatever the number of requests that it blocks.
import { createHash } from 'node:crypto';
import type {
	NewNotificationRequest,
	NotificationRequestChannel,
	NotificationRequestContext,
	NotificationRequestPriority,
	NotificationRequestType,
} from '../generated/notification-request.ts';
import { NOTIFICATION_REQUEST_LIMITS as LIMITS } from '../generated/notification-request.ts';
import type { OwnerReference } from '../generated/object-meta.ts';
import { type BlockReason, isTerminal, type Phase, type Remediation } from '../objects/remediation.ts';
import { describeApprover } from './approval.ts';
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
	Rejected: 'Remediation rejected',
} as const satisfies Readonly<Partial<Record<Phase | BlockReason | Outcome, string>>>;

type Cause = keyof typeof NOTIFICATION_SUBJECTS;
type Kind = {
	/** Part of the name of the NotificationRequest, and the cause in its context. */
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
	Rejected: { suffix: 'rejected', type: 'StatusUpdate', priority: 'Low' },
};
/** Outcomes that are notified by a cause of their own, not by their phase. */
const BY_OUTCOME: ReadonlySet<string> = new Set<Outcome>(['DryRun', 'Rejected']);

/** Undefined for a state that asks for no notification. */
function causeOf(request: Remediation): Cause | undefined {
	const { outcome, phase, duplicateOf, blockingExecution } = request;
	if (isTerminal(request) && (duplicateOf !== undefined || blockingExecution !== undefined)) return undefined;
	const state = request.block?.reason ?? (outcome !== undefined && BY_OUTCOME.has(outcome) ? outcome : phase);
	return isCause(state) ? state : undefined;
}

function isCause(state: string | undefined): state is Cause {
	return state !== undefined && Object.hasOwn(NOTIFICATION_SUBJECTS, state);
}

/** Also when its state asks for no notification, or when one of the others was notified of the same. */
export function isNotified(request: Remediation, others: readonly Remediation[] = []): boolean {
	const cause = causeOf(request);
	if (cause === undefined) return true;
	const notification = nameOf(request, cause);
	return [request, ...others].some(({ notifications }) => notifications.some(({ name }) => name === notification));
}

/** Since when the request is in a state that may ask for a notification. */
export function notifiableSince({ completedAt, blockedSince, startTime, createdAt }: Remediation): number {
	return Date.parse(completedAt ?? blockedSince ?? startTime ?? createdAt);
}

/** What a request alone does not say. */
export type NotificationDetails = {
	/** Absent: the routing of the notification service decides. */
	readonly channels?: readonly NotificationRequestChannel[] | undefined;
	readonly workflow?: string | undefined;
};

export function notificationOf(
	request: Remediation,
	{ channels, workflow }: NotificationDetails = {},
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
			subject: printable(subject).slice(0, LIMITS['spec.subject'].maxLength).toWellFormed(),
			body: printable(bodyOf(request)).slice(0, LIMITS['spec.body'].maxLength).toWellFormed(),
			context: contextOf(request, cause, workflow),
			...(channels === undefined ? {} : { channels: [...channels] }),
		},
	};
}

export function ownerReference({ name, uid }: Pick<Remediation, 'name' | 'uid'>): OwnerReference {
	return { apiVersion: 'kubernaut.ai/v1alpha1', kind: 'RemediationRequest', name, uid, controller: true };
}

function contextOf(request: Remediation, cause: Cause, workflow: string | undefined): NotificationRequestContext {
	const { signal, block, executionRef, blockingExecution } = request;
	const execution = (executionRef ?? block?.holder ?? blockingExecution)?.name;
	const outcome = block?.reason ?? request.outcome ?? request.phase;
	const detail = detailOf(request, cause);
	return {
		cause: KINDS[cause].suffix,
		...(detail === undefined ? {} : { causeDigest: shortHash(detail) }),
		signalName: signal.name,
		severity: signal.severity,
		...(FINGERPRINT.test(request.fingerprint) ? { signalFingerprint: request.fingerprint } : {}),
		firingTime: request.firingTime,
		chain: request.chain,
		targetResource: request.target,
		...(workflow === undefined ? {} : { workflow }),
		...(execution === undefined ? {} : { execution }),
		...(outcome === undefined ? {} : { outcome }),
		labels: fitting(signal.labels),
	};
}

const FINGERPRINT = /^[0-9a-f]{64}$/;
const { maxProperties: MAX_LABELS } = LIMITS['spec.context.labels'];
const { maxLength: MAX_LABEL_LENGTH } = LIMITS['spec.context.labels.*'];

/** The schema of a message is narrower than that of a signal. */
function fitting(labels: Readonly<Record<string, string>>): Record<string, string> {
	const cut = Object.entries(labels)
		.slice(0, MAX_LABELS)
		.map(([name, value]) => [name, printable(value).slice(0, MAX_LABEL_LENGTH).toWellFormed()]);
	return Object.fromEntries(cut) as Record<string, string>;
}

/** Texts of a signal may hold anything; control characters change how a terminal or a mail shows the rest. */
function printable(text: string): string {
	return text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (found) => (found === '\n' || found === '\t' ? found : ' '));
}

/** A name of a request may be used again when all of its chain was removed; a uid never is. */
function nameOf(request: Remediation, cause: Cause): string {
	const holder = request.block?.holder;
	const { suffix } = KINDS[cause];
	if (cause === 'ConsecutiveFailures' && holder?.uid !== undefined)
		return `${holder.name}-${shortHash(holder.uid)}-${suffix}`;
	return `${request.name}-${shortHash(request.uid + (detailOf(request, cause) ?? ''))}-${suffix}`;
}

/** Another error, another question and another failed execution are other causes. Nothing in it is of one cluster alone. */
function detailOf({ block }: Remediation, cause: Cause): string | undefined {
	if (cause === 'ConfigurationError') return withoutNumbers(block?.message ?? '');
	if (cause === 'AwaitingApproval') return block?.digest;
	return cause === 'ConsecutiveFailures' ? block?.holder?.name : undefined;
}

/** The API server names the object and counts in its messages: each try would be another error. */
function withoutNumbers(message: string): string {
	return message.replace(/[0-9a-f]{8,}|\d+/g, '#');
}

function shortHash(text: string): string {
	return createHash('sha256').update(text).digest('hex').slice(0, 8);
}

function urgency({ signal }: Remediation): NotificationRequestPriority {
	if (signal.severity === 'critical') return 'Critical';
	return signal.severity === 'warning' || signal.severity === 'info' ? 'Medium' : 'High';
}

function bodyOf(request: Remediation): string {
	const { block, failureReason, outcome, conditions, approval } = request;
	const why = block?.message ?? failureReason ?? conditions.at(-1)?.message ?? outcome ?? '';
	return [
		`Signal: ${request.signal.name} (severity ${request.signal.severity}, from ${request.signal.source})`,
		`Target: ${request.target}`,
		`State: ${request.phase}${block === undefined ? (outcome === undefined ? '' : `, ${outcome}`) : `, ${block.reason}`}`,
		`Why: ${why}`,
		...(approval?.decision === 'Approved' ? [`Approved by: ${describeApprover(approval)}`] : []),
		`Firing since: ${request.firingTime}`,
		`More: kubectl describe remediationrequest ${request.name}`,
	].join('\n');
}
