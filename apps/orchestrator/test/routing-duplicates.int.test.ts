// Several requests about one target: those that ask for the same run wait for the first, another workflow waits until the
// target is free. Every scenario has a target of its own, and they run concurrently.
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import type { RemediationRequest } from '../src/generated/remediation-request.ts';
import { eventually, unlessTooLate } from './harness/eventually.ts';
import { type ExecutionHistory, recordExecutions } from './harness/execution-history.ts';
import { nameOf, newApproval } from './harness/objects.ts';
import { openWorld, type World } from './harness/world.ts';

const COOLDOWN_MS = 4000;
let world: World;
let history: ExecutionHistory;
beforeAll(async () => {
	const env = {
		RESOURCE_LOCKING_COOLDOWN_PERIOD: `${COOLDOWN_MS}ms`,
		ROUTING_FAILURE_BACKOFF: '1s',
		ROUTING_FAILURE_WINDOW: '5s',
	};
	world = await openWorld('duplicates', 2, env, async (prepared) => {
		history = await recordExecutions(prepared.namespace);
		await prepared.createWorkflow('restart');
		await prepared.createWorkflow('scale', { signalNames: ['TooSmall'] });
		await prepared.createWorkflow('careful', { signalNames: ['Careful'], mode: 'Approval' });
	});
});

/** Requests that must not be notified: checked at the end, when there was time to. */
const notNotified: RemediationRequest[] = [];
const statusOf = async (request: RemediationRequest) => (await world.request(nameOf(request))).status;

/** The first is executed or waits for a person, the others for the first. */
async function aCrowd(target: string, signalName: string, size: number) {
	const first = await world.createRequest({ target, signalName });
	await world.until(nameOf(first), signalName === 'Careful' ? 'AwaitingApproval' : 'Executing');
	// Ages have steps of a second; within one, the uid says who is older.
	await delay(Math.max(0, Date.parse(first.metadata.creationTimestamp) + 1050 - Date.now()));
	const others = await Promise.all(Array.from({ length: size - 1 }, () => world.createRequest({ target, signalName })));
	for (const other of others) await world.until(nameOf(other), 'DuplicateInProgress');
	return { first, others };
}
const SIGNAL = 'KubeDeploymentReplicasMismatch';

describe.concurrent('DuplicateInProgress', () => {
	it('of a request that succeeds is remediated by another', async () => {
		const target = 'same/Deployment/success';
		const { first, others } = await aCrowd(target, SIGNAL, 4);
		for (const other of others)
			expect(await statusOf(other)).toMatchObject({
				blockMessage: `duplicate of ${nameOf(first)}, which asks for the same run of restart on ${target}`,
				duplicateOf: { name: nameOf(first), uid: first.metadata.uid },
			});
		await world.endExecution((await world.executionOf(first)).metadata.name, 'Completed');
		await world.until(nameOf(first), 'Completed');
		for (const other of others) {
			const { status } = await world.until(nameOf(other), 'Skipped');
			expect(status).toMatchObject({
				outcome: 'RemediatedByAnother',
				duplicateOf: { name: nameOf(first) },
				completedAt: expect.any(String),
			});
			expect(status).not.toHaveProperty('blockReason');
			expect(status.conditions).toContainEqual(
				expect.objectContaining({ type: 'Succeeded', status: 'True', message: `remediated by ${nameOf(first)}` }),
			);
			expect((await history.caughtUp()).madeFor(other.metadata.uid)).toEqual([]);
		}
		// The original is notified; its duplicates are not.
		expect(await world.notified(first, 1)).toHaveLength(1);
		notNotified.push(...others);
	});

	it('of a request that times out goes on', async () => {
		const { first, others } = await aCrowd('same/Deployment/timeout', 'Careful', 2);
		await world.patchRequest(nameOf(first), {
			overallPhase: 'TimedOut',
			outcome: 'TimedOut',
			failureReason: 'nothing happened',
			completedAt: new Date().toISOString(),
		});
		const { status } = await world.until(nameOf(others[0]!), 'AwaitingApproval');
		expect(status).not.toHaveProperty('duplicateOf');
	});

	it('of a request whose execution was deleted takes the next try', async () => {
		const { first, others } = await aCrowd('same/Deployment/lost', SIGNAL, 2);
		await world.deleteExecution((await world.executionOf(first)).metadata.name);
		expect((await world.until(nameOf(first), 'Failed')).status.outcome).toBe('ExecutionLost');
		await world.untilExecuting(others[0]!);
	});

	it('of a request whose question is answered with no is rejected with it, and people are notified', async () => {
		const { first, others } = await aCrowd('same/Deployment/rejected', 'Careful', 3);
		await world.afterwards(); // every replica knows both: the answer may reach it before a request does, by another watch
		await world.decide(first, 'Rejected', { approver: 'on-call', reason: 'not now' });
		await world.until(nameOf(first), 'Cancelled');
		for (const other of others)
			expect((await world.until(nameOf(other), 'Cancelled')).status).toMatchObject({
				outcome: 'Rejected',
				duplicateOf: { name: nameOf(first) },
			});
		const rejected = (await world.notified(first, 2)).find(({ spec }) => spec.type === 'StatusUpdate');
		expect(rejected?.spec.body).toContain(
			'rejected by on-call (not verified): not now; requests that wait for the same answer and are cancelled with it: 2',
		);
		notNotified.push(...others);
	});

	it('of a request that is rejected as such is asked itself', async () => {
		const { first, others } = await aCrowd('same/Deployment/rejected-itself', 'Careful', 2);
		const { name, uid } = first.metadata;
		await world.api.call('POST', world.path('remediationapprovals'), { body: newApproval({ name, uid }, 'Rejected') });
		expect((await world.until(nameOf(first), 'Cancelled')).status.outcome).toBe('Rejected');
		const { status } = await world.until(nameOf(others[0]!), 'AwaitingApproval');
		expect(status.blockMessage).toContain(others[0]!.metadata.uid); // the command names this request
	});

	it('is decided anew when the signal of its original was resolved', async () => {
		const { first, others } = await aCrowd('same/Deployment/resolved', 'Careful', 3);
		await world.patchRequest(nameOf(first), { signalResolvedAt: new Date().toISOString() });
		expect((await world.until(nameOf(first), 'Cancelled')).status.outcome).toBe('Resolved');
		const [next, last] = oldestFirst(others);
		await world.until(nameOf(next), 'AwaitingApproval');
		await eventually(
			() => statusOf(last),
			({ blockReason, duplicateOf }) =>
				expect([blockReason, duplicateOf?.name]).toEqual(['DuplicateInProgress', nameOf(next)]),
		);
		expect(await statusOf(next)).not.toHaveProperty('duplicateOf');
	});

	it('is decided anew when its original was deleted', async () => {
		const { first, others } = await aCrowd('same/Deployment/deleted', 'Careful', 2);
		await world.api.call('DELETE', world.path('remediationrequests', nameOf(first)));
		const { status } = await world.until(nameOf(others[0]!), 'AwaitingApproval');
		expect(status).not.toHaveProperty('duplicateOf');
	});

	it('of many requests at once: one runs, and no request waits for one that waits', async () => {
		const target = 'same/Deployment/many';
		const requests = await Promise.all(Array.from({ length: 6 }, () => world.createRequest({ target })));
		await eventually(
			() => Promise.all(requests.map((request) => world.request(nameOf(request)))),
			(seen) => {
				const running = seen.find(({ status }) => status.overallPhase === 'Executing');
				const waiting = seen.filter(({ status }) => status.blockReason === 'DuplicateInProgress');
				expect(waiting.map(({ status }) => status.duplicateOf?.name)).toEqual(Array(5).fill(running?.metadata.name));
			},
		);
	});
});

