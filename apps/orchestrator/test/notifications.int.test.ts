// Who is told of what, and how a request tells its own story: notifications, Events and conditions. Every scenario has
// a target of its own, and they go side by side.
import type { KubeObject } from '@kubernaut/control-plane';
import { beforeAll, describe, expect, it } from 'vitest';
import { eventually } from './harness/eventually.ts';
import { openWorld, type World } from './harness/world.ts';

let world: World;
beforeAll(async () => {
	const env = {
		NOTIFICATIONS_CHANNELS: 'slack,log',
		RESOURCE_LOCKING_COOLDOWN_PERIOD: '1s',
		ROUTING_FAILURE_BACKOFF: '1s',
	};
	world = await openWorld('told', 3, env, async (prepared) => {
		await prepared.createWorkflow('restart');
		await prepared.createWorkflow('careful', { signalNames: ['Careful'], mode: 'Approval' });
	});
});

const nameOf = (object: KubeObject): string => object['metadata'].name;
/** Written after the decision, by the replica that decided, so a little later. */
const eventsOf = (request: KubeObject, want: readonly string[]) =>
	eventually(
		() => world.events(nameOf(request)),
		(events) => expect(events.map(({ type, reason }) => `${type} ${reason}`).toSorted()).toEqual(want.toSorted()),
	);
const wordsOf = ({ status }: KubeObject): Record<string, string> =>
	Object.fromEntries(
		(status.conditions as KubeObject[]).map(({ type, status: holds, reason, message }) => [
			type,
			`${holds}, ${reason}: ${message}`,
		]),
	);

describe.concurrent('a notification', () => {
	it('is made once for each cause, by whichever replica, and is the child of its request', async () => {
		const request = await world.createRequest({
			target: 'told/Deployment/story',
			signalName: 'Story',
			severity: 'warning',
		});
		const { metadata } = request;
		await world.until(nameOf(request), 'NoWorkflow');
		await world.told(request, 1);
		await world.createWorkflow('story', { signalNames: ['Story'], parameters: { X: '{{ labels.x }}' } });
		await world.until(nameOf(request), 'ConfigurationError');
		await world.told(request, 2);
		await world.editWorkflow('story', { parameters: { X: 'x' } });
		await world.endExecution(nameOf(await world.untilExecuting(request)), 'Failed');
		await world.until(nameOf(request), 'Failed');
		const told = await world.told(request, 3);
		expect(told.map(({ spec }) => `${spec.type}, ${spec.priority}`).toSorted()).toEqual([
			'Escalation, Medium',
			'Escalation, Medium',
			'ManualReview, High',
		]);
		for (const { spec, metadata: own } of told) {
			expect(spec).toMatchObject({
				remediationRequestRef: { name: metadata.name, uid: metadata.uid },
				channels: ['slack', 'log'],
			});
			expect(spec.subject).toMatch(/: Story on told\/Deployment\/story$/);
			expect(own.name).toMatch(new RegExp(`^${metadata.name}-[0-9a-f]{8}-(no-workflow|configuration-error|failed)$`));
			expect(own.ownerReferences).toMatchObject([
				{ kind: 'RemediationRequest', name: metadata.name, uid: metadata.uid, controller: true },
			]);
		}
		const { status } = await world.request(nameOf(request));
		expect(status.notificationRequestRefs.map(({ uid }: KubeObject) => uid).toSorted()).toEqual(
			told.map(({ metadata: own }) => own.uid).toSorted(),
		);
	});

	it('of a block that comes back is not made again', async () => {
		const target = 'told/Deployment/again';
		const request = await world.createRequest({ target, signalName: 'Again' });
		await world.until(nameOf(request), 'NoWorkflow');
		await world.told(request, 1);
		await world.createWorkflow('again', { signalNames: ['Again'], mode: 'Approval' });
		await world.until(nameOf(request), 'AwaitingApproval');
		await world.told(request, 2);
		await world.api.call('DELETE', world.path('remediationworkflows', 'again'));
		await world.until(nameOf(request), 'NoWorkflow');
		expect(await world.isSettled(nameOf(request))).toBe(true);
		expect(await world.told(request, 2)).toHaveLength(2);
	});

	it('that was made and not written down is written down, and not made again', async () => {
		const request = await world.createRequest({ target: 'told/Deployment/crash', signalName: 'Careful' });
		await world.until(nameOf(request), 'AwaitingApproval');
		const [first] = await world.told(request, 1);
		await world.patchStatus('remediationrequests', nameOf(request), { notificationRequestRefs: null });
		const [second, ...others] = await world.told(request, 1);
		expect(second?.['metadata'].uid).toBe(first?.['metadata'].uid);
		expect(others).toEqual([]);
	});

	it('that is missing is made by whoever is left when its writer is gone', async () => {
		const request = await world.createRequest({ target: 'told/Deployment/missing', signalName: 'Careful' });
		await world.until(nameOf(request), 'AwaitingApproval');
		const [first] = await world.told(request, 1);
		await world.api.call('DELETE', world.path('notificationrequests', nameOf(first as KubeObject)));
		await world.patchStatus('remediationrequests', nameOf(request), { notificationRequestRefs: null });
		const [second] = await world.told(request, 1);
		expect(nameOf(second as KubeObject)).toBe(nameOf(first as KubeObject));
		expect(second?.['metadata'].uid).not.toBe(first?.['metadata'].uid);
	});
});

