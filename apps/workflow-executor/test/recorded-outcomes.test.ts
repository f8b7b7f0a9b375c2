// Outcomes that no simulated pod can show, judged from what real Tekton wrote: test/recorded/record-tekton-statuses.ts recorded it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { outcomeOf } from '../src/objects/tekton-outcome.ts';
import { type PipelineRun, type TaskRun, toRun, toTask } from '../src/objects/tekton-run.ts';

type Recording = {
	readonly versions: string;
	readonly runs: Readonly<Record<string, { readonly run: PipelineRun; readonly taskRuns: readonly TaskRun[] }>>;
};
const { versions, runs } = JSON.parse(
	readFileSync(join(import.meta.dirname, 'recorded', 'tekton-statuses.json'), 'utf8'),
) as Recording;

/** The reason of the run, and that of its TaskRun where one was made. */
const WANT: Readonly<Record<string, { readonly reasons: readonly string[]; readonly outcome: object }>> = {
	'tasks that wait for each other': { reasons: ['PipelineInvalidGraph'], outcome: { reason: 'ConfigurationError' } },
	'an object parameter without a key': {
		reasons: ['ObjectParameterMissKeys'],
		outcome: { reason: 'ConfigurationError' },
	},
	'an index past the end of an array': {
		reasons: ['ParamArrayIndexingInvalid'],
		outcome: { reason: 'ConfigurationError' },
	},
	'settings for a task that is not there': {
		reasons: ['InvalidTaskRunSpecs'],
		outcome: { reason: 'ConfigurationError' },
	},
	'a result that the task does not have': {
		reasons: ['InvalidTaskResultReference'],
		outcome: { reason: 'ConfigurationError' },
	},
	'an optional workspace that a task requires': {
		reasons: ['RequiredWorkspaceMarkedOptional'],
		outcome: { reason: 'ConfigurationError' },
	},
	'a parameter that the task requires': {
		reasons: ['PipelineValidationFailed'],
		outcome: { reason: 'ConfigurationError' },
	},
	'a task that is not valid': {
		reasons: ['Failed', 'PodCreationFailed'],
		outcome: { reason: 'ConfigurationError', failedTask: 'only' },
	},
	'a pod that cannot exist': {
		reasons: ['Failed', 'PodCreationFailed'],
		outcome: { reason: 'ConfigurationError', failedTask: 'only' },
	},
};

it('the recording is of the Tekton that the tests run', () => {
	expect(versions).toMatch(/^Kubernetes 1\.\d+\.\d+ with Tekton 1\.15\.1$/);
	expect(Object.keys(runs).toSorted()).toEqual(Object.keys(WANT).toSorted());
});

it.each(Object.entries(runs))('%s', (what, recorded) => {
	const run = toRun(recorded.run);
	const tasks = recorded.taskRuns.map(toTask);
	expect([run.end?.reason, ...tasks.map(({ end }) => end?.reason)]).toEqual(WANT[what]?.reasons);
	expect(run.state).toBe('done');
	const outcome = outcomeOf(run.end!, { tasks, pods: [], isMissing: false });
	expect(outcome).toMatchObject({ phase: 'Failed', wasExecutionFailure: false, ...WANT[what]?.outcome });
});
