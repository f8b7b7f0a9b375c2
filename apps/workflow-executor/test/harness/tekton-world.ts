// Executors on real Tekton, and everything that is stored meanwhile: read from etcd, so that runs, TaskRuns and pods are judged in
// one order.
import { StoredHistory } from '@kubernaut/control-plane';
import { atTheEnd } from '@kubernaut/testkit';
import { inject } from 'vitest';
import type { WorkflowExecution } from '../../src/generated/workflow-execution.ts';
import { Pipelines } from './pipelines.ts';
import { type Judgement, judgeHistory, storedKinds } from './run-promises.ts';
import { brokenPromises, openWorld, type World } from './world.ts';

export type TektonWorld = {
	readonly world: World;
	readonly pipelines: Pipelines;
	/** Of everything until now. */
	judge(): Promise<Judgement>;
	/** How often a run of it was started. */
	startsOf(execution: WorkflowExecution): Promise<number>;
	/** What everything until now breaks of the promises; an execution that was started twice is among it. */
	brokenPromises(): Promise<string[]>;
};

/** With the Pipelines `restart`, which succeeds at once, and `endless`, whose pods take a moment to end when they are deleted. */
export async function openTektonWorld(
	prefix: string,
	replicas: number,
	env: Readonly<Record<string, string>> = {},
): Promise<TektonWorld> {
	const world = await openWorld(prefix, 0, { tekton: 'real', recorded: false, env });
	const kinds = storedKinds(world.namespace, world.workflows);
	const history = await StoredHistory.start(inject('controlPlane').directory ?? '', Object.values(kinds));
	atTheEnd(() => history.stop());
	const pipelines = new Pipelines(world);
	await pipelines.prepare();
	await pipelines.create('restart');
	await pipelines.create('endless', { play: { outcome: 'Running', stopsAfterMs: 2000 } });
	await world.startSeveral(replicas);

	async function judge(): Promise<Judgement> {
		await history.caughtUp();
		return judgeHistory(history.changes, kinds);
	}
	return {
		world,
		pipelines,
		judge,
		startsOf: async ({ metadata }) => (await judge()).starts.get(metadata.uid) ?? 0,
		brokenPromises: async () => brokenPromises(await judge()),
	};
}
