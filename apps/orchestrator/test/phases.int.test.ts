// The phases of a request: skipped by the executor, resolved, timed out, its execution deleted. Every scenario has a
// target of its own, and they run concurrently.
import { MERGE_PATCH } from '@kubernaut/control-plane';
import { atTheEnd, startLaterApiServer } from '@kubernaut/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import type { RemediationRequest } from '../src/generated/remediation-request.ts';
import type { WorkflowExecution } from '../src/generated/workflow-execution.ts';
import { executionName } from '../src/objects/execution.ts';
import { eventually, unlessTooLate } from './harness/eventually.ts';
import { endedStatus, nameOf, timeOf } from './harness/objects.ts';
import type { SkipOptions } from './harness/stored-objects.ts';
import { openWorld, type World } from './harness/world.ts';

const HOUR_MS = 3_600_000;
const DEADLINE_MS = 4 * HOUR_MS;
/** Long enough that a busy machine sees the wait. */
const A_WHILE_MS = 5000;
let world: World;
beforeAll(async () => {
	const env = {
		RESOURCE_LOCKING_COOLDOWN_PERIOD: '1s',
		ROUTING_FAILURE_BACKOFF: '1s',
		ROUTING_FAILURE_WINDOW: '3s',
	};
	world = await openWorld('phases', 2, env, async (prepared) => {
		// Long enough that an execution which was only skipped must not count for it.
		await prepared.createWorkflow('restart', { cooldown: '5m' });
		await prepared.createWorkflow('careful', { signalNames: ['Careful'], mode: 'Approval' });
	});
});

const resolve = (request: RemediationRequest) =>
	world.patchRequest(nameOf(request), { signalResolvedAt: new Date().toISOString() });

/** A request whose execution was skipped, as it is while it waits for the next attempt. */
const skipped = (name: string, options: Omit<SkipOptions, 'aheadMs'>) =>
	unlessTooLate(async (attempt) => {
		const target = `away/Deployment/${name}-${attempt}`;
		const request = await world.createRequest({ target });
		const first = await world.untilExecuting(request);
		const { completionTime } = await world.skipExecution(nameOf(first), { ...options, aheadMs: A_WHILE_MS });
		const reason = options.reason ?? 'ResourceBusy';
		const blocked = await world.untilBlocked(request, reason, Date.parse(completionTime));
		return blocked && { target, request, first, blocked };
	});

describe.concurrent('an execution that the executor skipped', () => {
	it.each([
		{ reason: 'ResourceBusy', name: 'busy' },
		{ reason: 'RecentlyRemediated', name: 'recent' },
	] as const)('for $reason blocks the request for a while, and a new execution follows', async ({ reason, name }) => {
		const { target, request, first, blocked } = await skipped(name, { reason, heldBy: 'wfe-of-another' });
		const { status } = blocked;
		expect(status).toMatchObject({
			blockMessage: `the executor skipped ${nameOf(first)}: held by wfe-of-another`,
			blockingWorkflowExecution: { name: 'wfe-of-another' },
			blockedUntil: expect.any(String),
		});
		expect(status).not.toHaveProperty('workflowExecutionRef');
		const second = await world.untilExecuting(request);
		expect(Date.now()).toBeGreaterThanOrEqual(timeOf(status.blockedUntil));
		expect(
			(await world.executionsOn(target)).map((execution) => [execution.spec.chain, execution.status?.phase]),
		).toEqual([
			[0, 'Skipped'],
			[1, undefined],
		]);
		await world.endExecution(nameOf(second), 'Completed');
		await world.until(nameOf(request), 'Completed');
	});

	it('blocks the request also when its message is long, and its holder too long for a request', async () => {
		const { request, first, blocked } = await skipped('words', { heldBy: 'h'.repeat(317), message: 'm'.repeat(2048) });
		expect(blocked.status.blockMessage).toBe(`the executor skipped ${nameOf(first)}: ${'m'.repeat(2048)}`);
		expect(blocked.status.blockingWorkflowExecution?.name).toBe('h'.repeat(253));
		await world.untilExecuting(request);
		const versions = await world.versionsSince(request);
		expect(versions.filter(({ status }) => status?.blockReason === 'ResourceBusy')).toHaveLength(1); // and only once
	});
});

