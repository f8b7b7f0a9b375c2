// A request's way through its phases: turned away by the executor, resolved, out of time, its execution gone. Every
// scenario has a target of its own, and they go side by side.
import type { KubeObject } from '@kubernaut/control-plane';
import { shiftedClock } from '@kubernaut/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { eventually, unlessTooLate } from './harness/eventually.ts';
import { openWorld, type SkipOptions, type World } from './harness/world.ts';

const HOUR_MS = 3_600_000;
const DEADLINE_MS = 4 * HOUR_MS;
const A_WHILE_MS = 2000;
let world: World;
beforeAll(async () => {
	const env = {
		RESOURCE_LOCKING_COOLDOWN_PERIOD: '1s',
		ROUTING_FAILURE_BACKOFF: '1s',
		ROUTING_FAILURE_WINDOW: '3s',
	};
	world = await openWorld('phases', 2, env, async (prepared) => {
		// Long enough that an execution which was only turned away must not count for it.
		await prepared.createWorkflow('restart', { cooldown: '5m' });
		await prepared.createWorkflow('careful', { signalNames: ['Careful'], mode: 'Approval' });
	});
});

const nameOf = (object: KubeObject): string => object['metadata'].name;
const executionsOn = async (target: string) =>
	(await world.executions())
		.filter(({ spec }) => spec.targetResource === target)
		.toSorted((a, b) => a['spec'].chain - b['spec'].chain);
const resolve = (request: KubeObject) =>
	world.patchStatus('remediationrequests', nameOf(request), { signalResolvedAt: new Date().toISOString() });

/** A request whose execution was turned away, as it is while it waits for the next try. */
const turnedAway = (name: string, options: Omit<SkipOptions, 'aheadMs'>) =>
	unlessTooLate(async (attempt) => {
		const target = `away/Deployment/${name}-${attempt}`;
		const request = await world.createRequest({ target });
		const first = await world.untilExecuting(request);
		const { status } = await world.skipExecution(nameOf(first), { ...options, aheadMs: A_WHILE_MS });
		const reason = options.reason ?? 'ResourceBusy';
		const blocked = await world.untilBlocked(request, reason, Date.parse(status.completionTime));
		return blocked && { target, request, first, blocked };
	});

describe.concurrent('an execution that the executor turned away', () => {
	it.each([
		{ reason: 'ResourceBusy', name: 'busy' },
		{ reason: 'RecentlyRemediated', name: 'recent' },
	] as const)('$reason blocks the request for a while, and a new link is tried', async ({ reason, name }) => {
		const { target, request, first, blocked } = await turnedAway(name, { reason, heldBy: 'wfe-of-somebody' });
		const { status } = blocked;
		expect(status).toMatchObject({
			blockMessage: `the executor turned ${nameOf(first)} away: held by wfe-of-somebody`,
			blockingWorkflowExecution: { name: 'wfe-of-somebody' },
			blockedUntil: expect.any(String),
		});
		expect(status).not.toHaveProperty('workflowExecutionRef');
		const second = await world.untilExecuting(request);
		expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(status.blockedUntil));
		expect(
			(await executionsOn(target)).map(({ spec, status: { phase } = {} as KubeObject }) => [spec.chain, phase]),
		).toEqual([
			[0, 'Skipped'],
			[1, undefined],
		]);
		await world.endExecution(nameOf(second), 'Completed');
		await world.until(nameOf(request), 'Completed');
	});

	it('however long its words and its holder are, it is written', async () => {
		const { request, blocked } = await turnedAway('words', { heldBy: 'h'.repeat(317), message: 'm'.repeat(2048) });
		expect(blocked['status'].blockMessage).toHaveLength(2048);
		expect(blocked['status'].blockingWorkflowExecution.name).toBe('h'.repeat(253));
		await world.untilExecuting(request);
		const versions = await world.versionsSince(request);
		expect(versions.filter(({ status }) => status?.blockReason === 'ResourceBusy')).toHaveLength(1); // and only once
	});
});

describe.concurrent('an execution that is gone', () => {
	it('fails its request, which says so', async () => {
		const request = await world.createRequest({ target: 'gone/Deployment/a' });
		const execution = await world.untilExecuting(request);
		await world.deleteExecution(nameOf(execution));
		const { status } = await world.until(nameOf(request), 'Failed');
		expect(status).toMatchObject({
			outcome: 'ExecutionLost',
			failureReason: `${nameOf(execution)} is not there any more: somebody deleted it before it ended`,
		});
		const [told] = await world.told(request, 1);
		expect(told).toMatchObject({ spec: { type: 'Escalation' } });
	});
});

describe.concurrent('an execution that failed', () => {
	it('fails its request with its own words', async () => {
		const request = await world.createRequest({ target: 'failed/Deployment/a' });
		const execution = await world.untilExecuting(request);
		await world.beginExecution(nameOf(execution));
		expect(await world.isSettled(nameOf(request))).toBe(true);
		await world.endExecution(nameOf(execution), 'Failed');
		const { status } = await world.until(nameOf(request), 'Failed');
		const words = `${nameOf(execution)} ran restart and failed (TaskFailed): step restart exited with 1`;
		expect(status).toMatchObject({ outcome: 'RemediationFailed', failureReason: words });
		expect(status.workflowExecutionRef.name).toBe(nameOf(execution));
	});
});

