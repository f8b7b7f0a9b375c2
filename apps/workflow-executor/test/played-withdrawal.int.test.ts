// Tekton is played: the orchestrator withdraws an execution at the same moment as its run is created, claimed and started. Of the
// two the API server rejects the second.
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { eventually } from './harness/eventually.ts';
import { startHeldExecutor } from './harness/held-executor.ts';
import { openWorld, type World } from './harness/world.ts';

const OK = 200;
const CONFLICT = 409;
const MOMENTS = [
	{ moment: 'before its run is created', number: 0, where: 'before', wantAnswer: OK },
	{ moment: 'while the answer to the create is on its way', number: 0, where: 'after', wantAnswer: OK },
	{ moment: 'before the claim arrives', number: 1, where: 'before', wantAnswer: OK },
	{ moment: 'while the answer to the claim is on its way', number: 1, where: 'after', wantAnswer: CONFLICT },
	{ moment: 'before the start arrives', number: 2, where: 'before', wantAnswer: CONFLICT },
] as const;
const AT_ONCE = 60;

let world: World;
beforeAll(async () => {
	world = await openWorld('withdrawal', 0);
	world.tekton.durationMs = 100;
});

describe('with Tekton played', () => {
	it.each(MOMENTS)('an execution that is withdrawn $moment', async ({ number, where, wantAnswer }) => {
		const target = `shop/Deployment/${where}-${number}`;
		const { calls, executor } = await startHeldExecutor(world, `held-${where}-${number}`);
		const held = calls.hold(number, where);
		const execution = await world.createExecution(target);
		await held;
		expect(await world.withdraw(execution)).toBe(wantAnswer);
		calls.letGo();
		await calls.answered(number);
		const isWithdrawn = wantAnswer === OK;
		// What was created for it is removed again, or it was created and claimed before.
		await eventually(
			async () => calls.writes,
			(writes) => expect(writes).toContain('DELETE pipelineruns'),
		);
		await world.untilFree(target);
		const { status } = (await world.execution(execution.metadata.name)) ?? {};
		expect(status?.phase).toBe(isWithdrawn ? 'Skipped' : 'Completed');
		expect(await world.startsOf(execution)).toBe(isWithdrawn ? 0 : 1);
		await executor.stop();
	});

	it('of executions that are withdrawn at any moment each is either withdrawn and never started, or runs once', async () => {
		await world.startSeveral(3);
		const withinMs = await claimsTakeMs();
		const all = await Promise.all(
			Array.from({ length: AT_ONCE }, async (_, i) => {
				const target = `shop/Deployment/burst-${i}`;
				const execution = await world.createExecution(target);
				await delay((withinMs * i) / AT_ONCE);
				return { target, execution, answer: await world.withdraw(execution) };
			}),
		);
		for (const { target, execution, answer } of all) {
			await world.until(execution, answer === OK ? 'Skipped' : 'Completed');
			await world.untilFree(target);
		}
		const { starts } = await world.judge();
		const wantStarts = all.map(({ answer }) => (answer === OK ? undefined : 1));
		expect(all.map(({ execution }) => starts.get(execution.metadata.uid))).toEqual(wantStarts);
		// Otherwise nothing was at the same moment as anything.
		expect(new Set(wantStarts).size).toBe(2);
		expect(await world.brokenPromises()).toEqual([]);
	});

	/** Until the last of so many is claimed on this machine, as busy as it is. */
	async function claimsTakeMs(): Promise<number> {
		const startedAt = performance.now();
		const made = await Promise.all(
			Array.from({ length: AT_ONCE }, (_, i) => world.createExecution(`shop/Deployment/paced-${i}`)),
		);
		const uids = new Set(made.map(({ metadata }) => metadata.uid));
		await eventually(
			() => world.executions(),
			(all) => {
				const open = all.filter(({ metadata, status }) => uids.has(metadata.uid) && !status?.pipelineRunRef);
				expect(open.map(({ metadata }) => metadata.name)).toEqual([]);
			},
		);
		const tookMs = performance.now() - startedAt;
		for (const { spec } of made) await world.untilFree(spec.targetResource);
		return tookMs;
	}
});
