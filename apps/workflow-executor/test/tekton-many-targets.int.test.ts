// Real Tekton: the same workflow on many targets at once, on three executors. Most of the time is Tekton's own.
import { beforeAll, expect, it } from 'vitest';
import { eventually } from './harness/eventually.ts';
import { openTektonWorld, type TektonWorld } from './harness/tekton-world.ts';

/** A hundred runs take Tekton most of a minute on two cores, and longer beside other work. */
const PATIENCE_MS = 280_000;

let cluster: TektonWorld;
beforeAll(async () => {
	cluster = await openTektonWorld('many-targets', 3);
});

it('on real Tekton, the same workflow on 100 targets runs on all of them, each once', async () => {
	const { world, pipelines } = cluster;
	const targets = Array.from({ length: 100 }, (_, i) => `shop/Deployment/cold-${i}`);
	const startedAt = performance.now();
	const made = await Promise.all(targets.map((target) => world.createExecution(target)));
	await eventually(
		() => world.executions(),
		(all) => expect(all.map(({ status }) => status?.phase)).toEqual(targets.map(() => 'Completed')),
		PATIENCE_MS,
	);
	await eventually(
		() => pipelines.all('pipelineruns'),
		(runs) => expect(runs.map(({ metadata }) => metadata.name)).toEqual([]),
		PATIENCE_MS,
	);
	console.log(`100 targets: all completed and released after ${Math.round((performance.now() - startedAt) / 1000)} s`);
	const { starts, broken } = await cluster.judge();
	expect(broken).toEqual([]);
	expect(made.map(({ metadata }) => starts.get(metadata.uid))).toEqual(targets.map(() => 1));
});
