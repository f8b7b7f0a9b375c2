// Several requests about one target: the same workflow waits for the first and ends as it does, another workflow waits
// until the target is free. Every scenario has a target of its own, and they go side by side.
import { setTimeout as delay } from 'node:timers/promises';
import type { KubeObject } from '@kubernaut/control-plane';
import { beforeAll, describe, expect, it } from 'vitest';
import { type ExecutionHistory, recordExecutions } from './harness/execution-history.ts';
import { eventually, openWorld, type World } from './harness/world.ts';

let world: World;
let history: ExecutionHistory;
beforeAll(async () => {
	world = await openWorld('duplicates', 2, {
		RESOURCE_LOCKING_COOLDOWN_PERIOD: '4s',
		ROUTING_FAILURE_BACKOFF: '1s',
		ROUTING_FAILURE_WINDOW: '5s',
	});
	history = await recordExecutions(world.namespace);
	await world.createWorkflow('restart');
	await world.createWorkflow('scale', { signalNames: ['TooSmall'] });
	await world.createWorkflow('careful', { signalNames: ['Careful'], mode: 'Approval' });
});

const nameOf = (request: KubeObject): string => request['metadata'].name;
const statusOf = async (request: KubeObject) => (await world.request(nameOf(request)))['status'];

/** The first is executed or waits for a person, the others for the first. */
async function aCrowd(target: string, signalName: string, size: number) {
	const first = await world.createRequest({ target, signalName });
	await world.until(nameOf(first), signalName === 'Careful' ? 'AwaitingApproval' : 'Executing');
	await delay(1000); // ages have steps of a second; within one, the uid says who is older
	const others = await Promise.all(Array.from({ length: size - 1 }, () => world.createRequest({ target, signalName })));
	for (const other of others) await world.until(nameOf(other), 'DuplicateInProgress');
	return { first, others };
}
const SIGNAL = 'KubeDeploymentReplicasMismatch';

describe.concurrent('DuplicateInProgress', () => {
	it.each([
		{ end: 'Completed', target: 'same/Deployment/success', phase: 'Skipped', outcome: 'Remediated' },
		{ end: 'Failed', target: 'same/Deployment/failure', phase: 'Failed', outcome: 'RemediationFailed' },
	] as const)('inherits what came of the first: $end becomes $phase', async ({ end, target, phase, outcome }) => {
		const { first, others } = await aCrowd(target, SIGNAL, 4);
		for (const other of others)
			expect(await statusOf(other)).toMatchObject({
				blockMessage: `${nameOf(first)} asks for restart on the same target and comes first`,
				duplicateOf: { name: nameOf(first), uid: first['metadata'].uid },
			});
		await world.endExecution((await world.executionOf(first))['metadata'].name, end);
		await world.until(nameOf(first), end);
		for (const other of others) {
			const { status } = await world.until(nameOf(other), phase);
			expect(status).toMatchObject({ outcome, duplicateOf: { name: nameOf(first) }, completedAt: expect.any(String) });
			expect(status).not.toHaveProperty('blockReason');
			expect(status.conditions).toContainEqual(
				expect.objectContaining({ type: 'Succeeded', message: expect.stringContaining(`as ${nameOf(first)}`) }),
			);
			expect((await history.caughtUp()).madeFor(other['metadata'].uid)).toEqual([]);
		}
		// The first is told; who inherited it is not told again.
		expect(await world.told(first, 1)).toHaveLength(1);
		for (const other of others) expect(await world.told(other, 0)).toEqual([]);
	});

	it('inherits that time ran out', async () => {
		const { first, others } = await aCrowd('same/Deployment/timeout', SIGNAL, 2);
		await world.patchStatus('remediationrequests', nameOf(first), {
			overallPhase: 'TimedOut',
			outcome: 'TimedOut',
			failureReason: 'nothing happened',
			completedAt: new Date().toISOString(),
		});
		const { status } = await world.until(nameOf(others[0] as KubeObject), 'TimedOut');
		expect(status.failureReason).toContain('nothing happened');
	});

	it('inherits a rejection', async () => {
		const { first, others } = await aCrowd('same/Deployment/rejected', 'Careful', 3);
		await world.decide(first, 'Rejected');
		await world.until(nameOf(first), 'Cancelled');
		for (const other of others)
			expect((await world.until(nameOf(other), 'Cancelled'))['status'].outcome).toBe('Rejected');
	});

	it('stands for itself when the first was resolved', async () => {
		const { first, others } = await aCrowd('same/Deployment/resolved', 'Careful', 3);
		await world.patchStatus('remediationrequests', nameOf(first), { signalResolvedAt: new Date().toISOString() });
		expect((await world.until(nameOf(first), 'Cancelled'))['status'].outcome).toBe('Resolved');
		const [next, last] = oldestFirst(others);
		await world.until(nameOf(next), 'AwaitingApproval');
		await eventually(
			() => statusOf(last),
			({ blockReason, duplicateOf }) =>
				expect([blockReason, duplicateOf?.name]).toEqual(['DuplicateInProgress', nameOf(next)]),
		);
		expect(await statusOf(next)).not.toHaveProperty('duplicateOf');
	});

	it('stands for itself when the first was deleted', async () => {
		const { first, others } = await aCrowd('same/Deployment/deleted', 'Careful', 2);
		await world.api.call('DELETE', world.path('remediationrequests', nameOf(first)));
		const { status } = await world.until(nameOf(others[0] as KubeObject), 'AwaitingApproval');
		expect(status).not.toHaveProperty('duplicateOf');
	});

	it('of many at once one runs and nobody waits for one that waits', async () => {
		const target = 'same/Deployment/many';
		const requests = await Promise.all(Array.from({ length: 6 }, () => world.createRequest({ target })));
		const settled = await eventually(
			() => Promise.all(requests.map((request) => world.request(nameOf(request)))),
			(seen) => expect(seen.filter(({ status }) => status.blockReason === 'DuplicateInProgress')).toHaveLength(5),
		);
		const running = settled.find(({ status }) => status.overallPhase === 'Executing');
		for (const { status } of settled.filter((request) => request !== running))
			expect(status.duplicateOf.name).toBe(nameOf(running as KubeObject));
	});
});

