import { describe, expect, it } from 'vitest';
import { aPod, aTask, someParts } from '../../test/harness/made-up.ts';
import type { RunEnd, RunStep, RunTask } from './run-engine.ts';
import { outcomeOf, RUN_REASONS, STUCK_REASONS, TASK_REASONS } from './tekton-outcome.ts';

const failed = (reason: string, message = 'words'): RunEnd => ({ succeeded: false, reason, message });
const aStep = (changes: Partial<RunStep> = {}): RunStep => ({
	name: 'kubectl',
	started: true,
	exitCode: undefined,
	reason: undefined,
	...changes,
});
function reasonOf(end: RunEnd, ...tasks: RunTask[]) {
	const outcome = outcomeOf(end, someParts({ tasks }));
	return outcome.phase === 'Failed' ? outcome.reason : outcome.phase;
}

describe('the outcome of a run, by its reason', () => {
	it.each(['Succeeded', 'Completed'])('%s is Completed', (reason) => {
		expect(reasonOf({ succeeded: true, reason, message: 'Tasks Completed: 1' })).toBe('Completed');
	});

	it.each([
		['Cancelled', 'Cancelled'],
		['PipelineRunTimeout', 'DeadlineExceeded'],
		['CouldntGetPipeline', 'ConfigurationError'],
		['CouldntGetTask', 'ConfigurationError'],
		['InvalidWorkspaceBindings', 'ConfigurationError'],
		['InvalidTaskResultReference', 'ConfigurationError'],
		['InvalidParamValue', 'ConfigurationError'],
		['ParameterMissing', 'ConfigurationError'],
		['ParameterTypeMismatch', 'ConfigurationError'],
		['PipelineValidationFailed', 'ConfigurationError'],
		['PipelineInvalidGraph', 'ConfigurationError'],
		['CreateRunFailed', 'ConfigurationError'],
		['SomethingNew', 'Unknown'],
		['PipelineRunCouldntCancel', 'Unknown'],
	])('PipelineRun %s is %s', (reason, want) => {
		expect(reasonOf(failed(reason))).toBe(want);
	});

	it.each([
		['StepOOM', 'OOMKilled'],
		['SidecarOOM', 'OOMKilled'],
		['InitContainerOOM', 'OOMKilled'],
		['TaskRunTimeout', 'DeadlineExceeded'],
		['TaskRunImagePullFailed', 'ImagePullBackOff'],
		['PodEvicted', 'ResourceExhausted'],
		['PodAdmissionFailed', 'Forbidden'],
		['CreateContainerConfigError', 'ConfigurationError'],
		['PodCreationFailed', 'ConfigurationError'],
		['TaskRunResolutionFailed', 'ConfigurationError'],
		['TaskRunValidationFailed', 'ConfigurationError'],
		['TaskValidationFailed', 'ConfigurationError'],
		['StepFailed', 'TaskFailed'],
		['Failed', 'TaskFailed'],
		['SomethingNew', 'Unknown'],
	])('a PipelineRun that failed by TaskRun %s is %s', (reason, want) => {
		expect(reasonOf(failed('Failed'), aTask({ end: failed(reason) }))).toBe(want);
	});

	it.each(Object.entries(STUCK_REASONS))('a time-out while the TaskRun was stuck on %s is %s', (previous, want) => {
		const message = `TaskRun "x" failed to finish within "1m0s"\nPrevious status: [${previous}] more words`;
		const task = aTask({ end: failed('TaskRunTimeout', message) });
		expect(reasonOf(failed('PipelineRunTimeout'), task)).toBe(want);
		expect(reasonOf(failed('Failed'), task)).toBe(want);
	});

	it('words in a message decide nothing', () => {
		const task = aTask({ end: failed('StepFailed', 'OOMKilled TaskRunTimeout [PullImageFailed] exceeded quota') });
		expect(reasonOf(failed('Failed', 'PipelineRunTimeout'), task)).toBe('TaskFailed');
	});

	it('a step that was killed for its memory decides, whatever the TaskRun says', () => {
		const steps = [aStep({ exitCode: 137, reason: 'OOMKilled' })];
		expect(reasonOf(failed('Failed'), aTask({ end: failed('Failed'), steps }))).toBe('OOMKilled');
	});

	it('the table has a reason of the CRD for every reason of Tekton', () => {
		for (const reason of Object.keys(RUN_REASONS)) expect(reasonOf(failed(reason))).not.toBe('Unknown');
		expect(Object.values(TASK_REASONS)).not.toContain('Unknown');
	});
});

describe('what people read', () => {
	it('names task, step and exit code', () => {
		const steps = [
			aStep({ name: 'check', exitCode: 0 }),
			aStep({ exitCode: 3 }),
			aStep({ name: 'after', exitCode: 1, reason: 'Skipped' }),
		];
		const tasks = [aTask({ task: 'first' }), aTask({ task: 'restart', end: failed('StepFailed', 'exit 3'), steps })];
		expect(outcomeOf(failed('Failed', 'Tasks Completed: 1'), someParts({ tasks }))).toEqual({
			phase: 'Failed',
			reason: 'TaskFailed',
			message: 'Failed: exit 3',
			summary: 'Step kubectl of task restart failed with exit code 3.',
			wasExecutionFailure: true,
			failedTask: 'restart',
			failedStep: 'kubectl',
			exitCode: 3,
		});
	});

	it('blames the task that failed, not those that were ended with it', () => {
		const tasks = [
			aTask({ task: 'ended', end: failed('TaskRunCancelled') }),
			aTask({ task: 'ignored', end: failed('FailureIgnored') }),
			aTask({ task: 'broken', end: failed('StepFailed') }),
		];
		expect(outcomeOf(failed('Failed'), someParts({ tasks }))).toMatchObject({ failedTask: 'broken' });
	});

	it('has the reason of the task when the run says only that it failed', () => {
		const tasks = [aTask({ task: 'restart', end: failed('SomethingNew') })];
		expect(outcomeOf(failed('Failed'), someParts({ tasks }))).toMatchObject({
			reason: 'Unknown',
			summary: 'Task restart ended for a reason that is not known (SomethingNew).',
		});
	});

	it('has the words of Tekton for a reason that is not known', () => {
		expect(outcomeOf(failed('SomethingNew', 'strange'), someParts())).toMatchObject({
			message: 'SomethingNew: strange',
			summary: 'The run ended for a reason that is not known (SomethingNew).',
		});
	});
});

describe('wasExecutionFailure', () => {
	const acted = (parts: Parameters<typeof outcomeOf>[1]) => outcomeOf(failed('PipelineRunTimeout'), parts);
	it.each([
		{ parts: 'no task at all', it: someParts(), want: false },
		{
			parts: 'a task whose steps did not begin',
			it: someParts({ tasks: [aTask({ steps: [aStep({ started: false })] })] }),
			want: false,
		},
		{ parts: 'a task with a step that began', it: someParts({ tasks: [aTask({ steps: [aStep()] })] }), want: true },
		{ parts: 'a pod with a step that began', it: someParts({ pods: [aPod()] }), want: true },
		{ parts: 'a task that is gone', it: someParts({ isMissing: true }), want: true },
		{
			parts: 'a task that is tried again, and began a step before',
			it: someParts({ tasks: [aTask({ steps: [aStep({ started: false })], beganBefore: true })] }),
			want: true,
		},
		{ parts: 'a pod that waits', it: someParts({ pods: [aPod({ stepStarted: false })] }), want: false },
	])('is $want with $parts', ({ it: parts, want }) => {
		expect(acted(parts)).toMatchObject({ wasExecutionFailure: want });
	});
});
