// A RemediationRequest as the orchestrator sees it: what routing decides by, without the payload that came with it.
// Finished ones keep only what their successors and their end need, because they are many.

import { isDeepStrictEqual } from 'node:util';
import type {
	RemediationRequest,
	RemediationRequestApproval,
	RemediationRequestBlockReason,
	RemediationRequestCondition,
	RemediationRequestPhase,
	RemediationRequestStatus,
} from '../generated/remediation-request.ts';
import { canonicalTarget, type TargetResource } from './canonical-target.ts';

export type Phase = RemediationRequestPhase;
export type BlockReason = RemediationRequestBlockReason;
export type Ref = { readonly name: string; readonly uid: string };

export type Signal = {
	readonly name: string;
	readonly severity: string;
	readonly type: string;
	readonly source: string;
	readonly fingerprint: string;
	readonly labels: Readonly<Record<string, string>>;
	readonly annotations: Readonly<Record<string, string>>;
};

export type Block = {
	readonly reason: BlockReason;
	readonly message: string;
	/** ISO; absent when it waits for something else than time. */
	readonly until?: string;
	readonly holder?: { readonly name: string; readonly uid?: string };
	readonly duplicateOf?: Ref;
	/** What people are asked to approve. */
	readonly digest?: string;
};

/** Fields of the status that decisions read: a write tests that they are still what they were. */
export const DECIDED_FROM = [
	'overallPhase',
	'blockReason',
	'blockMessage',
	'blockedUntil',
	'blockingWorkflowExecution',
	'duplicateOf',
	'approval',
	'workflowExecutionRef',
	'signalResolvedAt',
	'notificationRequestRefs',
] as const satisfies readonly (keyof RemediationRequestStatus)[];
export type DecidedFrom = Readonly<Pick<RemediationRequestStatus, (typeof DECIDED_FROM)[number]>>;

export type Remediation = {
	readonly name: string;
	readonly namespace: string;
	readonly uid: string;
	readonly resourceVersion: string;
	readonly generation: number;
	/** The version at its creation; absent when it was written to before it was seen. */
	readonly createdVersion: string | undefined;
	readonly createdAt: string;
	readonly deleting: boolean;
	readonly fingerprint: string;
	readonly chain: number;
	readonly successor: string | undefined;
	readonly target: string;
	readonly targetResource: TargetResource;
	/** The first pod that was seen of the target, when the signal named one. */
	readonly subject: TargetResource | undefined;
	readonly signal: Signal;
	/** False: labels and annotations of the signal were left out. Nothing may be decided from what is left. */
	readonly hasTexts: boolean;
	readonly firingTime: string;
	readonly receivedTime: string;
	readonly resolvedAt: string | undefined;
	/** Absent counts as Pending. */
	readonly phase: Phase | undefined;
	readonly block: Block | undefined;
	readonly blockedSince: string | undefined;
	/** Of a finished request: the failed execution that kept it from running, until it timed out. */
	readonly blockingExecution: Block['holder'];
	readonly duplicateOf: Ref | undefined;
	readonly approval: Readonly<RemediationRequestApproval> | undefined;
	readonly executionRef: Ref | undefined;
	readonly notifications: readonly Ref[];
	readonly outcome: string | undefined;
	readonly failureReason: string | undefined;
	readonly startTime: string | undefined;
	readonly completedAt: string | undefined;
	readonly conditions: readonly RemediationRequestCondition[];
	/** Of the lock under which it was last decided on. */
	readonly fencingToken: number | undefined;
	/** As it is stored. */
	readonly decidedFrom: DecidedFrom;
};

/** Every phase, and whether it is terminal. A phase that the CRD adds does not compile until it stands here. */
const IS_TERMINAL = {
	Pending: false,
	Executing: false,
	Blocked: false,
	Completed: true,
	Failed: true,
	TimedOut: true,
	Skipped: true,
	Cancelled: true,
} as const satisfies Readonly<Record<Phase, boolean>>;

export type TerminalPhase = { [P in Phase]: (typeof IS_TERMINAL)[P] extends true ? P : never }[Phase];

export function isTerminalPhase(phase: Phase): phase is TerminalPhase {
	return IS_TERMINAL[phase];
}

export function isTerminal({ phase }: { readonly phase?: Phase | undefined }): boolean {
	return phase !== undefined && isTerminalPhase(phase);
}

/** It stands for its incident, and something is still to be decided or to end. */
export function isActive(request: Pick<Remediation, 'phase' | 'deleting'>): boolean {
	return !isTerminal(request) && !request.deleting;
}

