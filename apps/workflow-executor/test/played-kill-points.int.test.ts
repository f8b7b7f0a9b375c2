// Tekton is played: an executor is killed after each write of the life cycle, and stands still (SIGSTOP, with its call on the way)
// before each until the run is finished and removed and the next execution's stands in its place. Killed after a read is the same as
// killed after the write before it: nothing but writes is left behind.
import { beforeAll, describe, expect, it } from 'vitest';
import type { WorkflowExecution } from '../src/generated/workflow-execution.ts';
import { killHeld, startHeldExecutor } from './harness/held-executor.ts';
import { openWorld, type World } from './harness/world.ts';

const BEGIN = ['POST pipelineruns', 'PATCH workflowexecutions/status', 'PATCH pipelineruns'] as const;
/** Every write of one execution without a cooldown, in order. */
const WRITES = [
	...BEGIN, // create, claim, start
	'PATCH workflowexecutions/status', // outcome
	'DELETE pipelineruns',
	'PATCH pipelineruns', // our finalizer
] as const;
/** Of one that is deleted while it runs. */
const WRITES_OF_A_DELETED_ONE = [
	...BEGIN,
	'PATCH pipelineruns', // cancel
	'PATCH workflowexecutions/status', // outcome
	'DELETE pipelineruns',
	'PATCH pipelineruns', // our finalizer
	'PATCH workflowexecutions', // that of the execution
] as const;
const POINTS = [
	...WRITES.map((write, number) => ({ write, number, of: 'an execution' })),
	...WRITES_OF_A_DELETED_ONE.map((write, number) => ({ write, number, of: 'a deleted execution' })).slice(BEGIN.length),
];

let world: World;
beforeAll(async () => {
	world = await openWorld('kill-points', 0);
});
let count = 0;
const freshTarget = () => `shop/Deployment/app-${count++}`;
const isDeleted = (of: string) => of === 'a deleted execution';

/** An execution that leads to the point: it runs to its end, or is deleted while it runs. */
async function begin(target: string, of: string): Promise<WorkflowExecution> {
	world.tekton.durationMs = isDeleted(of) ? Infinity : 200;
	const execution = await world.createExecution(target);
	if (isDeleted(of)) {
		await untilStarted(target);
		await world.deleteExecution(execution);
	}
	return execution;
}
function untilStarted(target: string) {
	return world.untilRun(target, (run) => expect(run?.['status']?.startTime).toBeDefined());
}
async function untilOver(execution: WorkflowExecution, target: string, of: string): Promise<void> {
	if (!isDeleted(of)) await world.until(execution, 'Completed');
	await world.untilFree(target);
	if (isDeleted(of)) await world.untilGone(execution);
}

describe('with Tekton played', () => {
	it.each(POINTS)(
		'an executor that is killed after write $number of $of ($write) is replaced, and nothing is done twice',
		async ({ number, write, of }) => {
			const target = freshTarget();
			const held = await startHeldExecutor(world, `killed-${number}`);
			const isHeld = held.calls.hold(number, 'after');
			const execution = await begin(target, of);
			expect(await isHeld).toBe(write);
			await killHeld(held);
			const other = await world.start(`replacement-${number}`);
			await untilOver(execution, target, of);
			expect(await world.startsOf(execution)).toBe(1);
			const isUnclaimed = number === WRITES.indexOf('POST pipelineruns');
			expect(await (await fetch(other.metricsUrl)).text()).toMatch(
				new RegExp(`^we_lock_takeovers_total ${isUnclaimed ? 1 : 0}$`, 'm'),
			);
			if (!isDeleted(of)) await world.deleteExecution(execution);
			await world.untilGone(execution);
			await other.stop();
		},
	);

	it.each(POINTS)(
		'an executor that stands still before write $number of $of ($write) does no harm when it wakes up',
		async ({ number, write, of }) => {
			const target = freshTarget();
			const { calls, executor } = await startHeldExecutor(world, `paused-${number}`);
			const isHeld = calls.hold(number, 'before');
			const first = await begin(target, of);
			expect(await isHeld).toBe(write);
			await executor.pause();
			const other = await world.start(`other-${number}`);
			await untilOver(first, target, of);
			world.tekton.durationMs = Infinity;
			const second = await world.until(await world.createExecution(target), 'Running');
			const before = await untilStarted(target);
			calls.letGo();
			await calls.answered(number);
			executor.signal('SIGCONT');
			await world.settle();
			const after = await world.run(target);
			expect(after?.['metadata']).toMatchObject({ uid: before?.['metadata'].uid });
			expect(after?.['metadata'].deletionTimestamp).toBeUndefined();
			expect(after?.['spec'].status).toBeUndefined();
			world.tekton.durationMs = 0;
			await world.until(second, 'Completed');
			await world.untilFree(target);
			expect([await world.startsOf(first), await world.startsOf(second)]).toEqual([1, 1]);
			await Promise.all([executor.stop(), other.stop()]);
		},
	);

	it('only what an execution names was started, and no execution was started twice', async () => {
		expect(await world.brokenPromises()).toEqual([]);
	});
});
