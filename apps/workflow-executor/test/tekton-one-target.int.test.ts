// Real Tekton: many executions of one target at once, on three executors.
import { beforeAll, describe, expect, it } from 'vitest';
import type { WorkflowExecution } from '../src/generated/workflow-execution.ts';
import { eventually } from './harness/eventually.ts';
import { openTektonWorld, type TektonWorld } from './harness/tekton-world.ts';

let cluster: TektonWorld;
beforeAll(async () => {
	cluster = await openTektonWorld('one-target', 3);
	await cluster.pipelines.create('slow', { play: { durationMs: 5000 } });
});
const OVER: readonly (string | undefined)[] = ['Completed', 'Failed', 'Skipped'];

/** In the order given. */
async function untilOver(made: readonly WorkflowExecution[]): Promise<WorkflowExecution[]> {
	const all = await eventually(
		async () => new Map((await cluster.world.executions()).map((execution) => [execution.metadata.uid, execution])),
		(byUid) => {
			const open = made.filter(({ metadata }) => !OVER.includes(byUid.get(metadata.uid)?.status?.phase));
			expect(open.map(({ metadata }) => metadata.name)).toEqual([]);
		},
	);
	return made.map(({ metadata }) => all.get(metadata.uid) as WorkflowExecution);
}

describe('on real Tekton', () => {
	it('of 100 executions of one target at once, one runs and 99 are Skipped with its name', async () => {
		const { world } = cluster;
		const spec = { pipelineRef: { name: 'slow' }, cooldown: '10m' };
		const made = await Promise.all(
			Array.from({ length: 100 }, () => world.createExecution('shop/Deployment/hot', spec)),
		);
		const over = await untilOver(made);
		const completed = over.filter(({ status }) => status?.phase === 'Completed');
		const skipped = over.filter(({ status }) => status?.phase === 'Skipped');
		expect([completed.length, skipped.length]).toEqual([1, 99]);
		const [winner] = completed;
		for (const { status } of skipped)
			expect(status?.skipDetails).toMatchObject({
				reason: expect.stringMatching(/^(ResourceBusy|RecentlyRemediated)$/),
				heldBy: winner?.metadata.name,
			});
		const { starts, broken } = await cluster.judge();
		expect(broken).toEqual([]);
		expect([...starts]).toEqual([[winner?.metadata.uid, 1]]);
	});
});
