// What became of a run: Tekton's reasons in one table. Judged by reason, never by words in a message, with one exception
// that Tekton leaves no other way for: the reason before a time-out stands in brackets in the TaskRun's message.
// `wasExecutionFailure` is false only when certainly no step began.
import type { WorkflowExecutionFailureReason } from '../generated/workflow-execution.ts';
import type { Outcome, RunEnd, RunParts, RunStep, RunTask } from './run-engine.ts';

type Judged = WorkflowExecutionFailureReason | 'byTask' | 'timedOut';

/** Reasons of a PipelineRun that did not succeed. */
export const RUN_REASONS: Readonly<Record<string, Judged>> = {
	Failed: 'byTask',
	PipelineRunTimeout: 'timedOut',
	Cancelled: 'Cancelled',
	CancelledRunningFinally: 'Cancelled',
	StoppedRunningFinally: 'Cancelled',
	PipelineRunStopping: 'Cancelled',
	CouldntGetPipeline: 'ConfigurationError',
	CouldntGetTask: 'ConfigurationError',
	CouldntGetPipelineResult: 'ConfigurationError',
	InvalidPipelineResourceBindings: 'ConfigurationError',
	InvalidWorkspaceBindings: 'ConfigurationError',
	InvalidTaskRunSpecs: 'ConfigurationError',
	InvalidMatrixParameterTypes: 'ConfigurationError',
	InvalidTaskResultReference: 'ConfigurationError',
	InvalidPipelineResultReference: 'ConfigurationError',
	InvalidParamValue: 'ConfigurationError',
	ParameterTypeMismatch: 'ConfigurationError',
	ParameterMissing: 'ConfigurationError',
	ParamArrayIndexingInvalid: 'ConfigurationError',
	ObjectParameterMissKeys: 'ConfigurationError',
	PipelineValidationFailed: 'ConfigurationError',
	PipelineInvalidGraph: 'ConfigurationError',
	RequiredWorkspaceMarkedOptional: 'ConfigurationError',
	ResourceVerificationFailed: 'ConfigurationError',
	CreateRunFailed: 'ConfigurationError',
	CELEvaluationFailed: 'ConfigurationError',
	CouldntCreateWorkspacePVC: 'ConfigurationError',
};

/** Reasons of the TaskRun that failed. */
export const TASK_REASONS: Readonly<Record<string, WorkflowExecutionFailureReason>> = {
	StepOOM: 'OOMKilled',
	SidecarOOM: 'OOMKilled',
	InitContainerOOM: 'OOMKilled',
	TaskRunTimeout: 'DeadlineExceeded',
	TaskRunImagePullFailed: 'ImagePullBackOff',
	PodEvicted: 'ResourceExhausted',
	PodAdmissionFailed: 'Forbidden',
	CreateContainerConfigError: 'ConfigurationError',
	PodCreationFailed: 'ConfigurationError',
	TaskRunResolutionFailed: 'ConfigurationError',
	TaskRunValidationFailed: 'ConfigurationError',
	TaskValidationFailed: 'ConfigurationError',
	ResourceVerificationFailed: 'ConfigurationError',
	InvalidParamValue: 'ConfigurationError',
	TaskRunResultLargerThanAllowedLimit: 'TaskFailed',
	StepFailed: 'TaskFailed',
	Failed: 'TaskFailed',
	SidecarFailed: 'TaskFailed',
	InitContainerFailed: 'TaskFailed',
	TaskRunCancelled: 'Cancelled',
};

/** What a TaskRun was stuck on until its time was up. */
export const STUCK_REASONS: Readonly<Record<string, WorkflowExecutionFailureReason>> = {
	ExceededResourceQuota: 'ResourceExhausted',
	ExceededNodeResources: 'ResourceExhausted',
	PullImageFailed: 'ImagePullBackOff',
};

/** Reasons that say nothing about which task is to blame: they come to every task that was still under way. */
const CONSEQUENCES: readonly string[] = ['TaskRunCancelled', 'TaskRunTimeout'];
const PREVIOUS_STATUS = /^Previous status: \[(\w+)\]/m;

