// Tekton is played: one execution from its creation to the release of its target, and everything that may be deleted on the way.
import { beforeAll, describe, expect, it } from 'vitest';
import type { WorkflowExecution } from '../src/generated/workflow-execution.ts';
import { judgeRuns } from './harness/run-history.ts';
import { openWorld, type World } from './harness/world.ts';

let world: World;
beforeAll(async () => {
	world = await openWorld('life-cycle', 3);
});
let count = 0;
const freshTarget = () => `shop/Deployment/app-${count++}`;
const nameOf = ({ metadata }: WorkflowExecution) => metadata.name;

describe('with Tekton played', () => {
	it('an execution is created, runs, completes, cools down and releases its target to the next', async () => {
		const target = freshTarget();
		world.tekton.durationMs = 300;
		const first = await world.createExecution(target, { cooldown: '15s', parameters: { REPLICAS: '3' } });
		const completed = await world.until(first, 'Completed');
		const run = await world.run(target);
		expect(completed.status).toMatchObject({
			pipelineRunRef: { name: run?.['metadata'].name, uid: run?.['metadata'].uid },
			fencing: { lease: run?.['metadata'].name, token: expect.any(Number) },
			startTime: expect.any(String),
			completionTime: expect.any(String),
			duration: expect.any(String),
			conditions: expect.arrayContaining([
				expect.objectContaining({ type: 'Ended', status: 'True' }),
				expect.objectContaining({ type: 'Succeeded', status: 'True' }),
			]),
		});
		expect(run?.['spec']).toMatchObject({
			pipelineRef: { name: 'restart' },
			params: expect.arrayContaining([
				{ name: 'REPLICAS', value: '3' },
				{ name: 'TARGET_RESOURCE', value: target },
			]),
			taskRunTemplate: { serviceAccountName: 'kubernaut-workflow' },
		});
		const early = await world.until(await world.createExecution(target), 'Skipped');
		expect(early.status?.skipDetails).toMatchObject({ reason: 'RecentlyRemediated', heldBy: nameOf(first) });
		await world.untilFree(target);
		const endedAt = Date.parse(completed.status?.completionTime ?? '');
		expect(Date.now() - endedAt).toBeGreaterThanOrEqual(15_000);
		await world.until(await world.createExecution(target), 'Completed');
		// The API server lists them by name, which says nothing about their order.
		await expect
			.poll(async () => (await world.events(nameOf(first))).toSorted())
			.toEqual(['Completed', 'LockReleased', 'Started']);
	});

	it('a run that a person deletes while it runs fails its execution, and the next one gets the target', async () => {
		const target = freshTarget();
		world.tekton.durationMs = Infinity;
		const running = await world.until(await world.createExecution(target), 'Running');
		await world.untilRun(target, (run) => expect(run?.['status']?.startTime).toBeDefined());
		await world.deleteRun(target);
		const failed = await world.until(running, 'Failed');
		expect(failed.status?.failureDetails).toMatchObject({ reason: 'ExternallyDeleted' });
		world.tekton.durationMs = 100;
		await world.untilFree(target);
		await world.until(await world.createExecution(target), 'Completed');
	});

	it('a run that a pruner deletes in its cooldown goes at once, and the cooldown is kept', async () => {
		const target = freshTarget();
		world.tekton.durationMs = 100;
		const first = await world.until(await world.createExecution(target, { cooldown: '10m' }), 'Completed');
		await world.deleteRun(target);
		await world.untilFree(target);
		const next = await world.until(await world.createExecution(target), 'Skipped');
		expect(next.status?.skipDetails).toMatchObject({ reason: 'RecentlyRemediated', heldBy: nameOf(first) });
	});

	it('an execution that is deleted while it runs ends its run as Cancelled, and releases at once', async () => {
		const target = freshTarget();
		world.tekton.durationMs = Infinity;
		const running = await world.until(await world.createExecution(target, { cooldown: '10m' }), 'Running');
		await world.deleteExecution(running);
		await world.untilGone(running);
		await world.untilFree(target);
		expect(await world.events(nameOf(running))).toContain('Cancelled');
	});

	it('an execution that is deleted in its cooldown releases at once', async () => {
		const target = freshTarget();
		world.tekton.durationMs = 100;
		const first = await world.until(await world.createExecution(target, { cooldown: '10m' }), 'Completed');
		await world.deleteExecution(first);
		await world.untilGone(first);
		await world.untilFree(target);
		const next = await world.until(await world.createExecution(target), 'Completed');
		expect(next.status?.pipelineRunRef?.uid).not.toBe(first.status?.pipelineRunRef?.uid);
	});

	it('an object of another making that has the name is never touched', async () => {
		const target = freshTarget();
		const { runName } = await import('../src/objects/run-engine.ts');
		const body = { apiVersion: 'tekton.dev/v1', kind: 'PipelineRun', metadata: { name: runName(target) }, spec: {} };
		const made = await world.api.call('POST', world.runsPath, { body });
		const skipped = await world.until(await world.createExecution(target), 'Skipped');
		expect(skipped.status?.skipDetails).toMatchObject({
			reason: 'ResourceBusy',
			heldBy: `PipelineRun ${runName(target)}`,
		});
		expect((await world.run(target))?.['metadata'].uid).toBe(made['metadata'].uid);
	});

	it('a policy that forbids it fails before a run exists, and names the key', async () => {
		const target = freshTarget();
		const failed = await world.until(
			await world.createExecution(target, { serviceAccountName: 'cluster-admin' }),
			'Failed',
		);
		expect(failed.status?.failureDetails).toMatchObject({
			reason: 'ConfigurationError',
			message: expect.stringContaining('EXECUTION_SERVICE_ACCOUNTS'),
			wasExecutionFailure: false,
		});
		expect(await world.run(target)).toBeUndefined();
	});

	it('never were two runs of one target started and not over, and no execution was started twice', () => {
		const { most, starts } = judgeRuns(world.runChanges);
		expect(most).toBe(1);
		expect([...starts.values()].filter((number) => number > 1)).toEqual([]);
	});
});
