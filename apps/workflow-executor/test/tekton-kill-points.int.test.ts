// Real Tekton: a run is deleted by hand while it runs, and the executor that ends it is killed after each of its writes, or stands
// still before each until the next execution's run stands in its place. TaskRuns of both have the same names. Every point has a
// namespace of its own, and all are played at once.
import { describe, expect, it } from 'vitest';
import { killHeld, startHeldExecutor } from './harness/held-executor.ts';
import { openTektonWorld } from './harness/tekton-world.ts';

const TARGET = 'shop/Deployment/cart';
const ENDLESS = { pipelineRef: { name: 'endless' } } as const;
/** After create, claim and start; Tekton's webhook may have had one of them repeated. */
const WRITES = [
	'PATCH taskruns', // ended, because Tekton does not do it
	'PATCH workflowexecutions/status', // outcome
	'DELETE pipelineruns', // in the foreground
	'PATCH pipelineruns', // our finalizer
] as const;

/** A run that runs, in a namespace of its own, and the executor that is to be held. */
async function begin(what: string, number: number) {
	const cluster = await openTektonWorld(`${what}-${number}`, 0);
	const { world, pipelines } = cluster;
	const held = await startHeldExecutor(world, `held-${number}`);
	const execution = await world.createExecution(TARGET, ENDLESS);
	const uid = await pipelines.untilPodRuns(TARGET);
	return { ...cluster, held, execution, uid, first: held.calls.writes.length };
}

describe('on real Tekton, with a run that is deleted while it runs', () => {
	it('an executor that is killed after any of its writes is replaced, and nothing of the run is left', async () => {
		await Promise.all(
			WRITES.map(async (write, number) => {
				const { first, world, pipelines, held, execution, uid, startsOf, brokenPromises } = await begin(
					'killed',
					number,
				);
				const isHeld = held.calls.hold(first + number, 'after');
				await world.deleteRun(TARGET);
				expect(await isHeld).toBe(write);
				await killHeld(held);
				await world.start(`replacement-${number}`);
				const { status } = await world.until(execution, 'Failed');
				expect(status?.failureDetails).toMatchObject({ reason: 'ExternallyDeleted', wasExecutionFailure: true });
				await world.untilFree(TARGET);
				expect(await pipelines.partsOf('taskruns', uid)).toEqual([]);
				expect(await pipelines.partsOf('pods', uid)).toEqual([]);
				expect(await startsOf(execution)).toBe(1);
				expect(await brokenPromises()).toEqual([]);
			}),
		);
	});

	it('an executor that stands still before any of its writes does the run of the next execution no harm', async () => {
		await Promise.all(
			WRITES.map(async (write, number) => {
				const { first, world, pipelines, held, execution, startsOf, brokenPromises } = await begin('paused', number);
				const { calls, executor } = held;
				const isHeld = calls.hold(first + number, 'before');
				await world.deleteRun(TARGET);
				expect(await isHeld).toBe(write);
				await executor.pause();
				await world.start(`other-${number}`);
				await world.until(execution, 'Failed');
				await world.untilFree(TARGET);
				const second = await world.until(await world.createExecution(TARGET, ENDLESS), 'Running');
				const uid = await pipelines.untilPodRuns(TARGET);
				calls.letGo();
				await calls.answered(first + number);
				executor.signal('SIGCONT');
				await world.settle();
				const run = await world.run(TARGET);
				expect(run?.['metadata']).toMatchObject({ uid, finalizers: ['kubernaut.ai/pipelinerun-lock'] });
				expect(run?.['metadata'].deletionTimestamp).toBeUndefined();
				expect(run?.['spec'].status).toBeUndefined();
				expect((await pipelines.partsOf('taskruns', uid)).map(({ spec }) => spec.status)).toEqual([undefined]);
				expect((await pipelines.partsOf('pods', uid)).map(({ status }) => status.phase)).toEqual(['Running']);
				await world.deleteExecution(second);
				await world.untilGone(second);
				expect([await startsOf(execution), await startsOf(second)]).toEqual([1, 1]);
				expect(await brokenPromises()).toEqual([]);
			}),
		);
	});
});
