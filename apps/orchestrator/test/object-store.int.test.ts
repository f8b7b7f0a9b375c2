// The orchestrator's writes against a real API server: the second of two is rejected, as a value.
import { MERGE_PATCH } from '@kubernaut/control-plane';
import { adminApi, createNamespace } from '@kubernaut/testkit';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { newExecution } from '../src/act/new-execution.ts';
import { notificationOf } from '../src/decide/notification.ts';
import type { RemediationRequest } from '../src/generated/remediation-request.ts';
import { createKubeClient, type KubeClient, loadKubeConfig } from '../src/kube/kube.ts';
import { type Execution, executionName } from '../src/objects/execution.ts';
import { createObjectStore, type ObjectStore } from '../src/objects/object-store.ts';
import type { DecidedFrom, Remediation } from '../src/objects/remediation.ts';
import type { StatusPatch } from '../src/objects/request-patch.ts';
import { aWorkflow } from './harness/made-up.ts';
import { endedStatus } from './harness/objects.ts';
import { World } from './harness/world.ts';

let kube: KubeClient;
let store: ObjectStore;
let world: World;
beforeAll(async () => {
	const api = adminApi();
	const namespace = await createNamespace(api, 'store');
	const { kubeconfigPath } = inject('controlPlane');
	kube = createKubeClient(loadKubeConfig(kubeconfigPath), 10_000, { called() {} });
	store = createObjectStore(kube, namespace);
	world = new World(api, namespace, kubeconfigPath, {});
});
afterAll(() => kube.close());

async function aRequest(): Promise<Remediation> {
	const { metadata } = await world.createRequest();
	return (await store.getRequest(metadata.name)) as Remediation;
}
async function written(request: Remediation, status: StatusPatch): Promise<Remediation> {
	const answer = await store.patchRequest(request, status);
	if (answer.outcome !== 'written') throw new Error(`the patch is ${JSON.stringify(answer)}`);
	return answer.request;
}
function anExecutionOf(request: Remediation, name: string) {
	const defaults = { timeoutMs: 1000, cooldownMs: 1000 };
	return newExecution({ name, chain: 0, fencingToken: 7n }, request, aWorkflow(), { parameters: { A: 'b' } }, defaults);
}

describe('a request', () => {
	it('is removed only in the version that was read', async () => {
		const old = await aRequest();
		const patched = await written(old, { startTime: '2026-11-17T12:00:00Z' });
		expect(patched).toMatchObject({ uid: old.uid, startTime: '2026-11-17T12:00:00Z' });
		expect(await store.removeRequest(old)).toBe('changed');
		expect(await store.removeRequest({ ...patched, uid: 'of-another' })).toBe('changed');
		expect(await store.removeRequest(patched)).toBe('removed');
		expect(await store.getRequest(old.name)).toBeUndefined();
		expect(await store.removeRequest(patched)).toBe('gone');
		expect(await store.patchRequest(patched, {})).toEqual({ outcome: 'gone' });
	});

	const changes: Readonly<Record<keyof DecidedFrom, Partial<RemediationRequest['status']>>> = {
		overallPhase: { overallPhase: 'Executing' },
		blockReason: { blockReason: 'NoWorkflow' },
		blockMessage: { blockMessage: 'another' },
		blockedUntil: { blockedUntil: '2026-11-17T12:00:01Z' },
		blockingWorkflowExecution: { blockingWorkflowExecution: { name: 'we-1', uid: 'u' } },
		duplicateOf: { duplicateOf: { name: 'rr', uid: 'v' } },
		approval: { approval: { digest: 'b'.repeat(64) } },
		workflowExecutionRef: { workflowExecutionRef: { name: 'we', uid: 'v' } },
		signalResolvedAt: { signalResolvedAt: '2026-11-17T12:00:01Z' },
		notificationRequestRefs: { notificationRequestRefs: [{ name: 'n', uid: 'v' }] },
	};
	describe.each<{ was: string; status: Partial<RemediationRequest['status']> }>([
		{ was: 'absent', status: {} },
		{
			was: 'there',
			status: {
				overallPhase: 'Blocked',
				blockReason: 'Paused',
				blockMessage: '',
				blockedUntil: '2026-11-17T12:00:00Z',
				blockingWorkflowExecution: { name: 'we-1' },
				duplicateOf: { name: 'rr', uid: 'u' },
				approval: { digest: 'a'.repeat(64) },
				workflowExecutionRef: { name: 'we', uid: 'u' },
				signalResolvedAt: '2026-11-17T12:00:00Z',
				notificationRequestRefs: [],
			},
		},
	])('that was decided from a field that was $was', ({ status }) => {
		it.each(Object.entries(changes))('is not patched when %s has changed since', async (_, change) => {
			const { name } = await aRequest();
			await world.patchRequest(name, status);
			const read = (await store.getRequest(name)) as Remediation;
			await world.patchRequest(name, change);
			expect(await store.patchRequest(read, { startTime: '2026-11-17T13:00:00Z' })).toMatchObject({
				outcome: 'notApplied',
			});
			expect((await store.getRequest(name))?.startTime).toBeUndefined();
			const fresh = (await store.getRequest(name)) as Remediation;
			expect(await written(fresh, { startTime: '2026-11-17T13:00:00Z' })).toMatchObject({
				startTime: '2026-11-17T13:00:00Z',
			});
		});

		it('is patched whatever gateways counted since', async () => {
			const { name } = await aRequest();
			await world.patchRequest(name, status);
			const read = (await store.getRequest(name)) as Remediation;
			await world.patchRequest(name, { deduplication: { occurrenceCount: 7, slots: { gateway: 6 }, base: 0 } });
			expect(await written(read, { outcome: 'Remediated' })).toMatchObject({ outcome: 'Remediated' });
		});

		it('loses the fields that a patch removes, whether they are there or not', async () => {
			const { name } = await aRequest();
			await world.patchRequest(name, status);
			const read = (await store.getRequest(name)) as Remediation;
			const removed = ['blockMessage', 'blockedUntil', 'blockingWorkflowExecution', 'duplicateOf', 'failureReason'];
			await written(read, Object.fromEntries(removed.map((field) => [field, null])));
			const stored = (await world.request(name)).status;
			expect(removed.filter((field) => field in stored)).toEqual([]);
		});
	});

	it('is not patched when it is another of the same name, or is being deleted', async () => {
		const request = await aRequest();
		const patch = { outcome: 'Remediated' };
		expect(await store.patchRequest({ ...request, uid: 'of-another' }, patch)).toMatchObject({ outcome: 'notApplied' });
		const path = world.path('remediationrequests', request.name);
		await world.api.call('PATCH', path, {
			body: { metadata: { finalizers: ['kubernaut.ai/test'] } },
			contentType: MERGE_PATCH,
		});
		await world.api.call('DELETE', path);
		expect(await store.patchRequest(request, patch)).toMatchObject({ outcome: 'notApplied' });
		await world.api.call('PATCH', path, { body: { metadata: { finalizers: null } }, contentType: MERGE_PATCH });
	});

	it('is not patched with what the schema rejects, and the server says why', async () => {
		const patched = await written(await aRequest(), { fencing: { lease: 'l', token: 7 } });
		const older = await store.patchRequest(patched, { fencing: { lease: 'l', token: 6 } });
		expect(older).toMatchObject({
			outcome: 'notApplied',
			error: { message: expect.stringContaining('is older than') },
		});
	});

	it("keeps the gateway's fields when the orchestrator writes its own", async () => {
		const request = await aRequest();
		const deduplication = { occurrenceCount: 7, slots: { a: 6 }, base: 0, lastSeenAt: '2026-11-17T12:00:00Z' };
		await world.patchRequest(request.name, { deduplication });
		const fresh = (await store.getRequest(request.name)) as Remediation;
		await written(fresh, { overallPhase: 'Pending' });
		expect((await world.request(request.name)).status).toMatchObject({ overallPhase: 'Pending', deduplication });
	});
});

