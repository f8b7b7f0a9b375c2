// Earlier runs on a target decide when it may run again: failures in a row, cooldown, backoff, and whether another run
// remediated it meanwhile. Every scenario has a target of its own, and they run concurrently.
import { beforeAll, describe, expect, it } from 'vitest';
import type { RemediationRequest } from '../src/generated/remediation-request.ts';
import { unlessTooLate } from './harness/eventually.ts';
import { endedStatus, RUN, timeOf } from './harness/objects.ts';
import { openWorld, type World } from './harness/world.ts';

const COOLDOWN_MS = 1000;
const BACKOFF_MS = 4000;
const WINDOW_MS = 10_000;
let world: World;
beforeAll(async () => {
	const env = {
		RESOURCE_LOCKING_COOLDOWN_PERIOD: `${COOLDOWN_MS}ms`,
		ROUTING_FAILURE_BACKOFF: `${BACKOFF_MS}ms`,
		ROUTING_FAILURE_WINDOW: `${WINDOW_MS}ms`,
	};
	world = await openWorld('history', 2, env, async (prepared) => {
		await prepared.createWorkflow('restart');
		await prepared.createWorkflow('scale', { signalNames: ['TooSmall'] });
	});
});

/** Requests that must not be notified: checked at the end, when there was time to. */
const notNotified: RemediationRequest[] = [];
const ago = (milliseconds: number) => new Date(Date.now() - milliseconds);
const failed = (at: Date) => ({ status: endedStatus('Failed', at) });
/** Times in a status have whole seconds, rounded up. */
const within = (time: string | undefined, from: number, to: number) => {
	expect(timeOf(time)).toBeGreaterThanOrEqual(from);
	expect(timeOf(time)).toBeLessThanOrEqual(to + 1000);
};

describe.concurrent('ConsecutiveFailures', () => {
	it('follows three failures in the window, notifies once, and ends by itself', async () => {
		const { target, lastAt, past, request, blocked } = await unlessTooLate(async (attempt) => {
			const scene = { target: `failures/Deployment/three-${attempt}`, lastAt: ago(100) };
			const links = [failed(ago(3000)), failed(ago(2000)), failed(scene.lastAt)];
			const put = await world.putExecutions(scene.target, links);
			const made = await world.createRequest({ target: scene.target });
			const seen = await world.untilBlocked(made, 'ConsecutiveFailures', scene.lastAt.getTime() + WINDOW_MS);
			return seen && { ...scene, past: put, request: made, blocked: seen };
		});
		const { status } = blocked;
		const last = past.at(-1)!.metadata;
		expect(status).toMatchObject({
			overallPhase: 'Blocked',
			blockMessage: `3 runs of restart on ${target} failed in a row, the last one is ${last.name}`,
			blockingWorkflowExecution: { name: last.name, uid: last.uid },
		});
		within(status.blockedUntil, lastAt.getTime() + WINDOW_MS, lastAt.getTime() + WINDOW_MS);
		const [notification] = await world.notified(request, 1);
		expect(notification).toMatchObject({ spec: { type: 'Escalation', priority: 'Critical' } });

		const execution = await world.untilExecuting(request);
		expect(Date.now()).toBeGreaterThanOrEqual(lastAt.getTime() + WINDOW_MS);
		expect(execution.spec.chain).toBe(3);
		const { status: resumed } = await world.request(request.metadata.name);
		for (const field of ['blockReason', 'blockMessage', 'blockedUntil', 'blockingWorkflowExecution'])
			expect(resumed).not.toHaveProperty(field);
		expect(await world.notified(request, 1)).toHaveLength(1);
	});

	it.each([
		{ why: 'two', target: 'failures/Deployment/two', history: [ago(8000), ago(7000)].map(failed) },
		{
			why: 'three with a success between them',
			target: 'failures/Deployment/mixed',
			history: [
				failed(ago(20_000)),
				failed(ago(19_000)),
				{ status: endedStatus('Completed', ago(18_000)) },
				failed(ago(17_000)),
			],
		},
		{
			why: 'three that are further apart than the window',
			target: 'failures/Deployment/apart',
			history: [ago(40_000), ago(30_000), ago(20_000)].map(failed),
		},
		{
			why: 'three skipped executions that never ran',
			target: 'failures/Deployment/away',
			history: [3000, 2000, 1000].map((before) => ({
				status: {
					phase: 'Skipped' as const,
					completionTime: ago(before).toISOString(),
					skipDetails: { reason: 'ResourceBusy' as const },
				},
			})),
		},
	])('does not follow $why', async ({ target, history }) => {
		await world.putExecutions(target, history);
		const request = await world.createRequest({ target });
		await world.untilExecuting(request);
		expect((await world.events(request.metadata.name)).map(({ reason }) => reason)).not.toContain(
			'ConsecutiveFailures',
		);
	});
});

