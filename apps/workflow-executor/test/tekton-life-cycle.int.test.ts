// Real Tekton, controller-manager, scheduler, and pods that KWOK plays: three executors take runs to their end.
import { beforeAll, describe, expect, it } from 'vitest';
import { Pipelines } from './harness/pipelines.ts';
import { judgeRuns } from './harness/run-history.ts';
import { openWorld, type World } from './harness/world.ts';

let world: World;
let pipelines: Pipelines;
beforeAll(async () => {
	world = await openWorld('tekton', 3, { tekton: 'real' });
	pipelines = new Pipelines(world);
	await pipelines.prepare();
	await pipelines.create('restart');
	await pipelines.create('endless', { play: { outcome: 'Running', stopsAfterMs: 3000 } });
});
let count = 0;
const freshTarget = () => `shop/Deployment/app-${count++}`;
const named = (name: string) => ({ pipelineRef: { name } });

describe('on real Tekton', () => {
	it('an execution runs, completes, cools down and releases its target to the next', async () => {
		const target = freshTarget();
		const first = await world.until(await world.createExecution(target, { cooldown: '12s' }), 'Completed');
		const { uid } = first.status?.pipelineRunRef ?? { uid: '' };
		expect((await world.run(target))?.['metadata'].uid).toBe(uid);
		const early = await world.until(await world.createExecution(target), 'Skipped');
		expect(early.status?.skipDetails).toMatchObject({ reason: 'RecentlyRemediated', heldBy: first.metadata.name });
		await world.untilFree(target);
		expect(await pipelines.partsOf('taskruns', uid)).toEqual([]);
		expect(await pipelines.partsOf('pods', uid)).toEqual([]);
		await world.until(await world.createExecution(target), 'Completed');
	});

	it('an execution that is deleted while it runs ends its pods before the name is free', async () => {
		const target = freshTarget();
		const running = await world.until(await world.createExecution(target, named('endless')), 'Running');
		const uid = await pipelines.untilPodRuns(target);
		await world.deleteExecution(running);
		await world.untilFree(target);
		expect(await pipelines.partsOf('pods', uid)).toEqual([]);
		expect(await pipelines.partsOf('taskruns', uid)).toEqual([]);
		await world.untilGone(running);
		expect(await world.events(running.metadata.name)).toContain('Cancelled');
	});

	it('a run that a person deletes while it runs: its TaskRuns are ended, and its outcome is written before it goes', async () => {
		const target = freshTarget();
		const running = await world.until(await world.createExecution(target, named('endless')), 'Running');
		const uid = await pipelines.untilPodRuns(target);
		await world.deleteRun(target);
		const failed = await world.until(running, 'Failed');
		expect(failed.status?.failureDetails).toMatchObject({ reason: 'ExternallyDeleted', wasExecutionFailure: true });
		await world.untilFree(target);
		expect(await pipelines.partsOf('pods', uid)).toEqual([]);
		await world.until(await world.createExecution(target), 'Completed');
	});

	it('a run that is not there for its pipeline fails as a ConfigurationError, with the words of Tekton', async () => {
		const target = freshTarget();
		const failed = await world.until(await world.createExecution(target, named('missing')), 'Failed');
		expect(failed.status?.failureDetails).toMatchObject({
			reason: 'ConfigurationError',
			message: expect.stringContaining('CouldntGetPipeline'),
			wasExecutionFailure: false,
		});
		await world.untilFree(target);
	});

	it('a time-out ends it as DeadlineExceeded', async () => {
		const target = freshTarget();
		const failed = await world.until(
			await world.createExecution(target, { ...named('endless'), timeout: '8s' }),
			'Failed',
		);
		expect(failed.status?.failureDetails).toMatchObject({ reason: 'DeadlineExceeded' });
		await world.untilFree(target);
	});

	it('of 20 executions of one target at once, one runs and 19 are Skipped', async () => {
		const target = freshTarget();
		const made = await Promise.all(
			Array.from({ length: 20 }, () => world.createExecution(target, { cooldown: '10m' })),
		);
		for (const execution of made)
			await expect
				.poll(async () => (await world.execution(execution.metadata.name))?.status?.phase, { timeout: 60_000 })
				.toMatch(/Completed|Skipped/);
		const phases = await Promise.all(
			made.map(async ({ metadata }) => (await world.execution(metadata.name))?.status?.phase),
		);
		expect(phases.filter((phase) => phase === 'Completed')).toHaveLength(1);
	});

	it('never were two runs of one target started and not over, and no execution was started twice', () => {
		const { most, starts } = judgeRuns(world.runChanges);
		expect(most).toBe(1);
		expect([...starts.values()].filter((number) => number > 1)).toEqual([]);
	});
});
