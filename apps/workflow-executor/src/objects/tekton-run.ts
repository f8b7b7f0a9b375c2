// PipelineRuns, TaskRuns and pods of tekton.dev/v1 as the API server holds them, and what the executor keeps of them.
import type { Run, RunEnd, RunOwner, RunPod, RunState, RunStep, RunTask } from './run-engine.ts';

export const RUN_FINALIZER = 'kubernaut.ai/pipelinerun-lock';
export const EXECUTION_LABEL = 'kubernaut.ai/workflow-execution';
export const SOURCE_NAMESPACE_LABEL = 'kubernaut.ai/source-namespace';
export const LOCK_KEY_ANNOTATION = 'kubernaut.ai/lock-key';
export const EXECUTION_UID_ANNOTATION = 'kubernaut.ai/workflow-execution-uid';
export const FENCING_ANNOTATION = 'kubernaut.ai/fencing-token';
export const MADE_BY_ANNOTATION = 'kubernaut.ai/made-by';
/** Tekton writes it on every TaskRun and pod of a run. */
export const RUN_UID_LABEL = 'tekton.dev/pipelineRunUID';
export const PENDING = 'PipelineRunPending';
export const CANCELLED = 'Cancelled';
export const TASK_CANCELLED = 'TaskRunCancelled';
const FOREGROUND_FINALIZER = 'foregroundDeletion';
const TASK_LABEL = 'tekton.dev/pipelineTask';
const STEP_PREFIX = 'step-';

type Meta = {
	readonly name: string;
	readonly uid: string;
	readonly resourceVersion: string;
	readonly creationTimestamp: string;
	readonly deletionTimestamp?: string;
	readonly labels?: Readonly<Record<string, string>>;
	readonly annotations?: Readonly<Record<string, string>>;
	readonly finalizers?: readonly string[];
};
type Condition = {
	readonly type: string;
	readonly status: string;
	readonly reason?: string;
	readonly message?: string;
	readonly lastTransitionTime?: string;
};
export type PipelineRun = {
	readonly metadata: Meta;
	readonly spec?: { readonly status?: string };
	readonly status?: {
		readonly startTime?: string;
		readonly completionTime?: string;
		readonly conditions?: readonly Condition[];
		readonly childReferences?: readonly { readonly name?: string }[];
	};
};
type ContainerState = {
	readonly running?: object;
	readonly terminated?: { readonly exitCode?: number; readonly reason?: string; readonly startedAt?: string | null };
};
type StepState = ContainerState & {
	readonly name?: string;
	readonly imageID?: string;
	readonly terminationReason?: string;
};
export type TaskRun = {
	readonly metadata: Meta;
	readonly spec?: { readonly status?: string };
	readonly status?: {
		readonly conditions?: readonly Condition[];
		readonly steps?: readonly StepState[];
		readonly retriesStatus?: readonly { readonly steps?: readonly StepState[] }[];
	};
};
export type Pod = {
	readonly metadata: Meta;
	readonly spec?: { readonly containers?: readonly { readonly name: string }[] };
	readonly status?: {
		readonly phase?: string;
		readonly containerStatuses?: readonly { readonly name: string; readonly state?: ContainerState }[];
	};
};

export function toRun({ metadata, spec = {}, status = {} }: PipelineRun): Run {
	const { labels = {}, annotations = {}, finalizers = [] } = metadata;
	const succeeded = succeededOf(status.conditions);
	const end = endOf(succeeded);
	return {
		name: metadata.name,
		uid: metadata.uid,
		resourceVersion: metadata.resourceVersion,
		createdAt: metadata.creationTimestamp,
		deletedAt: metadata.deletionTimestamp,
		owner: ownerOf(labels, annotations),
		lockKey: annotations[LOCK_KEY_ANNOTATION],
		madeBy: annotations[MADE_BY_ANNOTATION],
		held: finalizers.includes(RUN_FINALIZER),
		inForeground: finalizers.includes(FOREGROUND_FINALIZER),
		state: end === undefined ? stateOf(spec.status) : 'done',
		startedAt: status.startTime,
		endedAt: end === undefined ? undefined : (status.completionTime ?? succeeded?.lastTransitionTime),
		end,
		made: (status.childReferences ?? []).flatMap(({ name }) => name ?? []),
	};
}

