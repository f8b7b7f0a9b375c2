// The status that is written for each decision: only fields that are the orchestrator's, with conditions whose messages
// say the same to people. `kubectl wait --for=condition=Ended` and `--for=condition=Succeeded` wait for them.

import type { RemediationRequestCondition } from '../generated/remediation-request.ts';
import { REMEDIATION_REQUEST_LIMITS as LIMITS } from '../generated/remediation-request.ts';
import type { Execution } from '../objects/execution.ts';
import type { Block, Ref, Remediation } from '../objects/remediation.ts';
import type { StatusPatch } from '../objects/request-patch.ts';
import type { End } from './decision.ts';

/** The lock under which it is written; the API server rejects an older holder's. */
export type Fencing = { readonly lease: string; readonly token: number };

type ConditionState = {
	readonly status: 'True' | 'False' | 'Unknown';
	readonly reason: string;
	readonly message: string;
};

const NO_BLOCK = {
	blockReason: null,
	blockMessage: null,
	blockedUntil: null,
	blockedSince: null,
	blockingWorkflowExecution: null,
} as const;

export function executingPatch(
	request: Remediation,
	execution: Pick<Execution, 'name' | 'uid' | 'approval'>,
	message: string,
	now: Date,
): StatusPatch {
	return {
		overallPhase: 'Executing',
		...NO_BLOCK,
		duplicateOf: null,
		approval: execution.approval === undefined ? null : { ...execution.approval, decision: 'Approved' },
		workflowExecutionRef: { name: execution.name, uid: execution.uid },
		startTime: request.startTime ?? seconds(now),
		conditions: withConditions(request, now, {
			Progressing: { status: 'True', reason: 'Executing', message },
			Ended: { status: 'False', reason: 'Executing', message },
			Succeeded: { status: 'Unknown', reason: 'Executing', message },
		}),
	};
}

/** Cut to what the status can hold. */
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
		blockedSince: seconds(now),
		blockingWorkflowExecution: block.holder ?? null,
		duplicateOf: block.duplicateOf ?? null,
		approval: block.digest === undefined ? null : { digest: block.digest },
		workflowExecutionRef: null,
		startTime: request.startTime ?? seconds(now),
		conditions: withConditions(request, now, {
			Progressing: { status: 'False', reason: block.reason, message },
			Ended: { status: 'False', reason: 'Blocked', message },
			Succeeded: { status: 'Unknown', reason: 'Blocked', message },
		}),
	};
}

export function finishPatch(request: Remediation, end: End, now: Date): StatusPatch {
	const { phase, outcome, answer } = end;
	const message = cut(end.message, LIMITS['status.failureReason'].maxLength);
	const failed = phase === 'Failed' || phase === 'TimedOut';
	return {
		overallPhase: phase,
		...NO_BLOCK,
		blockingWorkflowExecution: end.blockingExecution ?? null,
		duplicateOf: end.duplicateOf ?? null,
		...(answer === undefined ? {} : { approval: answer }),
		outcome,
		failureReason: failed ? message : null,
		startTime: request.startTime ?? seconds(now),
		completedAt: seconds(now),
		conditions: withConditions(request, now, {
			Progressing: { status: 'False', reason: phase, message },
			Ended: { status: 'True', reason: phase, message },
			Succeeded: { status: phase === 'Completed' || phase === 'Skipped' ? 'True' : 'False', reason: outcome, message },
		}),
	};
}

export function notifiedPatch(request: Remediation, { name, uid }: Ref): StatusPatch {
	const refs = [...request.notifications, { name, uid }];
	return { notificationRequestRefs: refs.slice(-LIMITS['status.notificationRequestRefs'].maxItems) };
}

/** As Kubernetes' conventions have it: the time of a condition moves with its status, and with nothing else. */
function withConditions(
	{ conditions, generation }: Pick<Remediation, 'conditions' | 'generation'>,
	now: Date,
	changes: Readonly<Record<string, ConditionState>>,
): RemediationRequestCondition[] {
	const others = conditions.filter(({ type }) => !(type in changes));
	const changed = Object.entries(changes).map(([type, state]) => {
		const known = conditions.find((condition) => condition.type === type);
		const lastTransitionTime = known?.status === state.status ? known.lastTransitionTime : seconds(now);
		return { type, ...state, observedGeneration: generation, lastTransitionTime };
	});
	return [...others, ...changed];
}

function seconds(date: Date): string {
	return date.toISOString().replace(/\.\d{3}Z$/, 'Z');
}

function cut(text: string, maxLength: number): string {
	return text.slice(0, maxLength).toWellFormed();
}