/** Every field, and whether decisions depend on a change of it. A new field does not compile until it stands here. */
const MATTERS: Readonly<Record<keyof Remediation, boolean>> = {
	name: true,
	namespace: false,
	uid: true,
	resourceVersion: false, // moves with every count of a gateway
	generation: false, // this, the creation and the spec never change
	createdVersion: false,
	createdAt: false,
	deleting: true,
	fingerprint: false,
	chain: false,
	successor: true,
	target: false,
	targetResource: false,
	subject: false,
	signal: false,
	hasTexts: false, // this replica's memory
	firingTime: false,
	receivedTime: false,
	resolvedAt: true,
	phase: true,
	block: true,
	blockedSince: true,
	blockingExecution: true,
	duplicateOf: true,
	approval: true,
	executionRef: true,
	notifications: true,
	outcome: true,
	failureReason: true,
	startTime: true,
	completedAt: true,
	conditions: true,
	fencingToken: false, // moves with every decision
	decidedFrom: true,
};
const FIELDS_THAT_MATTER = (Object.keys(MATTERS) as (keyof Remediation)[]).filter((field) => MATTERS[field]);

/** Nothing that decisions depend on differs. */
export function isSameToDecisions(a: Remediation, b: Remediation): boolean {
	return FIELDS_THAT_MATTER.every((field) => isDeepStrictEqual(a[field], b[field]));
}

/** Creation times have steps of a second; the uid settles equal ones, the same way in every replica. */
export function compareAge(
	a: Pick<Remediation, 'createdAt' | 'uid'>,
	b: Pick<Remediation, 'createdAt' | 'uid'>,
): number {
	if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? -1 : 1;
	return a.uid < b.uid ? -1 : a.uid > b.uid ? 1 : 0;
}

export const NO_TEXTS: Readonly<Record<string, string>> = {};

export function toRemediation({ metadata, spec, status }: RemediationRequest): Remediation {
	const terminal = isTerminal({ phase: status.overallPhase });
	return {
		name: metadata.name,
		namespace: metadata.namespace,
		uid: metadata.uid,
		resourceVersion: metadata.resourceVersion,
		generation: metadata.generation,
		createdVersion: isUnwritten(status) ? metadata.resourceVersion : undefined,
		createdAt: metadata.creationTimestamp,
		deleting: metadata.deletionTimestamp !== undefined,
		fingerprint: spec.signalFingerprint,
		chain: spec.chain,
		successor: status.successor?.name,
		target: canonicalTarget(spec.targetResource),
		targetResource: spec.targetResource,
		subject: spec.subject,
		signal: {
			name: spec.signalName,
			severity: spec.severity,
			type: spec.signalType,
			source: spec.signalSource,
			fingerprint: spec.signalFingerprint,
			labels: spec.signalLabels ?? NO_TEXTS,
			annotations: spec.signalAnnotations ?? NO_TEXTS,
		},
		hasTexts: true, // KnownRequests keeps them while the request is active
		firingTime: spec.firingTime,
		receivedTime: spec.receivedTime,
		resolvedAt: status.signalResolvedAt,
		phase: status.overallPhase,
		block: status.overallPhase === 'Blocked' ? blockOf(status) : undefined,
		blockedSince: status.blockedSince,
		blockingExecution: status.blockingWorkflowExecution,
		duplicateOf: status.duplicateOf,
		approval: status.approval,
		executionRef: status.workflowExecutionRef,
		notifications: status.notificationRequestRefs ?? [],
		outcome: status.outcome,
		failureReason: status.failureReason,
		startTime: status.startTime,
		completedAt: status.completedAt,
		conditions: terminal ? lastWords(status) : (status.conditions ?? []),
		fencingToken: status.fencing?.token,
		decidedFrom: Object.fromEntries(DECIDED_FROM.map((field) => [field, status[field]])),
	};
}

/** Neither decided on nor counted on nor resolved. */
function isUnwritten({ deduplication, alerts, ...rest }: RemediationRequest['status']): boolean {
	const { base, slots, lastSeenAt } = deduplication;
	const isEmpty = [rest, alerts, slots].every((fields) => Object.keys(fields).length === 0);
	return isEmpty && base === 0 && lastSeenAt === undefined;
}

/** Of the conditions of a finished request, what its notification says: the others say the same. */
function lastWords({ conditions = [], failureReason, completedAt }: RemediationRequest['status']) {
	if (completedAt === undefined) return conditions; // their times tell when it ended
	return failureReason === undefined ? conditions.slice(-1) : [];
}

function blockOf(status: RemediationRequest['status']): Block | undefined {
	if (status.blockReason === undefined) return undefined;
	return {
		reason: status.blockReason,
		message: status.blockMessage ?? '',
		...(status.blockedUntil === undefined ? {} : { until: status.blockedUntil }),
		...(status.blockingWorkflowExecution === undefined ? {} : { holder: status.blockingWorkflowExecution }),
		...(status.duplicateOf === undefined ? {} : { duplicateOf: status.duplicateOf }),
		...(status.approval?.digest === undefined ? {} : { digest: status.approval.digest }),
	};
}
