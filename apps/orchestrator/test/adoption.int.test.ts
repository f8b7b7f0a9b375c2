// What a crashed orchestrator leaves behind, put there before any process starts: executions that nobody wrote into
// their request, phases that nobody told of. Whoever comes next takes it up and repeats nothing.
import type { KubeObject } from '@kubernaut/control-plane';
import { beforeAll, describe, expect, it } from 'vitest';
import { type ExecutionHistory, recordExecutions } from './harness/execution-history.ts';
import { endedStatus } from './harness/objects.ts';
import { openWorld, type World } from './harness/world.ts';

const SKIPPED = {
	phase: 'Skipped',
	completionTime: new Date(Date.now() - 60_000).toISOString(),
	skipDetails: { reason: 'ResourceBusy', message: 'held', heldBy: 'we-x' },
};
const BLOCKED = {
	overallPhase: 'Blocked',
	blockReason: 'ResourceBusy',
	blockMessage: 'we-x has it',
	startTime: new Date(Date.now() - 60_000).toISOString(),
};
const RUNNING = { phase: 'Running', pipelineRunRef: { name: 'wfe-0123456789abcdef', uid: 'run' } };

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
const requests = new Map<string, KubeObject>();
const left = (name: string) => requests.get(name) as KubeObject;
const nameOf = (object: KubeObject): string => object['metadata'].name;
const targetOf = (name: string) => `left/Deployment/${name}`;
const executionsOn = async (name: string) =>
	(await world.executions())
		.filter(({ spec }) => spec.targetResource === targetOf(name))
		.toSorted((a, b) => a['spec'].chain - b['spec'].chain);

beforeAll(async () => {
	world = await openWorld('adoption', 0, { RESOURCE_LOCKING_COOLDOWN_PERIOD: '1s', ROUTING_FAILURE_BACKOFF: '1s' });
	history = await recordExecutions(world.namespace);
	await world.createWorkflow('restart');
	const put = async (name: string, status?: object) => {
		const request = await world.createRequest({ target: targetOf(name) });
		if (status !== undefined) await world.patchStatus('remediationrequests', nameOf(request), status);
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
	// Ours is not the newest: another's came after it.
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
	await world.deleteExecution(nameOf(unmade as KubeObject));
	// Turned away, and nobody had taken note.
	const away = await put('turned-away');
	const [skipped] = await world.putExecutions(targetOf('turned-away'), [{ request: away, status: SKIPPED }]);
	await world.patchStatus('remediationrequests', nameOf(away), {
		overallPhase: 'Executing',
		workflowExecutionRef: { name: nameOf(skipped as KubeObject), uid: skipped?.['metadata'].uid },
	});
	// Over, and nobody was told.
	await put('untold-failed', {
		overallPhase: 'Failed',
		outcome: 'RemediationFailed',
		failureReason: 'step restart exited with 1',
		completedAt: new Date().toISOString(),
	});
	await world.startSeveral(3);
});

describe.concurrent('after a crash', () => {
	it.each(SCENES)('$name: the execution is taken up, the request is $want, nothing is repeated', async (scene) => {
		const request = left(scene.name);
		const { status } = await world.until(nameOf(request), scene.want);
		const found = await executionsOn(scene.name);
		expect(found).toHaveLength(1);
		expect(status.workflowExecutionRef).toEqual({
			name: nameOf(found[0] as KubeObject),
			uid: found[0]?.['metadata'].uid,
		});
		expect(status.startTime).toEqual(expect.any(String));
		if (scene.request !== BLOCKED) return;
		expect(status).not.toHaveProperty('blockReason');
		expect(Date.parse(status.startTime)).toBe(Date.parse(BLOCKED.startTime));
	});

	it('an execution of ours that others came after is found as well', async () => {
		const request = left('older-link');
		const { status } = await world.until(nameOf(request), 'Completed');
		const found = await executionsOn('older-link');
		expect(found).toHaveLength(2);
		expect(status.workflowExecutionRef.name).toBe(nameOf(found[0] as KubeObject));
	});

	it('a link that was announced and not made is made, under its name', async () => {
		const execution = await world.untilExecuting(left('announced'));
		const [before] = await executionsOn('announced');
		expect(before?.['status'].successor.name).toBe(nameOf(execution));
		expect(execution['spec'].chain).toBe(1);
	});

	it('one that was turned away is tried again', async () => {
		const execution = await world.untilExecuting(left('turned-away'));
		expect(execution['spec'].chain).toBe(1);
	});

	it('an end that nobody told is told, once', async () => {
		const [told, ...others] = await world.told(left('untold-failed'), 1);
		expect(others).toEqual([]);
		expect(told).toMatchObject({ spec: { type: 'Escalation' } });
		expect(told?.['spec'].body).toContain('step restart exited with 1');
	});
});

describe.concurrent('fencing', () => {
	it('the token of the lock is on what was made, and an older one is refused', async () => {
		const request = await world.createRequest({ target: targetOf('fenced') });
		const execution = await world.untilExecuting(request);
		const { status } = await world.request(nameOf(request));
		expect(execution['metadata'].annotations['kubernaut.ai/fencing-token']).toBe(String(status.fencing.token));
		expect(status.fencing.lease).toMatch(/^ro-lock-/);
		const older = { lease: status.fencing.lease, token: status.fencing.token - 1 };
		await expect(world.patchStatus('remediationrequests', nameOf(request), { fencing: older })).rejects.toThrow(
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