describe.concurrent('an execution that was deleted', () => {
	it('fails its request with ExecutionLost', async () => {
		const request = await world.createRequest({ target: 'gone/Deployment/a' });
		const execution = await world.untilExecuting(request);
		await world.deleteExecution(nameOf(execution));
		const { status } = await world.until(nameOf(request), 'Failed');
		expect(status).toMatchObject({
			outcome: 'ExecutionLost',
			failureReason: `${nameOf(execution)} was deleted before it ended`,
		});
		const [notification] = await world.notified(request, 1);
		expect(notification).toMatchObject({ spec: { type: 'Escalation' } });
	});
});

describe.concurrent('an execution that failed', () => {
	it('fails its request with its own message', async () => {
		const request = await world.createRequest({ target: 'failed/Deployment/a' });
		const execution = await world.untilExecuting(request);
		await world.beginExecution(nameOf(execution));
		expect(await world.isSettled(nameOf(request))).toBe(true);
		await world.endExecution(nameOf(execution), 'Failed');
		const { status } = await world.until(nameOf(request), 'Failed');
		const message = `${nameOf(execution)} ran restart and failed (TaskFailed): step restart exited with 1`;
		expect(status).toMatchObject({ outcome: 'RemediationFailed', failureReason: message });
		expect(status.workflowExecutionRef?.name).toBe(nameOf(execution));
	});
});

describe.concurrent('a signal that was resolved', () => {
	it('before anything ran cancels the request', async () => {
		const request = await world.createRequest({ target: 'resolved/Deployment/before', signalName: 'Careful' });
		await world.until(nameOf(request), 'AwaitingApproval');
		await resolve(request);
		const { status } = await world.until(nameOf(request), 'Cancelled');
		expect(status).toMatchObject({ outcome: 'Resolved', completedAt: expect.any(String) });
		expect(await world.executionsOn('resolved/Deployment/before')).toEqual([]);
	});

	it('during the execution changes nothing', async () => {
		const request = await world.createRequest({ target: 'resolved/Deployment/during' });
		const execution = await world.untilExecuting(request);
		await world.beginExecution(nameOf(execution));
		await resolve(request);
		expect(await world.isSettled(nameOf(request))).toBe(true);
		await world.endExecution(nameOf(execution), 'Completed');
		await world.until(nameOf(request), 'Completed');
	});

	it('before the execution began withdraws it, and cancels the request', async () => {
		const request = await world.createRequest({ target: 'resolved/Deployment/early' });
		const execution = await world.untilExecuting(request);
		await resolve(request);
		await world.until(nameOf(request), 'Cancelled');
		expect((await world.findExecution(nameOf(execution)))?.status).toMatchObject({
			phase: 'Skipped',
			skipDetails: { reason: 'Withdrawn', message: 'its signal was resolved before it began' },
		});
	});

	it('while the request waits after a skipped execution cancels the request', async () => {
		const request = await world.createRequest({ target: 'resolved/Deployment/away' });
		const execution = await world.untilExecuting(request);
		await world.skipExecution(nameOf(execution), { heldBy: 'another', aheadMs: 60_000 });
		await world.until(nameOf(request), 'ResourceBusy');
		await resolve(request);
		await world.until(nameOf(request), 'Cancelled');
		expect(await world.executionsOn('resolved/Deployment/away')).toHaveLength(1);
	});
});

