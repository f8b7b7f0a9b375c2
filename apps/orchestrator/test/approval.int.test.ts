// Approvals and rejections, the workflows in mode Approval, and those in mode DryRun. Every scenario has a target of its
// own, and they run concurrently.
import type { KubeObject } from '@kubernaut/control-plane';
import { applyObject, createNamespace, readManifests } from '@kubernaut/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import type { RemediationRequest } from '../src/generated/remediation-request.ts';
import { eventually, unlessTooLate } from './harness/eventually.ts';
import { nameOf, newApproval, timeOf } from './harness/objects.ts';
import { openWorld, type World } from './harness/world.ts';

let world: World;
beforeAll(async () => {
	const env = { RESOURCE_LOCKING_COOLDOWN_PERIOD: `${COOLDOWN_MS}ms`, APPROVALS_APPROVER_VERIFIED: 'on' };
	world = await openWorld('approval', 2, env, async (prepared) => {
		await prepared.createWorkflow('careful', { signalNames: ['Careful'], mode: 'Approval' });
		await prepared.createWorkflow('rehearsed', {
			signalNames: ['Rehearsed'],
			mode: 'DryRun',
			parameters: { WHO: '{{ target.name }}' },
		});
		await prepared.createWorkflow('real', { signalNames: ['Real'] });
		// Made later, it might be seen after the request that it is for, which would then be notified once more.
		await prepared.createWorkflow('changing', { signalNames: ['Changing'], mode: 'Approval' });
	});
});

const COOLDOWN_MS = 5000;
async function aWaitingRequest(target: string): Promise<RemediationRequest> {
	const request = await world.createRequest({ target, signalName: 'Careful' });
	await world.until(nameOf(request), 'AwaitingApproval');
	return request;
}

