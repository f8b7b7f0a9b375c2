// Notifications, Events and conditions of a request. Every scenario has a target of its own, and they run concurrently.
import { beforeAll, describe, expect, it } from 'vitest';
import type { RemediationRequest } from '../src/generated/remediation-request.ts';
import { eventually } from './harness/eventually.ts';
import { nameOf } from './harness/objects.ts';
import { openWorld, type World } from './harness/world.ts';

const ENDED = 60;
const TRIES = 3;

let world: World;
beforeAll(async () => {
	const env = {
		NOTIFICATIONS_CHANNELS: 'slack,log',
		RESOURCE_LOCKING_COOLDOWN_PERIOD: '1s',
		ROUTING_FAILURE_BACKOFF: '1s',
	};
	world = await openWorld('notifications', 3, env, async (prepared) => {
		await prepared.createWorkflow('restart');
		await prepared.createWorkflow('careful', { signalNames: ['Careful'], mode: 'Approval' });
	});
});

/** Written after the decision, by the replica that decided, so a little later. */
const eventsOf = (request: RemediationRequest, want: readonly string[]) =>
	eventually(
		() => world.events(nameOf(request)),
		(events) => expect(events.map(({ type, reason }) => `${type} ${reason}`).toSorted()).toEqual(want.toSorted()),
	);
const conditionsOf = ({ status }: RemediationRequest): Record<string, string> =>
	Object.fromEntries(
		(status.conditions ?? []).map(({ type, status: holds, reason, message }) => [
			type,
			`${holds}, ${reason}: ${message}`,
		]),
	);

describe.concurrent('a notification', () => {
	it('is made once for each cause, by whichever replica, and is owned by its request', async () => {
		const request = await world.createRequest({
			target: 'notify/Deployment/story',
			signalName: 'Story',
			severity: 'warning',
		});
		const { metadata } = request;
		await world.until(nameOf(request), 'NoWorkflow');
		await world.notified(request, 1);
		await world.createWorkflow('story', { signalNames: ['Story'], parameters: { X: '{{ labels.x }}' } });
		await world.until(nameOf(request), 'ConfigurationError');
		await world.notified(request, 2);
		await world.editWorkflow('story', { parameters: { X: '{{ labels.y }}' } }); // a second error is another cause
		await world.notified(request, 3);
		await world.editWorkflow('story', { parameters: { X: 'x' } });
		await world.endExecution(nameOf(await world.untilExecuting(request)), 'Failed');
		await world.until(nameOf(request), 'Failed');
		const notifications = await world.notified(request, 4);
		expect(notifications.map(({ spec }) => `${spec.type}, ${spec.priority}`).toSorted()).toEqual([
			'Escalation, Medium',
			'Escalation, Medium',
			'ManualReview, High',
			'ManualReview, High',
		]);
		for (const { spec, metadata: own } of notifications) {
			expect(spec).toMatchObject({
				remediationRequestRef: { name: metadata.name, uid: metadata.uid },
				channels: ['slack', 'log'],
			});
			expect(spec.subject).toMatch(/: Story on notify\/Deployment\/story$/);
			expect(own.name).toMatch(new RegExp(`^${metadata.name}-[0-9a-f]{8}-(no-workflow|configuration-error|failed)$`));
			expect(own.ownerReferences).toMatchObject([
				{ kind: 'RemediationRequest', name: metadata.name, uid: metadata.uid, controller: true },
			]);
		}
		const { status } = await world.request(nameOf(request));
		expect(status.notificationRequestRefs?.map(({ uid }) => uid).toSorted()).toEqual(
			notifications.map(({ metadata: own }) => own.uid).toSorted(),
		);
	});

	it('of a block reason that comes back is not made again', async () => {
		const target = 'notify/Deployment/again';
		const request = await world.createRequest({ target, signalName: 'Again' });
		await world.until(nameOf(request), 'NoWorkflow');
		await world.notified(request, 1);
		await world.createWorkflow('again', { signalNames: ['Again'], mode: 'Approval' });
		await world.until(nameOf(request), 'AwaitingApproval');
		await world.notified(request, 2);
		await world.api.call('DELETE', world.path('remediationworkflows', 'again'));
		await world.until(nameOf(request), 'NoWorkflow');
		expect(await world.isSettled(nameOf(request))).toBe(true);
		expect(await world.notified(request, 2)).toHaveLength(2);
	});

	it('that its request does not name is written into it, and not made again', async () => {
		const request = await world.createRequest({ target: 'notify/Deployment/crash', signalName: 'Careful' });
		await world.until(nameOf(request), 'AwaitingApproval');
		const [first] = await world.notified(request, 1);
		await world.patchRequest(nameOf(request), { notificationRequestRefs: null });
		const [second, ...others] = await world.notified(request, 1);
		expect(second?.metadata.uid).toBe(first?.metadata.uid);
		expect(others).toEqual([]);
	});

	it('that is missing is made by another replica', async () => {
		const request = await world.createRequest({ target: 'notify/Deployment/missing', signalName: 'Careful' });
		await world.until(nameOf(request), 'AwaitingApproval');
		const [first] = await world.notified(request, 1);
		await world.api.call('DELETE', world.path('notificationrequests', nameOf(first!)));
		await world.patchRequest(nameOf(request), { notificationRequestRefs: null });
		const [second] = await world.notified(request, 1);
		expect(nameOf(second!)).toBe(nameOf(first!));
		expect(second?.metadata.uid).not.toBe(first?.metadata.uid);
	});
});

