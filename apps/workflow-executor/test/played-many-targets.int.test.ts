// Tekton is played (a hundred real runs at once would mostly show how long Tekton takes): the same workflow on many targets at once,
// on three executors.
import { beforeAll, expect, it } from 'vitest';
import { eventually } from './harness/eventually.ts';
import { openWorld, type World } from './harness/world.ts';

let world: World;
beforeAll(async () => {
	world = await openWorld('many-targets', 3);
	world.tekton.durationMs = 100;
});

it('with Tekton played, the same workflow on 100 targets runs on all of them, each once', async () => {
	const targets = Array.from({ length: 100 }, (_, i) => `shop/Deployment/cold-${i}`);
	const made = await Promise.all(targets.map((target) => world.createExecution(target)));
	await eventually(
		() => world.executions(),
		(all) => expect(all.map(({ status }) => status?.phase)).toEqual(targets.map(() => 'Completed')),
	);
	for (const target of targets) await world.untilFree(target);
	const { starts, broken } = await world.judge();
	expect(broken).toEqual([]);
	expect(made.map(({ metadata }) => starts.get(metadata.uid))).toEqual(targets.map(() => 1));
});
