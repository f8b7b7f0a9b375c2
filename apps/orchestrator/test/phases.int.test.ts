// A request's way through its phases: turned away by the executor, resolved, out of time, its execution gone. Every
// scenario has a target of its own, and they go side by side.
import type { KubeObject } from '@kubernaut/control-plane';
import { shiftedClock } from '@kubernaut/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { eventually, openWorld, type World } from './harness/world.ts';

const DEADLINE_MS = 5000;
let world: World;
beforeAll(async () => {
	world = await openWorld('phases', 2, {
		RESOURCE_LOCKING_COOLDOWN_PERIOD: '1s',
		ROUTING_FAILURE_BACKOFF: '1s',
		ROUTING_FAILURE_WINDOW: '3s',
	});
	// Long enough that an execution which was only turned away must not count for it.
	await world.createWorkflow('restart', { cooldown: '5m' });
	await world.createWorkflow('careful', { signalNames: ['Careful'], mode: 'Approval' });
});

const nameOf = (object: KubeObject): string => object['metadata'].name;
const executionsOn = async (target: string) =>
	(await world.executions())
		.filter(({ spec }) => spec.targetResource === target)
		.toSorted((a, b) => a['spec'].chain - b['spec'].chain);
const resolve = (request: KubeObject) =>
	world.patchStatus('remediationrequests', nameOf(request), { signalResolvedAt: new Date().toISOString() });

describe.concurrent('an execution that the executor turned away', () => {
	it.each([
		{ reason: 'ResourceBusy', target: 'away/Deployment/busy' },
		{ reason: 'RecentlyRemediated', target: 'away/Deployment/recent' },
	] as const)('$reason blocks the request for a while, and a new link is tried', async ({ reason, target }) => {
		const request = await world.createRequest({ target });
		const first = await world.untilExecuting(request);
		await world.skipExecution(nameOf(first), 'wfe-of-somebody', reason);
		const { status } = await world.until(nameOf(request), reason);
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
		const request = await world.createRequest({ target: 'away/Deployment/words' });
		const first = await world.untilExecuting(request);
		await world.skipExecution(nameOf(first), 'h'.repeat(317), 'ResourceBusy', 'm'.repeat(2048));
		const { status } = await world.until(nameOf(request), 'ResourceBusy');
		expect(status.blockMessage).toHaveLength(2048);
		expect(status.blockingWorkflowExecution.name).toBe('h'.repeat(253));
		expect(await world.isSettled(nameOf(request), 500)).toBe(true);
		await world.untilExecuting(request);
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
		expect(await world.isSettled(nameOf(request), 300)).toBe(true);
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
		expect(await world.isSettled(nameOf(request), 500)).toBe(true);
		await world.endExecution(nameOf(execution), 'Completed');
		await world.until(nameOf(request), 'Completed');
	});

	it('while it waits to be tried again cancels it', async () => {
		const request = await world.createRequest({ target: 'resolved/Deployment/away' });
		await world.skipExecution(nameOf(await world.untilExecuting(request)), 'somebody');
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
	it('ends a request that could not be acted on, with what it last waited for, and tells', async () => {
		const hasty = await openWorld('deadline', 2, {
			ROUTING_DEADLINE: `${DEADLINE_MS}ms`,
			RESOURCE_LOCKING_COOLDOWN_PERIOD: '1s',
			ROUTING_FAILURE_WINDOW: '3s',
			ROUTING_FAILURE_BACKOFF: '1s',
		});
		const request = await hasty.createRequest();
		const { status: blocked } = await hasty.until(nameOf(request), 'NoWorkflow');
		const { status } = await hasty.until(nameOf(request), 'TimedOut');
		expect(Date.parse(status.completedAt)).toBeGreaterThanOrEqual(Date.parse(blocked.startTime) + DEADLINE_MS);
		expect(status.failureReason).toBe(`nothing could be done in time; last: NoWorkflow, ${blocked.blockMessage}`);
		const told = await hasty.told(request, 2);
		expect(told.map(({ spec }) => spec.type)).toEqual(['Escalation', 'Escalation']);
	});

	it('ends one whose execution never ends, and withdraws that only when it has not begun', async () => {
		const late = await openWorld('late', 1);
		await late.createWorkflow('restart', { timeout: '10m' });
		const requests = await Promise.all(
			['idle', 'busy'].map((name) => late.createRequest({ target: `late/Deployment/${name}` })),
		);
		const [idle, busy] = await Promise.all(requests.map((request) => late.untilExecuting(request)));
		await late.beginExecution(nameOf(busy as KubeObject));
		// For this replica it is some hours later.
		await late.start('orchestrator-later', (await shiftedClock(5 * 3600)).env);
		for (const request of requests) {
			const { status } = await late.until(nameOf(request), 'TimedOut');
			expect(status.failureReason).toMatch(/^we-.* did not end in time$/);
		}
		const phaseOf = async (execution: KubeObject | undefined) =>
			(await late.api.call('GET', late.path('workflowexecutions', nameOf(execution as KubeObject))))['status']?.phase;
		await eventually(
			() => phaseOf(idle),
			(phase) => expect(phase).toBe('Skipped'),
		);
		expect(await phaseOf(busy)).toBe('Running');
	});
});