describe.concurrent('an execution whose request is over', () => {
	it('is withdrawn when it has not begun, and goes on when it has', async () => {
		const over = { overallPhase: 'Cancelled', outcome: 'Resolved', completedAt: new Date().toISOString() } as const;
		const withdrawn = await world.createRequest({ target: 'over/Deployment/not-begun' });
		const idle = await world.untilExecuting(withdrawn);
		const left = await world.createRequest({ target: 'over/Deployment/begun' });
		const busy = await world.untilExecuting(left);
		await world.beginExecution(nameOf(busy));
		for (const request of [withdrawn, left]) await world.patchRequest(nameOf(request), over);
		const { status } = await eventually(
			async () => (await world.executionsOn('over/Deployment/not-begun'))[0]!,
			(execution) => expect(execution.status?.phase).toBe('Skipped'),
		);
		expect(nameOf(idle)).toMatch(/^we-/);
		expect(status).toMatchObject({
			completionTime: expect.any(String),
			skipDetails: { reason: 'Withdrawn', message: 'its RemediationRequest was over before it began' },
		});
		expect((await world.executionsOn('over/Deployment/begun'))[0]?.status?.phase).toBe('Running');
	});
});

describe.concurrent('a target whose newest execution is over, terminating and announces the next one', () => {
	it('is not shut for ever: the announced execution is made', async () => {
		const target = 'shut/Deployment/a';
		const [first] = await world.putExecutions(target, [
			{ status: endedStatus('Failed', new Date(Date.now() - 60_000)) },
		]);
		const announced = executionName(target, first!.metadata.uid);
		await world.patchExecution(nameOf(first!), { successor: { name: announced } });
		const path = world.path('workflowexecutions', nameOf(first!));
		const finalizers = ['kubernaut.ai/pipelinerun-cleanup'];
		await world.api.call('PATCH', path, { body: { metadata: { finalizers } }, contentType: MERGE_PATCH });
		await world.api.call('DELETE', path);
		const request = await world.createRequest({ target });
		expect(nameOf(await world.untilExecuting(request))).toBe(announced);
		await world.api.call('PATCH', path, { body: { metadata: { finalizers: null } }, contentType: MERGE_PATCH });
	});
});

describe.concurrent('the deadline', () => {
	let late: World;
	let unmatched: RemediationRequest;
	let blocked: RemediationRequest;
	const followed: { request: RemediationRequest; execution: WorkflowExecution }[] = [];
	beforeAll(async () => {
		const prepare = (prepared: World) => prepared.createWorkflow('restart', { timeout: '10m' });
		late = await openWorld('late', 1, { ROUTING_DEADLINE: `${DEADLINE_MS}ms` }, prepare);
		unmatched = await late.createRequest({ target: 'late/Deployment/unmatched', signalName: 'Unmatched' });
		blocked = await late.until(nameOf(unmatched), 'NoWorkflow');
		await late.notified(unmatched, 1);
		for (const name of ['idle', 'busy']) {
			const request = await late.createRequest({ target: `late/Deployment/${name}` });
			followed.push({ request, execution: await late.untilExecuting(request) });
		}
		await late.beginExecution(nameOf(followed[1]!.execution));
		// For this replica it is some hours later.
		const later = await startLaterApiServer(late.kubeconfig, DEADLINE_MS + HOUR_MS);
		atTheEnd(() => later.stop());
		await late.start('orchestrator-later', {}, later.kubeconfig);
	});

	it('ends a request that nothing could run for, names its last block, and notifies', async () => {
		const { status } = await late.until(nameOf(unmatched), 'TimedOut');
		expect(timeOf(status.completedAt)).toBeGreaterThanOrEqual(timeOf(blocked.status.startTime) + DEADLINE_MS);
		expect(status.failureReason).toBe(
			`the deadline passed before anything could run; last block: NoWorkflow, ${blocked.status.blockMessage}`,
		);
		const notifications = await late.notified(unmatched, 2);
		expect(notifications.map(({ spec }) => spec.type)).toEqual(['Escalation', 'Escalation']);
	});

	it('ends a request whose execution never ends, and withdraws an execution that has not begun', async () => {
		for (const { request } of followed) {
			const { status } = await late.until(nameOf(request), 'TimedOut');
			expect(status.failureReason).toMatch(/^we-.* did not end in time$/);
		}
		const [idle, busy] = followed.map(
			({ execution }) =>
				async () =>
					(await late.findExecution(nameOf(execution)))?.status?.phase,
		);
		await eventually(idle!, (phase) => expect(phase).toBe('Skipped'));
		expect(await busy!()).toBe('Running');
	});
});
