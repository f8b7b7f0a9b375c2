// A person's word, and the workflows that ask for it; and those that only say what they would do. Every scenario has a
// target of its own, and they go side by side.
import type { KubeObject } from '@kubernaut/control-plane';
import { beforeAll, describe, expect, it } from 'vitest';
import { eventually, unlessTooLate } from './harness/eventually.ts';
import { openWorld, type World } from './harness/world.ts';

let world: World;
beforeAll(async () => {
	world = await openWorld('approval', 2, { RESOURCE_LOCKING_COOLDOWN_PERIOD: `${COOLDOWN_MS}ms` }, async (prepared) => {
		await prepared.createWorkflow('careful', { signalNames: ['Careful'], mode: 'Approval' });
		await prepared.createWorkflow('rehearsed', {
			signalNames: ['Rehearsed'],
			mode: 'DryRun',
			parameters: { WHO: '{{ target.name }}' },
		});
		await prepared.createWorkflow('real', { signalNames: ['Real'] });
	});
});

const COOLDOWN_MS = 5000;
const nameOf = (request: KubeObject): string => request['metadata'].name;
async function aWaitingRequest(target: string): Promise<KubeObject> {
	const request = await world.createRequest({ target, signalName: 'Careful' });
	await world.until(nameOf(request), 'AwaitingApproval');
	return request;
}
const executionsOn = async (target: string) =>
	(await world.executions()).filter(({ spec }) => spec.targetResource === target);

describe.concurrent('a workflow that asks first', () => {
	it('waits for a word, tells people once, and runs when it is a yes', async () => {
		const target = 'approval/Deployment/yes';
		const request = await aWaitingRequest(target);
		const { status } = await world.request(nameOf(request));
		expect(status.blockMessage).toBe(`careful on ${target} needs a RemediationApproval of ${nameOf(request)}`);
		expect(await executionsOn(target)).toEqual([]);
		const [told] = await world.told(request, 1);
		expect(told).toMatchObject({ spec: { type: 'ManualReview', priority: 'High' } });
		await world.decide(request, 'Approved');
		await world.untilExecuting(request);
		expect(await world.told(request, 1)).toHaveLength(1);
	});

	it('ends with a no, in the words of whoever said it', async () => {
		const target = 'approval/Deployment/no';
		const request = await aWaitingRequest(target);
		await world.decide(request, 'Rejected', 'we are in the middle of a sale');
		const { status } = await world.until(nameOf(request), 'Cancelled');
		expect(status).toMatchObject({ outcome: 'Rejected', completedAt: expect.any(String) });
		expect(status.conditions).toContainEqual(
			expect.objectContaining({
				type: 'Succeeded',
				status: 'False',
				reason: 'Rejected',
				message: 'rejected by a person: we are in the middle of a sale',
			}),
		);
		expect(await executionsOn(target)).toEqual([]);
	});

	it('a no weighs more than a yes', async () => {
		const target = 'approval/Deployment/both';
		await world.pause({ targets: target });
		const request = await world.createRequest({ target, signalName: 'Careful' });
		await world.until(nameOf(request), 'Paused');
		await world.decide(request, 'Approved');
		await world.decide(request, 'Rejected');
		await world.until(nameOf(request), 'Cancelled');
		await world.pause();
		expect(await executionsOn(target)).toEqual([]);
	});

	it('a word about another request, or another one of the same name, changes nothing', async () => {
		const request = await aWaitingRequest('approval/Deployment/another');
		await world.told(request, 1);
		await world.decide({ metadata: { name: nameOf(request), uid: 'of-somebody-else' } }, 'Approved');
		expect(await world.isSettled(nameOf(request))).toBe(true);
	});
});

describe.concurrent('a no without being asked', () => {
	it('ends a request that waits for something else, also of an automatic workflow', async () => {
		const target = 'approval/Deployment/unasked';
		await world.putExecutions(target, [{}]);
		const request = await world.createRequest({ target, signalName: 'Real' });
		await world.until(nameOf(request), 'ResourceBusy');
		await world.decide(request, 'Rejected', 'not now');
		expect((await world.until(nameOf(request), 'Cancelled'))['status'].outcome).toBe('Rejected');
	});

	it('is too late for one that is executed', async () => {
		const request = await world.createRequest({ target: 'approval/Deployment/late', signalName: 'Real' });
		const execution = await world.untilExecuting(request);
		await world.decide(request, 'Rejected');
		expect(await world.isSettled(nameOf(request))).toBe(true);
		await world.endExecution(execution['metadata'].name, 'Completed');
		await world.until(nameOf(request), 'Completed');
	});
});

describe.concurrent('who may give a word', () => {
	it('is its own right: the orchestrator itself has it not', async () => {
		const asUser = `system:serviceaccount:${world.namespace}:orchestrator`;
		const body = {
			apiVersion: 'kubernaut.ai/v1alpha1',
			kind: 'RemediationApproval',
			metadata: { name: 'by-itself' },
			spec: { remediationRequestRef: { name: 'rr', uid: 'u' }, decision: 'Approved', reason: 'it wants to' },
		};
		const answer = await world.api.send('POST', world.path('remediationapprovals'), { asUser, body });
		expect(answer).toMatchObject({ status: 403, body: { reason: 'Forbidden' } });
	});
});

describe.concurrent('a dry run', () => {
	it('creates nothing and says what it would do', async () => {
		const target = 'dry/Deployment/quiet';
		const request = await world.createRequest({ target, signalName: 'Rehearsed' });
		const { status } = await world.until(nameOf(request), 'Completed');
		expect(status.outcome).toBe('DryRun');
		const message = `rehearsed would run on ${target} with WHO=quiet`;
		expect(status.conditions).toContainEqual(expect.objectContaining({ type: 'Succeeded', reason: 'DryRun', message }));
		expect(status).not.toHaveProperty('workflowExecutionRef');
		expect(await executionsOn(target)).toEqual([]);
		const [told] = await world.told(request, 1);
		expect(told).toMatchObject({ spec: { type: 'StatusUpdate', priority: 'Low' } });
		expect(told?.['spec'].body).toContain(message);
	});

	it('keeps other dry runs quiet for a while', async () => {
		const again = await unlessTooLate(async (attempt) => {
			const rehearsed = { target: `dry/Deployment/again-${attempt}`, signalName: 'Rehearsed' };
			const { status } = await world.until(nameOf(await world.createRequest(rehearsed)), 'Completed');
			const second = await world.createRequest(rehearsed);
			return world.untilBlocked(second, 'RecentlyRemediated', Date.parse(status.completedAt) + COOLDOWN_MS);
		});
		expect((await world.until(nameOf(again), 'Completed'))['status'].outcome).toBe('DryRun');
	});

	it('keeps nothing real from running', async () => {
		const target = 'dry/Deployment/real';
		const rehearsed = await world.createRequest({ target, signalName: 'Rehearsed' });
		await world.until(nameOf(rehearsed), 'Completed');
		const request = await world.createRequest({ target, signalName: 'Real' });
		await world.untilExecuting(request);
		const events = await eventually(
			() => world.events(nameOf(request)),
			(seen) => expect(seen).not.toHaveLength(0),
		);
		expect(events.map(({ reason }) => reason)).toEqual(['Executing']);
	});
});
