// A WorkflowExecution as the executor sees it: who wants which target, and how far it got.
import type {
	WorkflowExecution,
	WorkflowExecutionCondition,
	WorkflowExecutionPhase,
	WorkflowExecutionSpec,
} from '../generated/workflow-execution.ts';
import { parseSpecDuration } from './spec-duration.ts';

/** On every WorkflowExecution from its create: it is not deleted before its run is gone. */
export const CLEANUP_FINALIZER = 'kubernaut.ai/pipelinerun-cleanup';
export const FENCING_ANNOTATION = 'kubernaut.ai/fencing-token';

/** What to run; kept only while it may still have to be run. */
export type Plan = Pick<WorkflowExecutionSpec, 'pipelineRef' | 'pipelineSpec' | 'parameters' | 'serviceAccountName'>;
export type RunRef = { readonly name: string; readonly uid: string };

export type Execution = {
	readonly name: string;
	readonly uid: string;
	readonly resourceVersion: string;
	readonly generation: number;
	readonly createdAt: string;
	readonly deleting: boolean;
	/** When its deletion was asked for. */
	readonly deletedAt: string | undefined;
	readonly finalizers: readonly string[];
	readonly fencingToken: string | undefined;
	readonly target: string;
	/** Counts from 0; the newest link is the one with the highest number. */
	readonly chain: number;
	readonly successor: string | undefined;
	readonly timeoutMs: number;
	/** Absent: the executor's setting. */
	readonly cooldownMs: number | undefined;
	readonly phase: WorkflowExecutionPhase | undefined;
	readonly startTime: string | undefined;
	readonly completionTime: string | undefined;
	readonly run: RunRef | undefined;
	readonly conditions: readonly WorkflowExecutionCondition[];
	readonly plan: Plan | undefined;
};

/** Every phase, and whether it is terminal. A phase that the CRD adds does not compile until it stands here. */
const IS_TERMINAL: Readonly<Record<WorkflowExecutionPhase, boolean>> = {
	Pending: false,
	Running: false,
	Completed: true,
	Failed: true,
	Skipped: true,
};

export function isOver({ phase }: Pick<Execution, 'phase'>): boolean {
	return phase !== undefined && IS_TERMINAL[phase];
}

/** It waits for its run: none is claimed for it, and it may still have one. */
export function isWaiting(execution: Pick<Execution, 'phase' | 'run'>): boolean {
	return !isOver(execution) && execution.run === undefined;
}

/** A run was claimed for it, and its outcome is not written yet. */
export function isRunning(execution: Pick<Execution, 'phase' | 'run'>): boolean {
	return !isOver(execution) && execution.run !== undefined;
}

/** It needs work even if no run of it is there. */
export function isOpen(execution: Pick<Execution, 'phase' | 'deleting' | 'finalizers'>): boolean {
	return !isOver(execution) || (execution.deleting && execution.finalizers.includes(CLEANUP_FINALIZER));
}

/** The end of the cooldown; undefined when nothing ran, or it has not ended. */
export function cooldownEndOf(
	{ phase, run, completionTime, cooldownMs }: Pick<Execution, 'phase' | 'run' | 'completionTime' | 'cooldownMs'>,
	defaultCooldownMs: number,
): number | undefined {
	if ((phase !== 'Completed' && phase !== 'Failed') || run === undefined || completionTime === undefined)
		return undefined;
	return Date.parse(completionTime) + (cooldownMs ?? defaultCooldownMs);
}

export function toExecution({ metadata, spec, status = {} }: WorkflowExecution): Execution {
	const { phase, pipelineRunRef } = status;
	const mayRun = isWaiting({ phase, run: pipelineRunRef });
	return {
		name: metadata.name,
		uid: metadata.uid,
		resourceVersion: metadata.resourceVersion,
		generation: metadata.generation,
		createdAt: metadata.creationTimestamp,
		deleting: metadata.deletionTimestamp !== undefined,
		deletedAt: metadata.deletionTimestamp,
		finalizers: metadata.finalizers ?? [],
		fencingToken: metadata.annotations?.[FENCING_ANNOTATION],
		target: spec.targetResource,
		chain: spec.chain,
		successor: status.successor?.name,
		timeoutMs: parseSpecDuration(spec.timeout) ?? 0,
		cooldownMs: spec.cooldown === undefined ? undefined : parseSpecDuration(spec.cooldown),
		phase,
		startTime: status.startTime,
		completionTime: status.completionTime,
		run: pipelineRunRef === undefined ? undefined : { name: pipelineRunRef.name, uid: pipelineRunRef.uid },
		conditions: isOver({ phase }) ? [] : (status.conditions ?? []),
		plan: mayRun ? planOf(spec) : undefined,
	};
}

function planOf({ pipelineRef, pipelineSpec, parameters, serviceAccountName }: WorkflowExecutionSpec): Plan {
	return {
		...(pipelineRef === undefined ? {} : { pipelineRef }),
		...(pipelineSpec === undefined ? {} : { pipelineSpec }),
		...(parameters === undefined ? {} : { parameters }),
		...(serviceAccountName === undefined ? {} : { serviceAccountName }),
	};
}
