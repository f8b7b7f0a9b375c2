// Real Tekton: what people and pruners delete, in every phase. `kubectl delete` deletes in the background.
import { setTimeout as delay } from 'node:timers/promises';
import type { KubeObject } from '@kubernaut/control-plane';
import { beforeAll, describe, expect, it } from 'vitest';
import type { WorkflowExecutionSpec } from '../src/generated/workflow-execution.ts';
import { runName } from '../src/objects/run-engine.ts';
import { pipelineRunManifest } from '../src/objects/tekton-manifest.ts';
import { eventually } from './harness/eventually.ts';
import { killHeld, startHeldExecutor } from './harness/held-executor.ts';
import { openTektonWorld, type TektonWorld } from './harness/tekton-world.ts';
import type { World } from './harness/world.ts';

let cluster: TektonWorld;
beforeAll(async () => {
	cluster = await openTektonWorld('deletions', 0);
	await cluster.pipelines.create('failing', { play: { outcome: 'Error', exitCode: 3 } });
});
let count = 0;
const freshTarget = () => `shop/Deployment/app-${count++}`;
const GONE = { name: 'we-gone', uid: 'uid-of-we-gone' } as const;
const ENDLESS = { pipelineRef: { name: 'endless' } };

async function expectNothingLeft(target: string, uid: string | undefined): Promise<void> {
	await cluster.world.untilFree(target);
	expect(await cluster.pipelines.partsOf('taskruns', uid ?? '')).toEqual([]);
	expect(await cluster.pipelines.partsOf('pods', uid ?? '')).toEqual([]);
}

describe('on real Tekton, one executor at a time', () => {
	it('a run that was created and not claimed, and is deleted: it is finished off, and made anew', async () => {
		const { world } = cluster;
		const target = freshTarget();
		const held = await startHeldExecutor(world, 'killed-after-create');
		const isHeld = held.calls.hold(0, 'after');
		const execution = await world.createExecution(target);
		await isHeld;
		await killHeld(held);
		const before = await world.run(target);
		await world.deleteRun(target);
		const other = await world.start('replacement');
		const completed = await world.until(execution, 'Completed');
		expect(completed.status?.pipelineRunRef?.uid).not.toBe(before?.['metadata'].uid);
		await expectNothingLeft(target, completed.status?.pipelineRunRef?.uid);
		expect(await cluster.startsOf(execution)).toBe(1);
		await other.stop();
	});

	it('a run that is deleted between claim and start never starts, and fails its execution', async () => {
		const { world } = cluster;
		const target = freshTarget();
		const { calls, executor } = await startHeldExecutor(world, 'held-before-start');
		const isHeld = calls.hold(2, 'before');
		const execution = await world.createExecution(target);
		await isHeld;
		await world.deleteRun(target);
		calls.letGo();
		const failed = await world.until(execution, 'Failed');
		expect(failed.status?.failureDetails).toMatchObject({ reason: 'ExternallyDeleted', wasExecutionFailure: false });
		await expectNothingLeft(target, failed.status?.pipelineRunRef?.uid);
		expect(await cluster.startsOf(execution)).toBe(0);
		await executor.stop();
	});
});

