// The orchestrator's writes against a real API server: the second of two is rejected, as a value.
import { adminApi, createNamespace } from '@kubernaut/testkit';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { newExecution } from '../src/act/new-execution.ts';
import { notificationOf } from '../src/decide/notification.ts';
import { createKubeClient, type KubeClient, loadKubeConfig } from '../src/kube/kube.ts';
import { type Execution, executionName } from '../src/objects/execution.ts';
import { createObjectStore, type ObjectStore } from '../src/objects/object-store.ts';
import type { Remediation } from '../src/objects/remediation.ts';
import { aWorkflow } from './harness/made-up.ts';
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
function anExecutionOf(request: Remediation, name: string) {
	const defaults = { timeoutMs: 1000, cooldownMs: 1000 };
	return newExecution({ name, chain: 0, fencingToken: 7n }, request, aWorkflow(), { A: 'b' }, defaults);
}

describe('a request', () => {
	it('is patched and removed only in the version that was read', async () => {
		const old = await aRequest();
		const patched = (await store.patchRequest(old, { startTime: '2026-11-17T12:00:00Z' })) as Remediation;
		expect(patched).toMatchObject({ uid: old.uid, startTime: '2026-11-17T12:00:00Z' });
		expect(await store.patchRequest(old, { startTime: '2026-11-17T13:00:00Z' })).toBe('changed');
		expect(await store.removeRequest(old)).toBe('changed');
		expect(await store.removeRequest({ ...patched, uid: 'of-another' })).toBe('changed');
		expect((await store.getRequest(old.name))?.startTime).toBe('2026-11-17T12:00:00Z');
		expect(await store.removeRequest(patched)).toBe('removed');
		expect(await store.getRequest(old.name)).toBeUndefined();
		expect(await store.removeRequest(patched)).toBe('gone');
		expect(await store.patchRequest(patched, {})).toBe('gone');
	});

	it("keeps the gateway's fields when the orchestrator writes its own", async () => {
		const request = await aRequest();
		const deduplication = { occurrenceCount: 7, slots: { a: 6 }, base: 0, lastSeenAt: '2026-11-17T12:00:00Z' };
		await world.patchRequest(request.name, { deduplication });
		const fresh = (await store.getRequest(request.name)) as Remediation;
		await store.patchRequest(fresh, { overallPhase: 'Pending' });
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

	// The API server lets names be what a selector gives a meaning to.
	it.each(['shop/Alert/a,b', 'shop/Alert/a=b', 'shop/Alert/a\\b', 'Alert/a,spec.chain=1'])(
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
		const notification = notificationOf(request, ['log']);
		if (notification === undefined) throw new Error('a failed request asks for a notification');
		const [first, second] = await Promise.all([1, 2].map(() => store.createNotification(notification)));
		expect(first).toEqual(second);
		expect(await world.notifications()).toHaveLength(1);
	});
});
