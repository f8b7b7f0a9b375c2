// A WorkflowExecution as the orchestrator sees it: a link in the chain of its target, and how it went.
import { createHash } from 'node:crypto';
import { REMEDIATION_REQUEST_LIMITS } from '../generated/remediation-request.ts';
import type {
	WorkflowExecution,
	WorkflowExecutionApproval,
	WorkflowExecutionFailureDetails,
	WorkflowExecutionPhase,
	WorkflowExecutionSkipDetails,
} from '../generated/workflow-execution.ts';
import { runIdentity } from './run-identity.ts';
import { parseSpecDuration } from './spec-duration.ts';

export const FENCING_ANNOTATION = 'kubernaut.ai/fencing-token';

export type Execution = {
	readonly name: string;
	readonly uid: string;
	readonly resourceVersion: string;
	readonly createdAt: string;
	readonly deleting: boolean;
	readonly target: string;
	/** Counts from 0; the newest link is the one with the highest number. */
	readonly chain: number;
	readonly successor: string | undefined;
	readonly requestUid: string;
	/** Of the lock under which it was made; absent when it does not say. */
	readonly fencingToken: number | undefined;
	readonly workflowName: string;
	readonly workflowUid: string;
	/** What it runs: equal for equal runs. */
	readonly run: string;
	/** The answer that let it begin, when its workflow asks for one. */
	readonly approval: Readonly<WorkflowExecutionApproval> | undefined;
	readonly timeoutMs: number;
	/** Absent: the orchestrator's setting. */
	readonly cooldownMs: number | undefined;
	readonly phase: WorkflowExecutionPhase | undefined;
	readonly completionTime: string | undefined;
	readonly hasRun: boolean;
	readonly skip: WorkflowExecutionSkipDetails | undefined;
	readonly failure:
		| { readonly reason: WorkflowExecutionFailureDetails['reason']; readonly why: string | undefined }
		| undefined;
};

/** Every phase, and whether it is terminal. A phase that the CRD adds does not compile until it stands here. */
const IS_TERMINAL: Readonly<Record<WorkflowExecutionPhase, boolean>> = {
	Pending: false,
	Running: false,
	Completed: true,
	Failed: true,
	Skipped: true,
};

export function isOver({ phase }: { readonly phase?: WorkflowExecutionPhase | undefined }): boolean {
	return phase !== undefined && IS_TERMINAL[phase];
}

/**
 * It holds the target. One that is over and terminating holds it too, because something of its run may still act, unless it
 * announces the next link: it stays until that one is there, and the two would wait for each other for ever.
 */
export function holdsTarget(execution: Pick<Execution, 'phase' | 'deleting' | 'successor'>): boolean {
	return !isOver(execution) || (execution.deleting && execution.successor === undefined);
}

/** When it ended; its creation when it does not say. */
export function endOf({ completionTime, createdAt }: Pick<Execution, 'completionTime' | 'createdAt'>): number {
	return Date.parse(completionTime ?? createdAt);
}

export function newestOf(executions: Iterable<Execution>): Execution | undefined {
	let newest: Execution | undefined;
	for (const execution of executions) if (newest === undefined || execution.chain > newest.chain) newest = execution;
	return newest;
}

/** Two replicas with the same view compute the same name, and the API server accepts only one of them. */
export function executionName(target: string, predecessorUid: string | undefined): string {
	const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
	return `we-${sha256(target).slice(0, 12)}-${sha256(target + (predecessorUid ?? '')).slice(0, 16)}`;
}

export function toExecution({ metadata, spec, status = {} }: WorkflowExecution): Execution {
	return {
		name: metadata.name,
		uid: metadata.uid,
		resourceVersion: metadata.resourceVersion,
		createdAt: metadata.creationTimestamp,
		deleting: metadata.deletionTimestamp !== undefined,
		target: spec.targetResource,
		chain: spec.chain,
		successor: status.successor?.name,
		requestUid: spec.remediationRequestRef.uid,
		fencingToken: tokenOf(metadata.annotations?.[FENCING_ANNOTATION]),
		workflowName: spec.workflowRef.name,
		workflowUid: spec.workflowRef.uid,
		run: runIdentity({
			workflowUid: spec.workflowRef.uid,
			generation: spec.workflowRef.generation,
			target: spec.targetResource,
			parameters: spec.parameters ?? {},
		}),
		approval: spec.approval,
		timeoutMs: parseSpecDuration(spec.timeout) ?? 0,
		cooldownMs: spec.cooldown === undefined ? undefined : parseSpecDuration(spec.cooldown),
		phase: status.phase,
		completionTime: status.completionTime,
		hasRun: status.pipelineRunRef !== undefined,
		skip: status.skipDetails,
		failure: inBrief(status.failureDetails),
	};
}

function tokenOf(annotation: string | undefined): number | undefined {
	const token = Number(annotation);
	return annotation !== undefined && Number.isSafeInteger(token) ? token : undefined;
}

// More is not written into a request; executions are kept for a long time.
const MAX_FAILURE_LENGTH = REMEDIATION_REQUEST_LIMITS['status.failureReason'].maxLength;

/** The summary, else the message. */
function inBrief(details: WorkflowExecutionFailureDetails | undefined): Execution['failure'] {
	if (details === undefined) return undefined;
	const { reason, summary, message } = details;
	return { reason, why: (summary ?? message)?.slice(0, MAX_FAILURE_LENGTH) };
}
