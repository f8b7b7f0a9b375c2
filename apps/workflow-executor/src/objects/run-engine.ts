// The port to what carries a pipeline out. Everything about tekton.dev stands behind it (tekton-*.ts): another engine is
// another file. A run is an object whose name is the lock of its target: while it exists, the target is taken.
import { createHash } from 'node:crypto';
import type { WorkflowExecutionFailureReason, WorkflowExecutionPipelineSpec } from '../generated/workflow-execution.ts';

/** Two executions of one target compute the same name, and the API server stores only one of them. */
export function runName(target: string): string {
	return `wfe-${createHash('sha256').update(target).digest('hex').slice(0, 16)}`;
}

/** The execution that a run is for, as the run itself names it. */
export type RunOwner = { readonly namespace: string; readonly name: string; readonly uid: string };

/**
 * `pending`: created, and never started. `cancelled`: its end was asked for. `done`: the engine says that it has ended;
 * something of it may still be alive.
 */
export type RunState = 'pending' | 'running' | 'cancelled' | 'done';

export type Run = {
	readonly name: string;
	readonly uid: string;
	readonly resourceVersion: string;
	readonly createdAt: string;
	/** Since when it is being deleted. */
	readonly deletedAt: string | undefined;
	/** Undefined: it is not of our making. */
	readonly owner: RunOwner | undefined;
	/** The target, as it was written when the run was made. */
	readonly lockKey: string | undefined;
	/** The replica that made it. */
	readonly madeBy: string | undefined;
	/** Our finalizer is on it. */
	readonly held: boolean;
	/** Its parts are deleted before it is. */
	readonly inForeground: boolean;
	readonly state: RunState;
	readonly startedAt: string | undefined;
	readonly endedAt: string | undefined;
	readonly end: RunEnd | undefined;
	/** Names of what the engine has made for it, also of what is gone by now. */
	readonly made: readonly string[];
};
/** In the engine's own words. */
export type RunEnd = { readonly succeeded: boolean; readonly reason: string; readonly message: string };

export type RunPipeline =
	| { readonly name: string }
	| { readonly name: string; readonly bundle: string }
	| { readonly spec: WorkflowExecutionPipelineSpec };
export type NewRun = {
	readonly name: string;
	readonly lockKey: string;
	readonly owner: RunOwner;
	/** Of the execution. */
	readonly fencingToken: string | undefined;
	readonly madeBy: string;
	readonly pipeline: RunPipeline;
	readonly parameters: Readonly<Record<string, string>>;
	readonly serviceAccountName: string;
	readonly timeoutMs: number;
};

/** One task of a run. */
export type RunTask = {
	readonly name: string;
	readonly uid: string;
	/** In the pipeline. */
	readonly task: string;
	readonly state: 'running' | 'cancelled' | 'done';
	readonly deleting: boolean;
	/** Its pods are deleted before it is. */
	readonly inForeground: boolean;
	readonly end: RunEnd | undefined;
	readonly steps: readonly RunStep[];
	/** An attempt before this one began a step. */
	readonly beganBefore: boolean;
};
export type RunStep = {
	readonly name: string;
	readonly started: boolean;
	readonly exitCode: number | undefined;
	readonly reason: string | undefined;
};
export type RunPod = {
	readonly name: string;
	/** A step of it runs, or may have begun unseen. */
	readonly alive: boolean;
	readonly deleting: boolean;
	readonly stepStarted: boolean;
};
export type RunParts = {
	readonly tasks: readonly RunTask[];
	readonly pods: readonly RunPod[];
	/** Something that was made for the run is not among the tasks: it cannot say any more whether it acted. */
	readonly isMissing: boolean;
};

export type Outcome =
	| { readonly phase: 'Completed'; readonly message: string }
	| {
			readonly phase: 'Failed';
			readonly reason: WorkflowExecutionFailureReason;
			/** The engine's words, or the API server's. */
			readonly message: string;
			/** One sentence for people. */
			readonly summary: string;
			readonly wasExecutionFailure: boolean;
			readonly failedTask?: string;
			readonly failedStep?: string;
			readonly exitCode?: number;
	  };

/** Every write names the uid; the second of two is rejected. Faults are thrown. */
export type RunEngine = {
	/** Pending, with our finalizer. */
	create(run: NewRun): Promise<Run | 'exists'>;
	get(name: string): Promise<Run | undefined>;
	/** Fails when runs cannot be listed: a right is missing, or the engine is not installed. */
	tryList(): Promise<void>;
	/** Only while it is pending. `changed`: it is not any more, or another run has the name. */
	start(run: Run): Promise<Run | 'changed' | 'gone'>;
	cancel(run: Run): Promise<Run | 'changed' | 'gone'>;
	look(run: Run): Promise<RunParts>;
	/** `deleted`: the engine does not react, so the tasks themselves go, and their pods with them. */
	endTasks(tasks: readonly RunTask[], how: 'cancelled' | 'deleted'): Promise<void>;
	/** With its parts, which go first; `abandoned`: it goes without waiting for them. */
	remove(run: Run, how: 'inForeground' | 'abandoned'): Promise<'removing' | 'changed' | 'gone'>;
	/** Takes our finalizer off. */
	free(run: Run): Promise<'freed' | 'changed' | 'gone'>;
	outcomeOf(end: RunEnd, parts: RunParts): Outcome;
};

export function isRunOf(run: Run | undefined, execution: { readonly uid: string }): run is Run {
	return run?.owner?.uid === execution.uid;
}