describe('many ends at once', () => {
	it('each is notified with one create, whichever of three replicas writes it', async () => {
		// A replica whose watch is late on a busy machine may ask once more; each replica for each end would be three. The
		// best of some tries counts: whatever else the machine does makes it worse, and never better.
		const createsEach: number[] = [];
		while (createsEach.length < TRIES && !createsEach.some((creates) => creates <= 1.05))
			createsEach.push(await createsForEachEnd(`many-${createsEach.length}`));
		expect(Math.min(...createsEach)).toBeLessThanOrEqual(1.05);
	});

	async function createsForEachEnd(name: string): Promise<number> {
		const before = await createsOfNotifications();
		const requests = await Promise.all(
			Array.from({ length: ENDED }, (_, i) => world.createRequest({ target: `notify/Deployment/${name}-${i}` })),
		);
		await Promise.all(
			requests.map(async (request) => {
				await world.endExecution(nameOf(await world.untilExecuting(request)), 'Failed');
				expect(await world.notified(request, 1)).toHaveLength(1);
			}),
		);
		return ((await createsOfNotifications()) - before) / ENDED;
	}
});

/** By all replicas, as they count their calls themselves. */
async function createsOfNotifications(): Promise<number> {
	const pattern = /^ro_api_requests_total\{verb="create",resource="notificationrequests",.*\} (\d+)$/gm;
	const pages = await Promise.all(world.processes.map(async ({ metricsUrl }) => (await fetch(metricsUrl)).text()));
	return pages.flatMap((page) => [...page.matchAll(pattern)]).reduce((sum, [, count]) => sum + Number(count), 0);
}

describe.concurrent('what kubectl describe shows', () => {
	it('of a success: what ran, and that it succeeded', async () => {
		const target = 'words/Deployment/success';
		const request = await world.createRequest({ target });
		const execution = nameOf(await world.untilExecuting(request));
		const runs = `${execution} runs restart on ${target}`;
		expect(conditionsOf(await world.request(nameOf(request)))).toEqual({
			Progressing: `True, Executing: ${runs}`,
			Ended: `False, Executing: ${runs}`,
			Succeeded: `Unknown, Executing: ${runs}`,
		});
		await world.endExecution(execution, 'Completed');
		const ran = `${execution} ran restart on ${target} and succeeded`;
		expect(conditionsOf(await world.until(nameOf(request), 'Completed'))).toEqual({
			Progressing: `False, Completed: ${ran}`,
			Ended: `True, Completed: ${ran}`,
			Succeeded: `True, Remediated: ${ran}`,
		});
		const events = await eventsOf(request, ['Normal Executing', 'Normal Remediated']);
		for (const { message } of events) expect([runs, ran]).toContain(message);
	});

	it('of a block and a rejection: what it waits for, and why it ended', async () => {
		const target = 'words/Deployment/block';
		const request = await world.createRequest({ target, signalName: 'Careful' });
		const waiting = await world.until(nameOf(request), 'AwaitingApproval');
		const waits = waiting.status.blockMessage;
		expect(waits).toContain(`careful on ${target} needs an answer. `);
		expect(conditionsOf(waiting)).toEqual({
			Progressing: `False, AwaitingApproval: ${waits}`,
			Ended: `False, Blocked: ${waits}`,
			Succeeded: `Unknown, Blocked: ${waits}`,
		});
		await world.decide(request, 'Rejected', { reason: 'no', approver: 'on-call' });
		expect(conditionsOf(await world.until(nameOf(request), 'Cancelled'))).toEqual({
			Progressing: 'False, Cancelled: rejected by on-call (not verified): no',
			Ended: 'True, Cancelled: rejected by on-call (not verified): no',
			Succeeded: 'False, Rejected: rejected by on-call (not verified): no',
		});
		const events = await eventsOf(request, ['Warning AwaitingApproval', 'Warning Rejected']);
		for (const { involvedObject, reportingInstance } of events) {
			expect(involvedObject).toMatchObject({ kind: 'RemediationRequest', uid: request.metadata.uid });
			expect(reportingInstance).toMatch(/^orchestrator-[012]$/);
		}
	});

	it('of a failure: the message of the executor', async () => {
		const request = await world.createRequest({ target: 'words/Deployment/failure' });
		await world.endExecution(nameOf(await world.untilExecuting(request)), 'Failed');
		const { Succeeded } = conditionsOf(await world.until(nameOf(request), 'Failed'));
		expect(Succeeded).toMatch(/^False, RemediationFailed: we-.* failed \(TaskFailed\): step restart exited with 1$/);
		await eventsOf(request, ['Normal Executing', 'Warning RemediationFailed']);
	});
});
