// A replica whose wall clock is ten minutes ahead: every time that it stores or compares is the API server's.
import { shiftedClock } from '@kubernaut/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { unlessTooLate } from './harness/eventually.ts';
import { endedStatus, nameOf, timeOf } from './harness/objects.ts';
import { openWorld, type World } from './harness/world.ts';

const COOLDOWN_MS = 10_000;
/** Of a clock that reads the whole seconds of the API server's answers. */
const CLOSE_MS = 5000;

let world: World;
beforeAll(async () => {
	world = await openWorld('ahead', 0, {}, (prepared) => prepared.createWorkflow('restart'));
	await world.start('ten-minutes-ahead', (await shiftedClock(600)).env);
});

describe('a replica whose clock is ten minutes ahead', () => {
	it('keeps a cooldown of ten seconds, and writes the time of the API server', async () => {
		const { endedAt, request, blocked } = await unlessTooLate(async (attempt) => {
			const scene = { target: `ahead/Deployment/a-${attempt}`, endedAt: new Date() };
			const status = endedStatus('Completed', scene.endedAt);
			await world.putExecutions(scene.target, [{ cooldown: `${COOLDOWN_MS}ms`, status }]);
			const receivedTime = new Date(Date.now() + 1000);
			const made = await world.createRequest({ target: scene.target, receivedTime });
			const seen = await world.untilBlocked(made, 'RecentlyRemediated', scene.endedAt.getTime() + COOLDOWN_MS);
			return seen && { ...scene, request: made, blocked: seen };
		});
		// Between its creation and now, however long that is on a busy machine.
		expect(timeOf(blocked.status.startTime)).toBeGreaterThan(timeOf(request.metadata.creationTimestamp) - CLOSE_MS);
		expect(timeOf(blocked.status.startTime)).toBeLessThan(Date.now() + CLOSE_MS);
		await world.untilExecuting(request);
		expect(Date.now()).toBeGreaterThanOrEqual(endedAt.getTime() + COOLDOWN_MS);
		const { conditions = [] } = (await world.request(nameOf(request))).status;
		expect(conditions.length).toBeGreaterThan(0);
		for (const { lastTransitionTime } of conditions)
			expect(timeOf(lastTransitionTime)).toBeLessThan(Date.now() + CLOSE_MS);
	});

	it('does not take a signal that came after a run for one that waited for it, when the executor is ahead', async () => {
		const target = 'ahead/Deployment/later';
		const status = endedStatus('Completed', new Date(Date.now() + 600_000));
		await world.putExecutions(target, [{ cooldown: '1s', status }]);
		const request = await world.createRequest({ target });
		const blocked = await world.until(nameOf(request), 'RecentlyRemediated');
		expect(blocked.status.outcome).toBeUndefined(); // it was not Skipped
	});
});