describe('an execution', () => {
	it('is created once, found by its target, and patched only in the version that was read', async () => {
		const request = await aRequest();
		const name = executionName(request.target, undefined);
		const made = (await store.createExecution(anExecutionOf(request, name))) as Execution;
		expect(made).toMatchObject({ name, requestUid: request.uid, timeoutMs: 1000, cooldownMs: 1000, hasRun: false });
		expect(await store.createExecution(anExecutionOf(request, name))).toBe('exists');
		expect((await store.listExecutions(request.target)).map(({ uid }) => uid)).toEqual([made.uid]);
		expect(await store.listExecutions('other/Deployment/none')).toEqual([]);
		const successor = { name: executionName(request.target, made.uid) };
		expect(await store.patchExecution(made, { successor })).toMatchObject({ successor: successor.name });
		expect(await store.patchExecution(made, { successor })).toBe('changed');
		await world.deleteExecution(name);
		expect(await store.patchExecution(made, { successor })).toBe('gone');
		expect(await store.getExecution(name)).toBeUndefined();
	});

	it('is found by its target among more than the API server gives at once', async () => {
		const target = 'shop/Pod/many';
		const put = await world.putExecutions(
			target,
			Array.from({ length: 45 }, () => ({ status: endedStatus('Completed') })),
		);
		const found = await store.listExecutions(target);
		expect(found.map(({ name }) => name).toSorted()).toEqual(put.map(({ metadata }) => metadata.name).toSorted());
	});

	// The API server lets names be what a selector gives a meaning to.
	it.each(['shop/RoleBinding/a,b', 'shop/Role/a=b', 'shop/Role/a\\b', 'ClusterRole/a,spec.chain=1'])(
		'of %s is found by its target',
		async (target) => {
			const { metadata } = await world.createRequest({ target });
			const request = (await store.getRequest(metadata.name)) as Remediation;
			expect(request.target).toBe(target);
			const made = await store.createExecution(anExecutionOf(request, executionName(target, undefined)));
			expect(await store.listExecutions(target)).toEqual([made]);
		},
	);
});

describe('a notification', () => {
	it('that two replicas create is made once, and both get the same reference', async () => {
		const request = { ...(await aRequest()), phase: 'Failed' } as const;
		const notification = notificationOf(request, { channels: ['log'] });
		if (notification === undefined) throw new Error('a failed request asks for a notification');
		const [first, second] = await Promise.all([1, 2].map(() => store.createNotification(notification)));
		expect(first).toEqual(second);
		expect(await world.notifications()).toHaveLength(1);
	});
});