export function outcomeOf(end: RunEnd, parts: RunParts): Outcome {
	if (end.succeeded) return { phase: 'Completed', message: end.message };
	const judged = RUN_REASONS[end.reason] ?? 'Unknown';
	const task = toBlame(parts.tasks);
	const step = task?.steps.find(isToBlame);
	const reason = reasonOf(judged, parts.tasks, task);
	// Whatever was in its way: when the task itself says more, its words are better.
	const message = judged === 'byTask' && task?.end !== undefined ? task.end.message : end.message;
	return {
		phase: 'Failed',
		reason,
		message: `${end.reason}: ${message}`,
		summary: describe(reason, end, task, step),
		wasExecutionFailure: mayHaveActed(parts),
		...(task === undefined ? {} : { failedTask: task.task }),
		...(step === undefined ? {} : { failedStep: step.name }),
		...(step?.exitCode === undefined ? {} : { exitCode: step.exitCode }),
	};
}

function reasonOf(
	judged: Judged,
	tasks: readonly RunTask[],
	task: RunTask | undefined,
): WorkflowExecutionFailureReason {
	if (judged === 'timedOut') return stuckOn(tasks) ?? 'DeadlineExceeded';
	if (judged !== 'byTask') return judged;
	if (task === undefined) return 'TaskFailed';
	if (task.steps.some(({ reason }) => reason === 'OOMKilled')) return 'OOMKilled';
	if (task.end?.reason === 'TaskRunTimeout') return stuckOn([task]) ?? 'DeadlineExceeded';
	return TASK_REASONS[task.end?.reason ?? ''] ?? 'Unknown';
}

/** The task that failed by itself, else one that was ended with the run. */
function toBlame(tasks: readonly RunTask[]): RunTask | undefined {
	const failed = tasks.filter(({ end }) => end !== undefined && !end.succeeded && end.reason !== 'FailureIgnored');
	return failed.find(({ end }) => !CONSEQUENCES.includes(end?.reason ?? '')) ?? failed[0];
}

function isToBlame({ exitCode, reason }: RunStep): boolean {
	return reason === 'OOMKilled' || (exitCode !== undefined && exitCode !== 0 && reason !== 'Skipped');
}

function stuckOn(tasks: readonly RunTask[]): WorkflowExecutionFailureReason | undefined {
	for (const { end } of tasks) {
		const previous = PREVIOUS_STATUS.exec(end?.message ?? '')?.[1] ?? '';
		const reason = STUCK_REASONS[previous];
		if (reason !== undefined) return reason;
	}
	return undefined;
}

/** Not when it never had a task, or when all of its tasks say that no step of any attempt began. */
function mayHaveActed({ tasks, pods, isMissing }: RunParts): boolean {
	return (
		isMissing ||
		tasks.some(({ steps, beganBefore }) => beganBefore || steps.some(({ started }) => started)) ||
		pods.some(({ stepStarted }) => stepStarted)
	);
}

const SENTENCES: Readonly<Record<WorkflowExecutionFailureReason, string>> = {
	OOMKilled: 'ran out of memory',
	DeadlineExceeded: 'did not end within its time-out',
	Forbidden: 'was not admitted to the cluster',
	ResourceExhausted: 'did not get the resources that it needs',
	ConfigurationError: 'cannot run as it is configured',
	ImagePullBackOff: 'waited for an image that cannot be pulled',
	TaskFailed: 'failed',
	ExternallyDeleted: 'was deleted before it ended',
	Cancelled: 'was cancelled',
	Unknown: 'ended for a reason that is not known',
};

function describe(
	reason: WorkflowExecutionFailureReason,
	end: RunEnd,
	task: RunTask | undefined,
	step: RunStep | undefined,
): string {
	const where =
		task === undefined
			? 'The run'
			: step === undefined
				? `Task ${task.task}`
				: `Step ${step.name} of task ${task.task}`;
	const code = step?.exitCode === undefined || reason === 'OOMKilled' ? '' : ` with exit code ${step.exitCode}`;
	// A run that failed by a task says no more than Failed.
	const words = reason === 'Unknown' ? ` (${task?.end?.reason ?? end.reason})` : '';
	return `${where} ${SENTENCES[reason]}${reason === 'TaskFailed' ? code : ''}${words}.`;
}