describe.concurrent('a workflow in mode Approval', () => {
	it('waits for an approval, notifies once, and runs when it is approved', async () => {
		const target = 'approval/Deployment/yes';
		const request = await aWaitingRequest(target);
		const { status } = await world.request(nameOf(request));
		expect(status.blockMessage).toContain(`careful on ${target} needs an answer. `);
		expect(await world.executionsOn(target)).toEqual([]);
		const [notification] = await world.notified(request, 1);
		expect(notification).toMatchObject({ spec: { type: 'ManualReview', priority: 'High' } });
		expect(notification?.spec.body).toContain(status.blockMessage);
		await world.decide(request, 'Approved');
		await world.untilExecuting(request);
		expect(await world.notified(request, 1)).toHaveLength(1);
	});

	it('asks again when what it would run was changed, and an approval of what it was does not count', async () => {
		const target = 'approval/Deployment/changed';
		const request = await world.createRequest({ target, signalName: 'Changing' });
		const { status: first } = await world.until(nameOf(request), 'AwaitingApproval');
		await world.notified(request, 1);
		await world.editWorkflow('changing', { pipelineRef: { name: 'delete-all' } });
		const { status: second } = await eventually(
			() => world.request(nameOf(request)),
			({ status }) => expect(status.approval?.digest).not.toBe(first.approval?.digest),
		);
		expect(second.blockMessage).toContain('generation 2; pipeline delete-all;');
		expect(await world.notified(request, 2)).toHaveLength(2);
		const { metadata } = await world.decide(request, 'Approved', { digest: first.approval?.digest as string });
		await eventually(
			() => world.request(nameOf(request)),
			({ status }) =>
				expect(status.blockMessage).toContain(
					`RemediationApproval ${metadata.name} does not count: its digest is that of another run.`,
				),
		);
		expect(await world.isSettled(nameOf(request))).toBe(true);
		expect(await world.executionsOn(target)).toEqual([]);
		await world.decide(request, 'Approved');
		const { spec } = await world.untilExecuting(request);
		expect(spec).toMatchObject({
			pipelineRef: { name: 'delete-all' },
			approval: { digest: second.approval?.digest },
		});
	});

	it('says who approved, in the execution, the status, the Event and the notification; the approval is owned', async () => {
		const request = await aWaitingRequest('approval/Deployment/who');
		const approval = await world.decide(request, 'Approved', { approver: 'on-call' });
		const execution = await world.untilExecuting(request);
		const answer = { name: nameOf(approval), digest: approval.spec.digest, approver: 'on-call', verified: true };
		expect(execution.spec.approval).toEqual(answer);
		expect((await world.request(nameOf(request))).status.approval).toEqual({ ...answer, decision: 'Approved' });
		await eventually(
			() => world.events(nameOf(request)),
			(events) =>
				expect(events).toContainEqual(
					expect.objectContaining({
						reason: 'Executing',
						message: expect.stringMatching(/, approved by on-call \(verified\)$/),
					}),
				),
		);
		await world.endExecution(nameOf(execution), 'Completed');
		const notifications = await world.notified(request, 2);
		const completed = notifications.find(({ spec }) => spec.type === 'Completion');
		expect(completed?.spec.body).toContain('Approved by: on-call (verified)');
		await eventually(
			() => world.api.call('GET', world.path('remediationapprovals', nameOf(approval))),
			({ metadata }) =>
				expect(metadata.ownerReferences).toMatchObject([
					{ kind: 'RemediationRequest', name: nameOf(request), uid: request.metadata.uid },
				]),
		);
	});

	it('is cancelled by a rejection, with its reason', async () => {
		const target = 'approval/Deployment/no';
		const request = await aWaitingRequest(target);
		await world.decide(request, 'Rejected', { reason: 'we are in the middle of a sale', approver: 'on-call' });
		const { status } = await world.until(nameOf(request), 'Cancelled');
		expect(status).toMatchObject({ outcome: 'Rejected', completedAt: expect.any(String) });
		expect(status.conditions).toContainEqual(
			expect.objectContaining({
				type: 'Succeeded',
				status: 'False',
				reason: 'Rejected',
				message: 'rejected by on-call (verified): we are in the middle of a sale',
			}),
		);
		expect(await world.executionsOn(target)).toEqual([]);
	});

	it('is cancelled when it is both approved and rejected', async () => {
		const target = 'approval/Deployment/both';
		await world.pause({ targets: target });
		const request = await world.createRequest({ target, signalName: 'Careful' });
		await world.until(nameOf(request), 'Paused');
		await world.decide(request, 'Approved');
		await world.decide(request, 'Rejected');
		await world.until(nameOf(request), 'Cancelled');
		await world.pause();
		expect(await world.executionsOn(target)).toEqual([]);
	});

	it('does not run when another request of the same name was approved', async () => {
		const request = await aWaitingRequest('approval/Deployment/another');
		await world.notified(request, 1);
		await world.decide({ metadata: { name: nameOf(request), uid: 'of-another' } }, 'Approved');
		expect(await world.isSettled(nameOf(request))).toBe(true);
	});
});

describe.concurrent('a rejection that was not asked for', () => {
	it('cancels a request that is blocked for another reason, also of an automatic workflow', async () => {
		const target = 'approval/Deployment/unasked';
		await world.putExecutions(target, [{}]);
		const request = await world.createRequest({ target, signalName: 'Real' });
		await world.until(nameOf(request), 'ResourceBusy');
		await world.decide(request, 'Rejected', { reason: 'not now' });
		expect((await world.until(nameOf(request), 'Cancelled')).status.outcome).toBe('Rejected');
	});

	it('withdraws an execution that has not begun, and cancels its request', async () => {
		const request = await world.createRequest({ target: 'approval/Deployment/early', signalName: 'Real' });
		const execution = await world.untilExecuting(request);
		await world.decide(request, 'Rejected');
		expect((await world.until(nameOf(request), 'Cancelled')).status.outcome).toBe('Rejected');
		expect((await world.findExecution(nameOf(execution)))?.status).toMatchObject({
			phase: 'Skipped',
			skipDetails: { reason: 'Withdrawn', message: 'its RemediationRequest was rejected before it began' },
		});
	});

	it('does not affect a request whose execution has begun', async () => {
		const request = await world.createRequest({ target: 'approval/Deployment/late', signalName: 'Real' });
		const execution = await world.untilExecuting(request);
		await world.beginExecution(nameOf(execution));
		await world.decide(request, 'Rejected');
		expect(await world.isSettled(nameOf(request))).toBe(true);
		await world.endExecution(execution.metadata.name, 'Completed');
		await world.until(nameOf(request), 'Completed');
	});
});