function ownerOf(
	labels: Readonly<Record<string, string>>,
	annotations: Readonly<Record<string, string>>,
): RunOwner | undefined {
	const name = labels[EXECUTION_LABEL];
	const namespace = labels[SOURCE_NAMESPACE_LABEL];
	const uid = annotations[EXECUTION_UID_ANNOTATION];
	return name === undefined || namespace === undefined || uid === undefined ? undefined : { namespace, name, uid };
}

function stateOf(status: string | undefined): Exclude<RunState, 'done'> {
	if (status === PENDING) return 'pending';
	// The other two values (CancelledRunFinally, StoppedRunFinally) are a person's way to end it.
	return status === undefined || status === '' ? 'running' : 'cancelled';
}

function succeededOf(conditions: readonly Condition[] = []): Condition | undefined {
	return conditions.find(({ type }) => type === 'Succeeded');
}

function endOf(condition: Condition | undefined): RunEnd | undefined {
	if (condition === undefined || (condition.status !== 'True' && condition.status !== 'False')) return undefined;
	return { succeeded: condition.status === 'True', reason: condition.reason ?? '', message: condition.message ?? '' };
}

export function toTask({ metadata, spec = {}, status = {} }: TaskRun): RunTask {
	const end = endOf(succeededOf(status.conditions));
	return {
		name: metadata.name,
		uid: metadata.uid,
		task: metadata.labels?.[TASK_LABEL] ?? metadata.name,
		state: end !== undefined ? 'done' : spec.status === TASK_CANCELLED ? 'cancelled' : 'running',
		deleting: metadata.deletionTimestamp !== undefined,
		inForeground: metadata.finalizers?.includes(FOREGROUND_FINALIZER) === true,
		end,
		steps: (status.steps ?? []).map((step) => toStep(step, metadata)),
		beganBefore: (status.retriesStatus ?? []).some(({ steps = [] }) =>
			steps.some((step) => toStep(step, metadata).started),
		),
	};
}

function toStep(step: StepState, task: Meta): RunStep {
	const { name = '', terminated, terminationReason } = step;
	if (neverBegan(step, task)) return { name, started: false, exitCode: undefined, reason: terminationReason };
	return {
		name,
		started: hasStarted(step),
		exitCode: terminated?.exitCode,
		// Tekton's own reason is more exact than the container's, except for memory.
		reason: terminated?.reason === 'OOMKilled' ? terminated.reason : (terminationReason ?? terminated?.reason),
	};
}

/**
 * A step that runs may act, and in a pod that is being deleted one that has not ended may have begun unseen. One that waits in a
 * pod that stays (Tekton leaves it behind after CreateContainerConfigError) is not alive: its task says whether it may begin,
 * and it goes with the run.
 */
export function toPod({ metadata, spec, status = {} }: Pod): RunPod {
	const states = new Map((status.containerStatuses ?? []).map(({ name, state = {} }) => [name, state]));
	const steps = (spec?.containers ?? []).map(({ name }) => name).filter((name) => name.startsWith(STEP_PREFIX));
	const isOver = status.phase === 'Succeeded' || status.phase === 'Failed';
	const deleting = metadata.deletionTimestamp !== undefined;
	return {
		name: metadata.name,
		alive: !isOver && steps.some((step) => isAlive(states.get(step) ?? {}, deleting)),
		deleting,
		stepStarted: steps.some((step) => hasStarted(states.get(step) ?? {})),
	};
}

function isAlive({ running, terminated }: ContainerState, deleting: boolean): boolean {
	return running !== undefined || (deleting && terminated === undefined);
}

function hasStarted({ running, terminated }: ContainerState): boolean {
	return running !== undefined || terminated !== undefined;
}

/** Tekton marks steps that still waited as terminated too, since the creation of the TaskRun. No image was ever run for them. */
function neverBegan({ terminated, imageID }: StepState, { creationTimestamp }: Meta): boolean {
	return terminated?.startedAt === creationTimestamp && (imageID === undefined || imageID === '');
}
