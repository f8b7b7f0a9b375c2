// Tekton is played: an executor is killed after each write of the life cycle, and stands still before each until the run is
// finished and removed and the next execution's stands in its place.
import { beforeAll, describe, expect, it } from 'vitest';
import { startHeldCalls } from './harness/held-calls.ts';
import { judgeRuns } from './harness/run-history.ts';
import { openWorld, type World } from './harness/world.ts';

/** Every write of one execution without a cooldown, in order. */
const WRITES = [
	'POST pipelineruns',
	'PATCH workflowexecutions/status', // claim
	'PATCH pipelineruns', // start
	'PATCH workflowexecutions/status', // outcome
	'DELETE pipelineruns',
	'PATCH pipelineruns', // our finalizer
] as const;
const POINTS = WRITES.map((write, number) => ({ write, number }));

let world: World;
beforeAll(async () => {
	world = await openWorld('kill-points', 0);
});
let count = 0;
const freshTarget = () => `shop/Deployment/app-${count++}`;

/** An executor whose calls can be held; it is alone. */
async function startHeld(podName: string) {
	const calls = await startHeldCalls(world.kubeconfig);
	// A call that is held is not given up: the process stands still, as in front of a slow network.
	const executor = await world.start(podName, { KUBECONFIG: calls.kubeconfig, KUBERNETES_REQUEST_TIMEOUT: '5m' });
	return { calls, executor };
}

describe('with Tekton played', () => {
	it.each(POINTS)(
		'an executor that is killed after write $number ($write) is replaced, and nothing is done twice',
		async ({ number, write }) => {
			world.tekton.durationMs = 200;
			const target = freshTarget();
			const { calls, executor } = await startHeld(`killed-${number}`);
			const held = calls.hold(number, 'after');
			const execution = await world.createExecution(target);
			expect(await held).toBe(write);
			executor.signal('SIGKILL');
			await executor.exited;
			calls.letGo();
			const other = await world.start(`replacement-${number}`);
			await world.until(execution, 'Completed');
			await world.untilFree(target);
			expect(judgeRuns(world.runChanges).starts.get(execution.metadata.name)).toBe(1);
			await world.deleteExecution(execution);
			await world.untilGone(execution);
			await other.stop();
		},
	);

	it.each(POINTS)(
		'an executor that stands still before write $number ($write) does no harm when it wakes up',
		async ({ number, write }) => {
			world.tekton.durationMs = 200;
			const target = freshTarget();
			const { calls, executor } = await startHeld(`paused-${number}`);
			const held = calls.hold(number, 'before');
			const first = await world.createExecution(target);
			expect(await held).toBe(write);
			const other = await world.start(`other-${number}`);
			await world.until(first, 'Completed');
			await world.untilFree(target);
			world.tekton.durationMs = Infinity;
			const second = await world.until(await world.createExecution(target), 'Running');
			const before = await world.untilRun(target, (run) => expect(run?.['status']?.startTime).toBeDefined());
			calls.letGo();
			await expect.poll(() => calls.writes.length).toBeGreaterThan(number);
			await world.settle();
			const after = await world.run(target);
			expect(after?.['metadata']).toMatchObject({ uid: before?.['metadata'].uid });
			expect(after?.['metadata'].deletionTimestamp).toBeUndefined();
			expect(after?.['spec'].status).toBeUndefined();
			world.tekton.durationMs = 0;
			await world.until(second, 'Completed');
			await world.untilFree(target);
			const { starts } = judgeRuns(world.runChanges);
			expect([first, second].map(({ metadata }) => starts.get(metadata.name))).toEqual([1, 1]);
			await Promise.all([executor.stop(), other.stop()]);
		},
	);

	it('never were two runs of one target started and not over', () => {
		expect(judgeRuns(world.runChanges).most).toBe(1);
	});
});
