// What a crashed orchestrator leaves behind, put there before any process starts: executions that were not written into
// their request, phases that were not notified. The next replica takes it up and repeats nothing.
import { beforeAll, describe, expect, it } from 'vitest';
import type { RemediationRequest } from '../src/generated/remediation-request.ts';
import { type ExecutionHistory, recordExecutions } from './harness/execution-history.ts';
import { endedStatus, nameOf, RUN, timeOf } from './harness/objects.ts';
import { openWorld, type World } from './harness/world.ts';

const SKIPPED = {
	phase: 'Skipped',
	completionTime: new Date(Date.now() - 60_000).toISOString(),
	skipDetails: { reason: 'ResourceBusy', message: 'held', heldBy: 'we-x' },
} as const;
const BLOCKED = {
	overallPhase: 'Blocked',
	blockReason: 'ResourceBusy',
	blockMessage: 'we-x holds it',
	startTime: new Date(Date.now() - 60_000).toISOString(),
} as const;
const RUNNING = { phase: 'Running', pipelineRunRef: RUN } as const;

/** How the request and its execution were left, and what must become of the request. */
const SCENES = [
	{ name: 'fresh-pending', request: undefined, execution: undefined, want: 'Executing' },
	{ name: 'fresh-running', request: undefined, execution: RUNNING, want: 'Executing' },
	{ name: 'fresh-completed', request: undefined, execution: endedStatus('Completed'), want: 'Completed' },
	{ name: 'fresh-failed', request: undefined, execution: endedStatus('Failed'), want: 'Failed' },
	{ name: 'blocked-pending', request: BLOCKED, execution: undefined, want: 'Executing' },
	{ name: 'blocked-completed', request: BLOCKED, execution: endedStatus('Completed'), want: 'Completed' },
	{ name: 'blocked-failed', request: BLOCKED, execution: endedStatus('Failed'), want: 'Failed' },
	{
		name: 'resolved-running',
		request: { signalResolvedAt: new Date().toISOString() },
		execution: RUNNING,
		want: 'Executing',
	},
] as const;

let world: World;
let history: ExecutionHistory;
const requests = new Map<string, RemediationRequest>();
const left = (name: string) => requests.get(name) as RemediationRequest;
const targetOf = (name: string) => `left/Deployment/${name}`;
const executionsOn = (name: string) => world.executionsOn(targetOf(name));

beforeAll(async () => {
	world = await openWorld('adoption', 0, { RESOURCE_LOCKING_COOLDOWN_PERIOD: '1s', ROUTING_FAILURE_BACKOFF: '1s' });
	history = await recordExecutions(world.namespace);
	await world.createWorkflow('restart');
	const put = async (name: string, status?: Partial<RemediationRequest['status']>) => {
		const request = await world.createRequest({ target: targetOf(name) });
		if (status !== undefined) await world.patchRequest(nameOf(request), status);
		requests.set(name, request);
		return request;
	};
	await Promise.all(
		SCENES.map(async ({ name, request, execution }) =>
			world.putExecutions(targetOf(name), [
				{ request: await put(name, request), ...(execution === undefined ? {} : { status: execution }) },
			]),
		),
	);
	// Ours is not the newest: an execution of another request came after it.
	const old = await put('older-link', BLOCKED);
	await world.putExecutions(targetOf('older-link'), [
		{ request: old, status: endedStatus('Completed', new Date(Date.now() - 5000)) },
		{ status: endedStatus('Completed', new Date(Date.now() - 3000)) },
	]);
	// The name of the next link was announced, and nothing was made.
	await put('announced');
	await world.putExecutions(targetOf('announced'), [
		{ status: endedStatus('Completed', new Date(Date.now() - 60_000)) },
		{},
	]);
	const [, unmade] = await executionsOn('announced');
	await world.deleteExecution(nameOf(unmade!));
	// Skipped, and not written into its request.
	const away = await put('skipped');
	const [skipped] = await world.putExecutions(targetOf('skipped'), [{ request: away, status: SKIPPED }]);
	await world.patchRequest(nameOf(away), {
		overallPhase: 'Executing',
		workflowExecutionRef: { name: nameOf(skipped!), uid: skipped!.metadata.uid },
	});
	// Over, and not notified.
	await put('not-notified', {
		overallPhase: 'Failed',
		outcome: 'RemediationFailed',
		failureReason: 'step restart exited with 1',
		completedAt: new Date().toISOString(),
	});
	await world.startSeveral(3);
});

describe.concurrent('after a crash', () => {
	it.each(SCENES)('$name: the execution is adopted, the request is $want, nothing is repeated', async (scene) => {
		const request = left(scene.name);
		const { status } = await world.until(nameOf(request), scene.want);
		const found = await executionsOn(scene.name);
		expect(found).toHaveLength(1);
		expect(status.workflowExecutionRef).toEqual({
			name: nameOf(found[0]!),
			uid: found[0]?.metadata.uid,
		});
		expect(status.startTime).toEqual(expect.any(String));
		if (scene.request !== BLOCKED) return;
		expect(status).not.toHaveProperty('blockReason');
		expect(timeOf(status.startTime)).toBe(Date.parse(BLOCKED.startTime));
	});

	it('an execution that other executions came after is adopted as well', async () => {
		const request = left('older-link');
		const { status } = await world.until(nameOf(request), 'Completed');
		const found = await executionsOn('older-link');
		expect(found).toHaveLength(2);
		expect(status.workflowExecutionRef?.name).toBe(nameOf(found[0]!));
	});

	it('a link that was announced and not created is created, under its name', async () => {
		const execution = await world.untilExecuting(left('announced'));
		const [before] = await executionsOn('announced');
		expect(before?.status?.successor?.name).toBe(nameOf(execution));
		expect(execution.spec.chain).toBe(1);
	});

	it('a skipped execution is followed by another attempt', async () => {
		const execution = await world.untilExecuting(left('skipped'));
		expect(execution.spec.chain).toBe(1);
	});

	it('an end that was not notified is notified, once', async () => {
		const [notification, ...others] = await world.notified(left('not-notified'), 1);
		expect(others).toEqual([]);
		expect(notification).toMatchObject({ spec: { type: 'Escalation' } });
		expect(notification?.spec.body).toContain('step restart exited with 1');
	});
});

describe.concurrent('fencing', () => {
	it('the execution has the token of the lock, and a write with an older token is rejected', async () => {
		const request = await world.createRequest({ target: targetOf('fenced') });
		const execution = await world.untilExecuting(request);
		const { fencing } = (await world.request(nameOf(request))).status;
		expect(execution.metadata.annotations?.['kubernaut.ai/fencing-token']).toBe(String(fencing?.token));
		expect(fencing?.lease).toMatch(/^ro-lock-/);
		const older = { lease: fencing!.lease, token: fencing!.token - 1 };
		await expect(world.patchRequest(nameOf(request), { fencing: older })).rejects.toThrow(
			/fencing token .* is older than the stored .* of the same lease/,
		);
	});
});

describe('in all of this', () => {
	it('no target ever had two executions', async () => {
		await history.caughtUp();
		expect(history.changes.length).toBeGreaterThan(0);
		expect(history.overlaps()).toEqual([]);
	});
});