describe.concurrent('the right to approve', () => {
	it('is not one of the orchestrator', async () => {
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

describe.concurrent('the policy of deploy/policies', () => {
	it('accepts an approver who is the user who creates the approval, and no other', async () => {
		const namespace = await createNamespace(world.api, 'policy');
		for (const manifest of readManifests('deploy/policies/approver-is-the-user.yaml'))
			await applyObject(world.api, onlyIn(namespace, manifest));
		await allowApprovals(namespace, 'on-call');
		const createAs = async (user: string, spec: object) => {
			const { metadata: _, ...approval } = newApproval({ name: 'rr', uid: 'u' }, 'Approved');
			const body = { ...approval, metadata: { generateName: 'a-' }, spec: { ...approval.spec, ...spec } };
			const path = `/apis/kubernaut.ai/v1alpha1/namespaces/${namespace}/remediationapprovals`;
			return world.api.send('POST', path, { asUser: user, body });
		};
		// The API server takes a moment to learn of a policy.
		await eventually(
			() => createAs('on-call', { approver: 'day-shift' }),
			({ status, body }) =>
				expect([status, body['message']]).toEqual([
					403,
					expect.stringContaining('spec.approver must be the user who creates the RemediationApproval, on-call'),
				]),
		);
		expect((await createAs('on-call', {})).status).toBe(403);
		expect((await createAs('on-call', { approver: 'on-call' })).status).toBe(201);
	});
});

/** A policy holds in the whole cluster, and others test in it. */
function onlyIn(namespace: string, manifest: KubeObject): KubeObject {
	const name = `${manifest['metadata'].name}.${namespace}`;
	const isBinding = manifest['kind'] === 'ValidatingAdmissionPolicyBinding';
	const matchResources = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } } };
	return {
		...manifest,
		metadata: { ...manifest['metadata'], name },
		spec: { ...manifest['spec'], ...(isBinding ? { policyName: name, matchResources } : {}) },
	};
}

async function allowApprovals(namespace: string, user: string): Promise<void> {
	const rbac = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name: 'approvers', namespace } };
	const rules = [{ apiGroups: ['kubernaut.ai'], resources: ['remediationapprovals'], verbs: ['create'] }];
	await applyObject(world.api, { ...rbac, kind: 'Role', rules });
	await applyObject(world.api, {
		...rbac,
		kind: 'RoleBinding',
		roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'approvers' },
		subjects: [{ kind: 'User', name: user, apiGroup: 'rbac.authorization.k8s.io' }],
	});
}

describe.concurrent('a dry run', () => {
	it('creates no execution and says what would run', async () => {
		const target = 'dry/Deployment/quiet';
		const request = await world.createRequest({ target, signalName: 'Rehearsed' });
		const { status } = await world.until(nameOf(request), 'Completed');
		expect(status.outcome).toBe('DryRun');
		const message = `rehearsed would run on ${target} with WHO=quiet`;
		expect(status.conditions).toContainEqual(expect.objectContaining({ type: 'Succeeded', reason: 'DryRun', message }));
		expect(status).not.toHaveProperty('workflowExecutionRef');
		expect(await world.executionsOn(target)).toEqual([]);
		const [notification] = await world.notified(request, 1);
		expect(notification).toMatchObject({ spec: { type: 'StatusUpdate', priority: 'Low' } });
		expect(notification?.spec.body).toContain(message);
	});

	it('delays other dry runs by its cooldown', async () => {
		const again = await unlessTooLate(async (attempt) => {
			const rehearsed = { target: `dry/Deployment/again-${attempt}`, signalName: 'Rehearsed' };
			const { status } = await world.until(nameOf(await world.createRequest(rehearsed)), 'Completed');
			const second = await world.createRequest(rehearsed);
			return world.untilBlocked(second, 'RecentlyRemediated', timeOf(status.completedAt) + COOLDOWN_MS);
		});
		expect((await world.until(nameOf(again), 'Completed')).status.outcome).toBe('DryRun');
	});

	it('does not delay a real run', async () => {
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