describe.concurrent('ResourceBusy', () => {
	it('names who has the target, and goes on when that is gone and the cooldown is over', async () => {
		const target = 'other/Deployment/busy';
		const first = await world.createRequest({ target });
		const holder = await world.untilExecuting(first);
		const second = await world.createRequest({ target, signalName: 'TooSmall' });
		const { status } = await world.until(nameOf(second), 'ResourceBusy');
		expect(status).toMatchObject({
			blockMessage: `${holder['metadata'].name} has ${target}`,
			blockingWorkflowExecution: { name: holder['metadata'].name, uid: holder['metadata'].uid },
		});
		expect(status).not.toHaveProperty('blockedUntil');
		await world.endExecution(holder['metadata'].name, 'Completed');
		const cooling = (await world.until(nameOf(second), 'RecentlyRemediated'))['status'];
		expect(cooling.blockingWorkflowExecution.name).toBe(holder['metadata'].name);
		const execution = await world.untilExecuting(second);
		expect(execution['spec']).toMatchObject({ chain: 1, workflowRef: { name: 'scale' } });
		const before = await world.api.call('GET', world.path('workflowexecutions', holder['metadata'].name));
		expect(before['status'].successor).toEqual({ name: execution['metadata'].name });
		expect(await world.told(second, 0)).toEqual([]);
	});
});

describe('in all of this', () => {
	it('no target ever had two executions', async () => {
		await history.caughtUp();
		expect(history.changes.length).toBeGreaterThan(0);
		expect(history.overlaps()).toEqual([]);
	});
});

function oldestFirst(requests: readonly KubeObject[]): [KubeObject, KubeObject] {
	const ageOf = ({ metadata }: KubeObject) => `${metadata.creationTimestamp} ${metadata.uid}`;
	const sorted = requests.toSorted((a, b) => (ageOf(a) < ageOf(b) ? -1 : 1));
	return [sorted[0] as KubeObject, sorted[1] as KubeObject];
}