describe('on real Tekton, with three executors', () => {
	beforeAll(() => cluster.world.startSeveral(3));

	it('a run that is deleted while it runs: its TaskRuns are ended, and its outcome is written before it goes', async () => {
		const { world, pipelines } = cluster;
		const target = freshTarget();
		const running = await world.until(await world.createExecution(target, ENDLESS), 'Running');
		const uid = await pipelines.untilPodRuns(target);
		await world.deleteRun(target);
		const failed = await world.until(running, 'Failed');
		expect(failed.status?.failureDetails).toMatchObject({ reason: 'ExternallyDeleted', wasExecutionFailure: true });
		// Counted by the executor whose write was accepted, when it has the answer.
		await eventually(
			() =>
				Promise.all(
					// Those of the tests before are not there any more.
					world.processes.map(({ metricsUrl }) =>
						fetch(metricsUrl).then(
							(answer) => answer.text(),
							() => '',
						),
					),
				),
			(metrics) =>
				expect(metrics.filter((text) => text.includes('we_lock_lost_total{reason="removed"} 1'))).toHaveLength(1),
		);
		await expectNothingLeft(target, uid);
		const next = await world.until(await world.createExecution(target), 'Completed');
		expect(await cluster.startsOf(next)).toBe(1);
	});

	it('a run that is deleted in its cooldown goes at once, and the cooldown is kept', async () => {
		const { world } = cluster;
		const target = freshTarget();
		const first = await world.until(await world.createExecution(target, { cooldown: '10m' }), 'Completed');
		await world.deleteRun(target);
		await expectNothingLeft(target, first.status?.pipelineRunRef?.uid);
		const next = await world.until(await world.createExecution(target), 'Skipped');
		expect(next.status?.skipDetails).toMatchObject({ reason: 'RecentlyRemediated', heldBy: first.metadata.name });
	});

	it('a pruner that deletes runs at the moment of their completion costs no outcome', async () => {
		const { world } = cluster;
		const pruning = new AbortController();
		const pruner = prune(pruning.signal);
		const targets = Array.from({ length: 12 }, freshTarget);
		const made = await Promise.all(
			targets.map((target, i) =>
				world.createExecution(target, {
					...(i % 3 === 0 ? { pipelineRef: { name: 'failing' } } : {}),
					// The runs of these are the pruner's; for the others it races with the executors.
					...(i % 2 === 0 ? { cooldown: '10m' } : {}),
				}),
			),
		);
		for (const [i, execution] of made.entries()) await world.until(execution, i % 3 === 0 ? 'Failed' : 'Completed');
		for (const target of targets) await world.untilFree(target);
		pruning.abort();
		expect(await pruner).toBeGreaterThanOrEqual(targets.length / 2);
		const failed = await Promise.all(
			made.filter((_, i) => i % 3 === 0).map(({ metadata }) => world.execution(metadata.name)),
		);
		expect(failed.map((one) => one?.status?.failureDetails)).toMatchObject(
			failed.map(() => ({ reason: 'TaskFailed', exitCode: 3 })),
		);
	});

	const PHASES: {
		phase: string;
		spec: Partial<WorkflowExecutionSpec>;
		prepare?: (target: string) => Promise<unknown>;
		wantEvent: string;
	}[] = [
		{
			phase: 'Running',
			spec: ENDLESS,
			prepare: (target) => cluster.pipelines.untilPodRuns(target),
			wantEvent: 'Cancelled',
		},
		{ phase: 'Completed', spec: { cooldown: '10m' }, wantEvent: 'LockReleased' },
		{ phase: 'Failed', spec: { pipelineRef: { name: 'failing' }, cooldown: '10m' }, wantEvent: 'LockReleased' },
	];
	it.each(PHASES)(
		'an execution that is deleted when it is $phase releases at once, with nothing left',
		async ({ phase, spec, prepare, wantEvent }) => {
			const { world } = cluster;
			const target = freshTarget();
			const execution = await world.until(await world.createExecution(target, spec), phase);
			await prepare?.(target);
			await world.deleteExecution(execution);
			await world.untilGone(execution);
			await expectNothingLeft(target, execution.status?.pipelineRunRef?.uid);
			await world.untilEvent(execution.metadata.name, wantEvent);
			expect(await cluster.startsOf(execution)).toBe(1);
		},
	);

	it('an execution that is deleted when it is Skipped goes, and the run of the holder stays', async () => {
		const { world } = cluster;
		const target = freshTarget();
		const holder = await world.until(await world.createExecution(target, { cooldown: '10m' }), 'Completed');
		const skipped = await world.until(await world.createExecution(target), 'Skipped');
		await world.deleteExecution(skipped);
		await world.untilGone(skipped);
		const run = await world.run(target);
		expect(run?.['metadata']).toMatchObject({ uid: holder.status?.pipelineRunRef?.uid });
		expect(run?.['metadata'].deletionTimestamp).toBeUndefined();
	});

	it('a run whose execution does not exist is removed', async () => {
		const target = freshTarget();
		const { metadata } = await plantRun(cluster.world, target, 'restart');
		await expectNothingLeft(target, metadata.uid);
	});

	it('no promise was broken', async () => {
		expect(await cluster.brokenPromises()).toEqual([]);
	});
});

describe('on real Tekton, with a node that is gone', () => {
	it('a run whose pods never end is abandoned after run.orphan_after: the target is free, with a Warning', async () => {
		const { world, pipelines } = await openTektonWorld('orphan', 0, { RUN_ORPHAN_AFTER: '5s' });
		await pipelines.create('unreachable', { play: { outcome: 'Running', stopsAfterMs: 'never' } });
		const target = freshTarget();
		await plantRun(world, target, 'unreachable', { status: undefined });
		const uid = await pipelines.untilPodRuns(target);
		const executor = await world.start('executor-0');
		await world.untilFree(target);
		expect(await pipelines.partsOf('pods', uid)).toHaveLength(1);
		await world.untilEvent(GONE.name, 'LockAbandoned');
		expect(await (await fetch(executor.metricsUrl)).text()).toMatch(/^we_runs_abandoned_total 1$/m);
	});
});

/** A run of an execution that does not exist. */
async function plantRun(world: World, target: string, pipeline: string, spec: object = {}): Promise<KubeObject> {
	const run = {
		name: runName(target),
		lockKey: target,
		owner: { namespace: world.namespace, ...GONE },
		fencingToken: undefined,
		madeBy: 'executor-9',
		pipeline: { name: pipeline },
		parameters: {},
		serviceAccountName: 'kubernaut-workflow',
		timeoutMs: 60_000,
	};
	const manifest = pipelineRunManifest(run, world.workflows) as { readonly spec: object };
	const body = { ...manifest, spec: { ...manifest.spec, ...spec } };
	return world.api.call('POST', world.runsPath, { body });
}

/** Deletes every run as soon as Tekton says that it is done; answers how many. */
async function prune(signal: AbortSignal): Promise<number> {
	const { api, runsPath } = cluster.world;
	let deleted = 0;
	while (!signal.aborted) {
		const { items } = await api.call('GET', runsPath);
		for (const { metadata, status } of items) {
			const isDone = ['True', 'False'].includes(status?.conditions?.[0]?.status);
			if (!isDone || metadata.deletionTimestamp !== undefined) continue;
			const { status: answer } = await api.send('DELETE', `${runsPath}/${metadata.name}`, {
				body: { preconditions: { uid: metadata.uid }, propagationPolicy: 'Background' },
			});
			if (answer < 300) deleted++;
		}
		await delay(5);
	}
	return deleted;
}