describe.concurrent('ExponentialBackoff', () => {
	it.each([
		{ failures: 1, wantMs: BACKOFF_MS },
		{ failures: 2, wantMs: 2 * BACKOFF_MS },
	])('delays the next run after $failures failures, and ends by itself', async ({ failures, wantMs }) => {
		const { target, lastAt, request, blocked } = await unlessTooLate(async (attempt) => {
			const scene = { target: `backoff/Deployment/${failures}-${attempt}`, lastAt: ago(100) };
			const endOf = (index: number) => new Date(scene.lastAt.getTime() - (failures - 1 - index) * 1000);
			await world.putExecutions(
				scene.target,
				Array.from({ length: failures }, (_, index) => failed(endOf(index))),
			);
			const made = await world.createRequest({ target: scene.target });
			const seen = await world.untilBlocked(made, 'ExponentialBackoff', scene.lastAt.getTime() + 0.9 * wantMs);
			return seen && { ...scene, request: made, blocked: seen };
		});
		const { status } = blocked;
		within(status.blockedUntil, lastAt.getTime() + 0.9 * wantMs, lastAt.getTime() + 1.1 * wantMs);
		expect(status.blockMessage).toMatch(`${failures} runs of restart on ${target} failed; the next one may start at`);
		await world.untilExecuting(request);
		expect(Date.now()).toBeGreaterThanOrEqual(lastAt.getTime() + 0.9 * wantMs);
		notNotified.push(request);
	});
});

describe.concurrent('RecentlyRemediated', () => {
	it.each([
		{ whose: "the workflow's own cooldown", workflow: 'restart', wantMs: 6000 },
		{ whose: 'the cooldown of another workflow', workflow: 'scale', wantMs: 5000 },
	])('lasts for $whose, and ends by itself', async ({ workflow, wantMs }) => {
		const { target, endedAt, past, request, blocked } = await unlessTooLate(async (attempt) => {
			const scene = { target: `cooldown/Deployment/${workflow}-${attempt}`, endedAt: ago(100) };
			const status = endedStatus('Completed', scene.endedAt);
			const [ended] = await world.putExecutions(scene.target, [{ workflow, cooldown: `${wantMs / 1000}s`, status }]);
			const made = await world.createRequest({ target: scene.target });
			const seen = await world.untilBlocked(made, 'RecentlyRemediated', scene.endedAt.getTime() + wantMs);
			return seen && { ...scene, past: ended, request: made, blocked: seen };
		});
		const { status } = blocked;
		within(status.blockedUntil, endedAt.getTime() + wantMs, endedAt.getTime() + wantMs);
		expect(status.blockingWorkflowExecution?.name).toBe(past?.metadata.name);
		expect(status.blockMessage).toContain(
			`cooldown of ${target} after ${past?.metadata.name}, until ${status.blockedUntil}`,
		);
		await world.untilExecuting(request);
		expect(Date.now()).toBeGreaterThanOrEqual(endedAt.getTime() + wantMs);
	});

	it("lasts for the orchestrator's setting when the workflow sets no cooldown", async () => {
		const first = await world.createRequest({ target: 'cooldown/Deployment/default' });
		const execution = await world.untilExecuting(first);
		expect(execution.spec.cooldown).toBe('1s');
	});
});

describe.concurrent('RemediatedByAnother', () => {
	it('the same workflow succeeded on the target after the signal: Skipped, without a notification', async () => {
		const target = 'others/Deployment/same';
		const [success] = await world.putExecutions(target, [{ status: { phase: 'Running', pipelineRunRef: RUN } }]);
		const request = await world.createRequest({ target, firingTime: ago(60_000), receivedTime: ago(60_000) });
		await world.until(request.metadata.name, 'ResourceBusy');
		await world.endExecution(success!.metadata.name, 'Completed');
		const { status } = await world.until(request.metadata.name, 'Skipped');
		expect(status).toMatchObject({ outcome: 'RemediatedByAnother', completedAt: expect.any(String) });
		expect(status).not.toHaveProperty('failureReason');
		expect(status.conditions).toContainEqual(
			expect.objectContaining({
				type: 'Succeeded',
				status: 'True',
				reason: 'RemediatedByAnother',
				message: `${success?.metadata.name} ran restart on ${target} and succeeded while this request waited`,
			}),
		);
		notNotified.push(request);
	});

	it.each([
		{
			why: 'another workflow did',
			target: 'others/Deployment/workflow',
			past: { workflow: 'scale', status: endedStatus('Completed', ago(5000)) },
			receivedBeforeMs: 60_000,
		},
		{
			why: 'it did before the signal came',
			target: 'others/Deployment/before',
			past: { status: endedStatus('Completed', ago(5000)) },
			receivedBeforeMs: 0,
		},
		{
			why: 'it failed',
			target: 'others/Deployment/failed',
			past: { status: endedStatus('Failed', ago(8000)) },
			receivedBeforeMs: 60_000,
		},
	])('$why: it is executed', async ({ target, past, receivedBeforeMs }) => {
		await world.putExecutions(target, [past]);
		const since = ago(receivedBeforeMs);
		const request = await world.createRequest({ target, firingTime: since, receivedTime: since });
		expect((await world.untilExecuting(request)).spec.chain).toBe(1);
	});
});

describe('in all of this', () => {
	it('no block that ends by itself was notified, and no request that another run remediated', async () => {
		expect(notNotified).not.toEqual([]);
		await world.afterwards();
		for (const request of notNotified) expect(await world.notified(request, 0)).toEqual([]);
	});
});