describe.concurrent('ResourceBusy', () => {
	it('names the execution that holds the target, and goes on after its end and the cooldown', async () => {
		const { second, holder, cooling } = await unlessTooLate(async (attempt) => {
			const target = `other/Deployment/busy-${attempt}`;
			const held = await world.untilExecuting(await world.createRequest({ target }));
			const waiting = await world.createRequest({ target, signalName: 'TooSmall' });
			const { status } = await world.until(nameOf(waiting), 'ResourceBusy');
			expect(status).toMatchObject({
				blockMessage: `${nameOf(held)} holds ${target}`,
				blockingWorkflowExecution: { name: nameOf(held), uid: held.metadata.uid },
			});
			expect(status).not.toHaveProperty('blockedUntil');
			const endedAt = new Date();
			await world.endExecution(nameOf(held), 'Completed', endedAt);
			const blocked = await world.untilBlocked(waiting, 'RecentlyRemediated', endedAt.getTime() + COOLDOWN_MS);
			return blocked && { second: waiting, holder: held, cooling: blocked };
		});
		expect(cooling.status.blockingWorkflowExecution?.name).toBe(nameOf(holder));
		const execution = await world.untilExecuting(second);
		expect(execution.spec).toMatchObject({ chain: 1, workflowRef: { name: 'scale' } });
		const before = await world.api.call('GET', world.path('workflowexecutions', nameOf(holder)));
		expect(before.status.successor).toEqual({ name: nameOf(execution) });
		notNotified.push(second);
	});
});

describe('in all of this', () => {
	it('no target ever had two executions', async () => {
		await history.caughtUp();
		expect(history.changes.length).toBeGreaterThan(0);
		expect(history.overlaps()).toEqual([]);
	});

	it('no duplicate was notified, and no block that ends by itself', async () => {
		expect(notNotified).not.toEqual([]);
		await world.afterwards();
		for (const request of notNotified) expect(await world.notified(request, 0)).toEqual([]);
	});
});

function oldestFirst(requests: readonly RemediationRequest[]): [RemediationRequest, RemediationRequest] {
	const ageOf = ({ metadata }: RemediationRequest) => `${metadata.creationTimestamp} ${metadata.uid}`;
	const sorted = requests.toSorted((a, b) => (ageOf(a) < ageOf(b) ? -1 : 1));
	return [sorted[0]!, sorted[1]!];
}
