// Real Tekton, controller-manager, scheduler, and pods that KWOK plays: three executors take runs to their end.
import { setTimeout as delay } from 'node:timers/promises';
import { partSwitch } from '@kubernaut/control-plane';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { WORTH_WAITING_MS } from '../src/decide/deadline.ts';
import { eventually } from './harness/eventually.ts';
import { openTektonWorld, type TektonWorld } from './harness/tekton-world.ts';

let cluster: TektonWorld;
beforeAll(async () => {
	cluster = await openTektonWorld('tekton', 3);
	await cluster.pipelines.create('slow', { play: { durationMs: 4000 } });
	await cluster.pipelines.create('slower', { play: { durationMs: 15_000 } });
});
/** Long enough that a busy machine asks for the next execution before little is left of it. */
const COOLDOWN_MS = 20_000 + WORTH_WAITING_MS;
let count = 0;
const freshTarget = () => `shop/Deployment/app-${count++}`;
const named = (name: string) => ({ pipelineRef: { name } });

describe('on real Tekton', () => {
	it('an execution runs, completes, cools down and releases its target to the next', async () => {
		const { world, pipelines } = cluster;
		const target = freshTarget();
		const made = await world.createExecution(target, {
			cooldown: `${COOLDOWN_MS / 1000}s`,
			parameters: { REPLICAS: '3' },
		});
		const first = await world.until(made, 'Completed');
		const { uid } = first.status?.pipelineRunRef ?? { uid: '' };
		const run = await world.run(target);
		expect(run?.['metadata'].uid).toBe(uid);
		expect(run?.['spec']).toMatchObject({
			pipelineRef: { name: 'restart' },
			params: expect.arrayContaining([
				{ name: 'REPLICAS', value: '3' },
				{ name: 'TARGET_RESOURCE', value: target },
			]),
			taskRunTemplate: { serviceAccountName: 'kubernaut-workflow' },
		});
		expect(first.status).toMatchObject({
			fencing: { lease: run?.['metadata'].name, token: expect.any(Number) },
			duration: expect.any(String),
			conditions: expect.arrayContaining([
				expect.objectContaining({ type: 'Ended', status: 'True' }),
				expect.objectContaining({ type: 'Succeeded', status: 'True' }),
			]),
		});
		const early = await world.until(await world.createExecution(target), 'Skipped');
		expect(early.status?.skipDetails).toMatchObject({ reason: 'RecentlyRemediated', heldBy: first.metadata.name });
		const cooledDownAt = Date.parse(first.status?.completionTime ?? '') + COOLDOWN_MS;
		await delay(cooledDownAt - (WORTH_WAITING_MS - 1000) - Date.now());
		// Little is left of the cooldown: it is waited for.
		const waiting = await world.createExecution(target);
		await world.untilFree(target);
		expect(Date.now()).toBeGreaterThanOrEqual(cooledDownAt);
		expect(await pipelines.partsOf('taskruns', uid)).toEqual([]);
		expect(await pipelines.partsOf('pods', uid)).toEqual([]);
		await world.until(waiting, 'Completed');
		// The API server lists them by name, which says nothing about their order.
		await eventually(
			async () => (await world.events(first.metadata.name)).toSorted(),
			(reasons) => expect(reasons).toEqual(['Completed', 'LockReleased', 'Started']),
		);
	});

	it('executors that are all killed while a run runs, and again in its cooldown, are replaced: one start, and the cooldown is kept', async () => {
		const { world } = cluster;
		const target = freshTarget();
		const running = await world.until(
			await world.createExecution(target, { ...named('slow'), cooldown: '10m' }),
			'Running',
		);
		// Without it no run ends, however long executors take to start.
		const controller = partSwitch(inject('controlPlane').directory ?? '', 'tekton-controller');
		await controller.stop('SIGKILL');
		try {
			await restartAll();
			const other = await world.until(await world.createExecution(target, named('endless')), 'Skipped');
			expect(other.status?.skipDetails).toMatchObject({ reason: 'ResourceBusy', heldBy: running.metadata.name });
		} finally {
			await controller.start();
		}
		await world.until(running, 'Completed');
		await restartAll();
		const next = await world.until(await world.createExecution(target), 'Skipped');
		expect(next.status?.skipDetails).toMatchObject({ reason: 'RecentlyRemediated', heldBy: running.metadata.name });
		expect(await cluster.startsOf(running)).toBe(1);
	});

	it('a pipeline that does not exist fails as a ConfigurationError, with the words of Tekton', async () => {
		const { world } = cluster;
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
		const { world } = cluster;
		const target = freshTarget();
		const failed = await world.until(
			await world.createExecution(target, { ...named('endless'), timeout: '6s' }),
			'Failed',
		);
		expect(failed.status?.failureDetails).toMatchObject({ reason: 'DeadlineExceeded' });
		await world.untilFree(target);
	});

	// Tekton fails a run when an API server that has just started refuses it once; and its next reconcile, whose view may be
	// older, writes its status over that. Neither can be had at will: both writes are played here.
	it('a run whose end Tekton takes back runs on, and completes', async () => {
		const { world, pipelines } = cluster;
		const target = freshTarget();
		// Its pod runs for longer than an end that is taken back may stand.
		const execution = await world.until(await world.createExecution(target, named('slower')), 'Running');
		await pipelines.untilPodRuns(target);
		const running = await world.run(target);
		await pipelines.writeStatus(target, refusedEnd());
		await delay(2000);
		await pipelines.writeStatus(target, { conditions: running?.['status'].conditions, completionTime: null });
		const { status } = await world.until(execution, 'Completed');
		expect(status?.pipelineRunRef?.uid).toBe(running?.['metadata'].uid);
		await world.untilFree(target);
		expect(await cluster.startsOf(execution)).toBe(1);
	});

	it('an end that stays is taken at its word: what still runs is ended, and the outcome has the words of Tekton', async () => {
		const { world, pipelines } = cluster;
		const target = freshTarget();
		const execution = await world.until(await world.createExecution(target, named('endless')), 'Running');
		const uid = await pipelines.untilPodRuns(target);
		const end = refusedEnd();
		await pipelines.writeStatus(target, end);
		const { status } = await world.until(execution, 'Failed');
		expect(status?.failureDetails).toMatchObject({
			reason: 'ConfigurationError',
			message: expect.stringContaining(end.conditions[0]?.message ?? ''),
			wasExecutionFailure: true,
		});
		await world.untilFree(target);
		expect(await pipelines.partsOf('pods', uid)).toEqual([]);
	});

	it('no promise was broken', async () => {
		expect(await cluster.brokenPromises()).toEqual([]);
	});
});

async function restartAll(): Promise<void> {
	const { processes } = cluster.world;
	for (const { signal, exited } of processes.splice(0)) {
		signal('SIGKILL');
		await exited;
	}
	await cluster.world.startSeveral(3);
}

function refusedEnd() {
	const message = 'Pipeline slow can not be retrieved: it is forbidden';
	const condition = { type: 'Succeeded', status: 'False', reason: 'CouldntGetPipeline', message };
	const now = new Date().toISOString().replace(/\.\d{3}Z$/, 'Z');
	return { completionTime: now, conditions: [{ ...condition, lastTransitionTime: now }] };
}