describe.concurrent('a signal that was resolved', () => {
	it('before anything began cancels the request', async () => {
		const request = await world.createRequest({ target: 'resolved/Deployment/before', signalName: 'Careful' });
		await world.until(nameOf(request), 'AwaitingApproval');
		await resolve(request);
		const { status } = await world.until(nameOf(request), 'Cancelled');
		expect(status).toMatchObject({ outcome: 'Resolved', completedAt: expect.any(String) });
		expect(await executionsOn('resolved/Deployment/before')).toEqual([]);
	});

	it('during the execution changes nothing', async () => {
		const request = await world.createRequest({ target: 'resolved/Deployment/during' });
		const execution = await world.untilExecuting(request);
		await resolve(request);
		expect(await world.isSettled(nameOf(request))).toBe(true);
		await world.endExecution(nameOf(execution), 'Completed');
		await world.until(nameOf(request), 'Completed');
	});

	it('while it waits to be tried again cancels it', async () => {
		const request = await world.createRequest({ target: 'resolved/Deployment/away' });
		const execution = await world.untilExecuting(request);
		await world.skipExecution(nameOf(execution), { heldBy: 'somebody', aheadMs: 60_000 });
		await world.until(nameOf(request), 'ResourceBusy');
		await resolve(request);
		await world.until(nameOf(request), 'Cancelled');
		expect(await executionsOn('resolved/Deployment/away')).toHaveLength(1);
	});
});

describe.concurrent('an execution whose request is over', () => {
	it('is withdrawn when it has not begun, and left alone when it has', async () => {
		const over = { overallPhase: 'Cancelled', outcome: 'Resolved', completedAt: new Date().toISOString() };
		const withdrawn = await world.createRequest({ target: 'over/Deployment/not-begun' });
		const idle = await world.untilExecuting(withdrawn);
		const left = await world.createRequest({ target: 'over/Deployment/begun' });
		const busy = await world.untilExecuting(left);
		await world.beginExecution(nameOf(busy));
		for (const request of [withdrawn, left]) await world.patchStatus('remediationrequests', nameOf(request), over);
		const { status } = await eventually(
			async () => (await executionsOn('over/Deployment/not-begun'))[0] as KubeObject,
			(execution) => expect(execution['status']?.phase).toBe('Skipped'),
		);
		expect(nameOf(idle)).toMatch(/^we-/);
		expect(status).toMatchObject({
			completionTime: expect.any(String),
			skipDetails: { reason: 'Withdrawn', message: 'its RemediationRequest was over before it began' },
		});
		expect((await executionsOn('over/Deployment/begun'))[0]?.['status'].phase).toBe('Running');
	});
});

describe.concurrent('the deadline', () => {
	let late: World;
	let unheard: KubeObject;
	let blocked: KubeObject;
	const followed: { request: KubeObject; execution: KubeObject }[] = [];
	beforeAll(async () => {
		const prepare = (prepared: World) => prepared.createWorkflow('restart', { timeout: '10m' });
		late = await openWorld('late', 1, { ROUTING_DEADLINE: `${DEADLINE_MS}ms` }, prepare);
		unheard = await late.createRequest({ target: 'late/Deployment/unheard', signalName: 'Unheard' });
		blocked = await late.until(nameOf(unheard), 'NoWorkflow');
		await late.told(unheard, 1);
		for (const name of ['idle', 'busy']) {
			const request = await late.createRequest({ target: `late/Deployment/${name}` });
			followed.push({ request, execution: await late.untilExecuting(request) });
		}
		await late.beginExecution(nameOf(followed[1]!.execution));
		// For this replica it is some hours later.
		await late.start('orchestrator-later', (await shiftedClock((DEADLINE_MS + HOUR_MS) / 1000)).env);
	});

	it('ends a request that could not be acted on, with what it last waited for, and tells', async () => {
		const { status } = await late.until(nameOf(unheard), 'TimedOut');
		expect(Date.parse(status.completedAt)).toBeGreaterThanOrEqual(
			Date.parse(blocked['status'].startTime) + DEADLINE_MS,
		);
		expect(status.failureReason).toBe(
			`nothing could be done in time; last: NoWorkflow, ${blocked['status'].blockMessage}`,
		);
		const told = await late.told(unheard, 2);
		expect(told.map(({ spec }) => spec.type)).toEqual(['Escalation', 'Escalation']);
	});

	it('ends one whose execution never ends, and withdraws that only when it has not begun', async () => {
		for (const { request } of followed) {
			const { status } = await late.until(nameOf(request), 'TimedOut');
			expect(status.failureReason).toMatch(/^we-.* did not end in time$/);
		}
		const [idle, busy] = followed.map(
			({ execution }) =>
				async () =>
					(await late.api.call('GET', late.path('workflowexecutions', nameOf(execution))))['status']?.phase,
		);
		await eventually(idle!, (phase) => expect(phase).toBe('Skipped'));
		expect(await busy!()).toBe('Running');
	});
});
