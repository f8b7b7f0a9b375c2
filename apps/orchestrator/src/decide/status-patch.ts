// What is written into a request's status for each decision: only fields that are the orchestrator's, with conditions
// that tell the same in words. `null` removes a field.

import type { RemediationRequestCondition } from '../generated/remediation-request.ts';
import { REMEDIATION_REQUEST_LIMITS as LIMITS } from '../generated/remediation-request.ts';
import type { Block, Ref, Remediation } from '../objects/remediation.ts';
import type { Finish } from './decision.ts';

/** The lock under which it is written; the API server refuses an older holder's. */
export type Fencing = { readonly lease: string; readonly token: number };
export type StatusPatch = Readonly<Record<string, unknown>>;

type Words = { readonly status: 'True' | 'False' | 'Unknown'; readonly reason: string; readonly message: string };

const NO_BLOCK = {
	blockReason: null,
	blockMessage: null,
	blockedUntil: null,
	blockingWorkflowExecution: null,
} as const;

export function executingPatch(request: Remediation, execution: Ref, message: string, now: Date): StatusPatch {
	return {
		overallPhase: 'Executing',
		...NO_BLOCK,
		duplicateOf: null,
		workflowExecutionRef: { name: execution.name, uid: execution.uid },
		startTime: request.startTime ?? seconds(now),
		conditions: withConditions(request, now, {
			Progressing: { status: 'True', reason: 'Executing', message },
			Succeeded: { status: 'Unknown', reason: 'Executing', message },
		}),
	};
}

/** As much of it as the status holds. */
export function blockMessage({ message }: Pick<Block, 'message'>): string {
	return cut(message, LIMITS['status.blockMessage'].maxLength);
}

export function blockPatch(request: Remediation, block: Block, now: Date): StatusPatch {
	const message = blockMessage(block);
	return {
		overallPhase: 'Blocked',
		blockReason: block.reason,
		blockMessage: message,
		blockedUntil: block.until ?? null,
		blockingWorkflowExecution: block.holder ?? null,
		duplicateOf: block.duplicateOf ?? null,
		workflowExecutionRef: null,
		startTime: request.startTime ?? seconds(now),
		conditions: withConditions(request, now, {
			Progressing: { status: 'False', reason: block.reason, message },
			Succeeded: { status: 'Unknown', reason: 'Blocked', message },
		}),
	};
}

export function finishPatch(request: Remediation, finish: Finish, now: Date): StatusPatch {
	const { phase, outcome, inheritedFrom } = finish;
	const message = cut(finish.message, LIMITS['status.failureReason'].maxLength);
	const failed = phase === 'Failed' || phase === 'TimedOut';
	return {
		overallPhase: phase,
		...NO_BLOCK,
		...(inheritedFrom === undefined ? { duplicateOf: null } : {}),
		outcome,
		failureReason: failed ? message : null,
		startTime: request.startTime ?? seconds(now),
		completedAt: seconds(now),
		conditions: withConditions(request, now, {
			Progressing: { status: 'False', reason: phase, message },
			Succeeded: { status: phase === 'Completed' || phase === 'Skipped' ? 'True' : 'False', reason: outcome, message },
		}),
	};
}

export function toldPatch(request: Remediation, told: Ref): StatusPatch {
	return { notificationRequestRefs: [...request.notifications, { name: told.name, uid: told.uid }] };
}

/** A condition keeps its time while its status stays what it was. */
function withConditions(
	request: Pick<Remediation, 'conditions'>,
	now: Date,
	changes: Readonly<Record<string, Words>>,
): RemediationRequestCondition[] {
	const others = request.conditions.filter(({ type }) => !(type in changes));
	const changed = Object.entries(changes).map(([type, words]) => {
		const known = request.conditions.find((condition) => condition.type === type);
		const same = known?.status === words.status && known.reason === words.reason;
		return { type, ...words, lastTransitionTime: same ? known.lastTransitionTime : seconds(now) };
	});
	return [...others, ...changed];
}

function seconds(date: Date): string {
	return date.toISOString().replace(/\.\d{3}Z$/, 'Z');
}

function cut(text: string, maxLength: number): string {
	return text.slice(0, maxLength).toWellFormed();
}
