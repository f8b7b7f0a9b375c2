// Tekton is played: many executions at once, on three real executors and a real API server.
import { beforeAll, describe, expect, it } from 'vitest';
import { eventually } from './harness/eventually.ts';
import { judgeRuns } from './harness/run-history.ts';
import { openWorld, type World } from './harness/world.ts';

let world: World;
beforeAll(async () => {
	world = await openWorld('one-target', 3);
});

async function untilOver(names: readonly string[]) {
	const all = await eventually(
		() => world.executions(),
		(executions) => {
			const open = executions.filter(
				({ metadata, status }) =>
					names.includes(metadata.name) && !['Completed', 'Failed', 'Skipped'].includes(status?.phase ?? ''),
			);
			expect(open.length).toBe(0);
		},
	);
	return all.filter(({ metadata }) => names.includes(metadata.name));
}

describe('with Tekton played', () => {
	it('of 100 executions of one target at once, one runs and 99 are Skipped with its name', async () => {
		world.tekton.durationMs = 8000;
		const made = await Promise.all(
			Array.from({ length: 100 }, () => world.createExecution('shop/Deployment/hot', { cooldown: '10m' })),
		);
		const over = await untilOver(made.map(({ metadata }) => metadata.name));
		const phases = over.map(({ status }) => status?.phase);
		expect(phases.filter((phase) => phase === 'Completed')).toHaveLength(1);
		expect(phases.filter((phase) => phase === 'Skipped')).toHaveLength(99);
		const winner = over.find(({ status }) => status?.phase === 'Completed')?.metadata.name;
		for (const { status } of over.filter((one) => one.status?.phase === 'Skipped'))
			expect(status?.skipDetails).toMatchObject({
				reason: expect.stringMatching(/^(ResourceBusy|RecentlyRemediated)$/),
				heldBy: winner,
			});
		const { most, starts } = judgeRuns(world.runChanges);
		expect(most).toBe(1);
		expect([...starts]).toEqual([[winner, 1]]);
	});

	it('the same workflow on 100 targets runs on all of them', async () => {
		world.tekton.durationMs = 100;
		const targets = Array.from({ length: 100 }, (_, i) => `shop/Deployment/cold-${i}`);
		const made = await Promise.all(targets.map((target) => world.createExecution(target)));
		const over = await untilOver(made.map(({ metadata }) => metadata.name));
		expect(over.map(({ status }) => status?.phase)).toEqual(Array.from({ length: 100 }, () => 'Completed'));
		const { most, starts } = judgeRuns(world.runChanges);
		expect(most).toBe(1);
		expect([...starts.values()].every((count) => count === 1)).toBe(true);
		for (const target of targets) await world.untilFree(target);
	});
});
