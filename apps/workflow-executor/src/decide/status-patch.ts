// The status that is written for each step. `kubectl wait --for=condition=Ended` and `--for=condition=Succeeded` wait for
// the end; Waiting says why an execution that is Pending has no run yet.
import {
	WORKFLOW_EXECUTION_LIMITS as LIMITS,
	type WorkflowExecutionCondition,
	type WorkflowExecutionSkipReason,
} from '../generated/workflow-execution.ts';
import type { Execution } from '../objects/execution.ts';
import type { StatusPatch } from '../objects/execution-store.ts';
import type { Outcome, Run } from '../objects/run-engine.ts';
import { toSpecDuration } from '../objects/spec-duration.ts';

type ConditionState = Pick<WorkflowExecutionCondition, 'status' | 'reason' | 'message'>;

/** The claim: from here on this run, and no other, is the run of the execution. */
export function claimPatch(execution: Execution, run: Run, now: Date): StatusPatch {
	const message = `PipelineRun ${run.name} has the lock of ${execution.target}`;
	return {
		phase: 'Running',
		pipelineRunRef: { name: run.name, uid: run.uid },
		startTime: now.toISOString(),
		fencing: { lease: run.name, token: Number(run.resourceVersion) },
		conditions: withConditions(execution, now, {
			Waiting: { status: 'False', reason: 'Claimed', message },
			Ended: { status: 'False', reason: 'Running', message },
			Succeeded: { status: 'Unknown', reason: 'Running', message },
		}),
	};
}

export function waitingPatch(execution: Execution, reason: string, message: string, now: Date): StatusPatch {
	const text = cut(message, LIMITS['status.conditions[].message'].maxLength);
	return {
		phase: 'Pending',
		conditions: withConditions(execution, now, {
			Waiting: { status: 'True', reason, message: text },
			Ended: { status: 'False', reason: 'Pending', message: text },
			Succeeded: { status: 'Unknown', reason: 'Pending', message: text },
		}),
	};
}

export type Skip = { readonly reason: WorkflowExecutionSkipReason; readonly message: string; readonly heldBy: string };

export function skippedPatch(execution: Execution, { reason, message, heldBy }: Skip, now: Date): StatusPatch {
	return {
		phase: 'Skipped',
		completionTime: now.toISOString(),
		skipDetails: {
			reason,
			message: cut(message, LIMITS['status.skipDetails.message'].maxLength),
			heldBy: cut(heldBy, LIMITS['status.skipDetails.heldBy'].maxLength),
		},
		conditions: ended(execution, now, reason, message, 'False'),
	};
}

export function endedPatch(execution: Execution, outcome: Outcome, now: Date): StatusPatch {
	const lasted = execution.startTime === undefined ? undefined : now.getTime() - Date.parse(execution.startTime);
	const common = {
		phase: outcome.phase,
		completionTime: now.toISOString(),
		...(lasted === undefined ? {} : { duration: toSpecDuration(Math.floor(Math.max(0, lasted) / 1000) * 1000) }),
	};
	if (outcome.phase === 'Completed')
		return { ...common, conditions: ended(execution, now, 'Completed', outcome.message, 'True') };
	const { failedTask, failedStep, exitCode } = outcome;
	return {
		...common,
		failureDetails: {
			reason: outcome.reason,
			message: cut(outcome.message, LIMITS['status.failureDetails.message'].maxLength),
			summary: cut(outcome.summary, LIMITS['status.failureDetails.summary'].maxLength),
			wasExecutionFailure: outcome.wasExecutionFailure,
			...(failedTask === undefined
				? {}
				: { failedTask: cut(failedTask, LIMITS['status.failureDetails.failedTask'].maxLength) }),
			...(failedStep === undefined
				? {}
				: { failedStep: cut(failedStep, LIMITS['status.failureDetails.failedStep'].maxLength) }),
			...(exitCode === undefined ? {} : { exitCode }),
		},
		conditions: ended(execution, now, outcome.reason, outcome.summary, 'False'),
	};
}

/** An execution that fails before it has a run. */
export function failedBefore(
	reason: Extract<Outcome, { phase: 'Failed' }>['reason'],
	message: string,
	summary = message,
): Outcome {
	return { phase: 'Failed', reason, message, summary, wasExecutionFailure: false };
}

function ended(execution: Execution, now: Date, reason: string, message: string, succeeded: 'True' | 'False') {
	const text = cut(message, LIMITS['status.conditions[].message'].maxLength);
	const known = execution.conditions.some(({ type }) => type === 'Waiting');
	return withConditions(execution, now, {
		...(known ? { Waiting: { status: 'False', reason, message: text } } : {}),
		Ended: { status: 'True', reason, message: text },
		Succeeded: { status: succeeded, reason, message: text },
	});
}

/** As Kubernetes' conventions have it: the time of a condition moves with its status, and with nothing else. */
function withConditions(
	{ conditions, generation }: Pick<Execution, 'conditions' | 'generation'>,
	now: Date,
	changes: Readonly<Record<string, ConditionState>>,
): WorkflowExecutionCondition[] {
	const others = conditions.filter(({ type }) => !(type in changes));
	const changed = Object.entries(changes).map(([type, state]) => {
		const known = conditions.find((condition) => condition.type === type);
		const lastTransitionTime = known?.status === state.status ? known.lastTransitionTime : seconds(now);
		return { type, ...state, observedGeneration: generation, lastTransitionTime };
	});
	return [...others, ...changed];
}

function cut(text: string, maxLength: number): string {
	return text.slice(0, maxLength).toWellFormed();
}

function seconds(time: Date): string {
	return time.toISOString().replace(/\.\d{3}Z$/, 'Z');
}