describe.concurrent('what kubectl describe shows', () => {
	it('of a success: what ran, and that it ran well', async () => {
		const target = 'words/Deployment/success';
		const request = await world.createRequest({ target });
		const execution = nameOf(await world.untilExecuting(request));
		const runs = `${execution} runs restart on ${target}`;
		expect(wordsOf(await world.request(nameOf(request)))).toEqual({
			Progressing: `True, Executing: ${runs}`,
			Succeeded: `Unknown, Executing: ${runs}`,
		});
		await world.endExecution(execution, 'Completed');
		const ran = `${execution} ran restart on ${target} with success`;
		expect(wordsOf(await world.until(nameOf(request), 'Completed'))).toEqual({
			Progressing: `False, Completed: ${ran}`,
			Succeeded: `True, Remediated: ${ran}`,
		});
		const events = await eventsOf(request, ['Normal Executing', 'Normal Remediated']);
		for (const { message } of events) expect([runs, ran]).toContain(message);
	});

	it('of a block and a rejection: what it waits for, and who ended it', async () => {
		const target = 'words/Deployment/block';
		const request = await world.createRequest({ target, signalName: 'Careful' });
		const waits = `careful on ${target} needs a RemediationApproval of ${nameOf(request)}`;
		expect(wordsOf(await world.until(nameOf(request), 'AwaitingApproval'))).toEqual({
			Progressing: `False, AwaitingApproval: ${waits}`,
			Succeeded: `Unknown, Blocked: ${waits}`,
		});
		await world.decide(request, 'Rejected', 'no');
		expect(wordsOf(await world.until(nameOf(request), 'Cancelled'))).toEqual({
			Progressing: 'False, Cancelled: rejected by a person: no',
			Succeeded: 'False, Rejected: rejected by a person: no',
		});
		const events = await eventsOf(request, ['Warning AwaitingApproval', 'Warning Rejected']);
		for (const { involvedObject, reportingInstance } of events) {
			expect(involvedObject).toMatchObject({ kind: 'RemediationRequest', uid: request['metadata'].uid });
			expect(reportingInstance).toMatch(/^orchestrator-[012]$/);
		}
	});

	it('of a failure: the words of the executor', async () => {
		const request = await world.createRequest({ target: 'words/Deployment/failure' });
		await world.endExecution(nameOf(await world.untilExecuting(request)), 'Failed');
		const { Succeeded } = wordsOf(await world.until(nameOf(request), 'Failed'));
		expect(Succeeded).toMatch(/^False, RemediationFailed: we-.* failed \(TaskFailed\): step restart exited with 1$/);
		await eventsOf(request, ['Normal Executing', 'Warning RemediationFailed']);
	});
});
