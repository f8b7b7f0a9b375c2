// A request on which ten gateways count as fast as they can: what the orchestrator decides is written all the same.
import { adminApi, appKubeconfig, atTheEnd, createNamespace } from '@kubernaut/testkit';
import { describe, expect, inject, it } from 'vitest';
import { createRequestWriter } from '../src/act/request-writer.ts';
import { blockPatch } from '../src/decide/status-patch.ts';
import { createKubeClient, loadKubeConfig } from '../src/kube/kube.ts';
import { KnownObjects } from '../src/objects/known-objects.ts';
import { createObjectStore } from '../src/objects/object-store.ts';
import type { Remediation } from '../src/objects/remediation.ts';
import { SYSTEM_CLOCK } from '../src/process/clock.ts';
import { startCounting } from './harness/counting-gateways.ts';
import { World } from './harness/world.ts';

const GATEWAYS = 10;
const WRITES = 26;
const WRITTEN_WITHIN_MS = 2000;

/** With the settings of a new installation. */
async function aWorld(): Promise<World> {
	const api = adminApi();
	const namespace = await createNamespace(api, 'hot');
	const kubeconfig = await appKubeconfig(api, 'orchestrator', namespace, inject('controlPlane').kubeconfigPath);
	const world = new World(api, namespace, kubeconfig, {});
	atTheEnd(() => world.stop());
	return world;
}

describe(`beside ${GATEWAYS} gateways that count without a pause`, () => {
	it('every status write of the orchestrator is stored', async () => {
		const world = await aWorld();
		const kube = createKubeClient(loadKubeConfig(inject('controlPlane').kubeconfigPath), 5000, { called() {} });
		atTheEnd(() => kube.close());
		const store = createObjectStore(kube, world.namespace);
		const writer = createRequestWriter(
			store,
			new KnownObjects(() => {}),
			{ record() {}, settled: async () => {} },
			['log'],
			{ decided() {}, notified() {} },
			SYSTEM_CLOCK,
		);
		const request = await world.createRequest();
		const { name } = request.metadata;
		const counting = await startCounting(world.api, world.path('remediationrequests', name), request, GATEWAYS);
		let current = (await store.getRequest(name)) as Remediation;
		let givenUp = 0;
		for (let i = 0; i < WRITES; i++) {
			const block = { reason: 'Paused', message: `pause ${i}` } as const;
			const patchOf = (fresh: Remediation) => blockPatch(fresh, block, new Date());
			const written = await writer.write(current, patchOf, { do: 'block', block });
			if (written === undefined) givenUp++;
			current = written ?? ((await store.getRequest(name)) as Remediation);
		}
		await counting.stop();
		console.log(`${WRITES} status writes beside ${counting.counted()} counts: ${givenUp} given up`);
		expect(givenUp).toBe(0);
		expect((await world.request(name)).status).toMatchObject({ blockMessage: `pause ${WRITES - 1}` });
	});

	it(`Executing and Completed are each written within ${WRITTEN_WITHIN_MS} ms`, async () => {
		const world = await aWorld();
		await world.createWorkflow('restart', { parameters: { P: '{{ target.name }}' } });
		await world.start('orchestrator-0');
		const request = await world.createRequest({ signalName: 'NotYet' });
		await world.until(request.metadata.name, 'NoWorkflow');
		const counting = await startCounting(
			world.api,
			world.path('remediationrequests', request.metadata.name),
			request,
			GATEWAYS,
		);
		atTheEnd(() => counting.stop());
		const counted = counting.counted();
		await world.createWorkflow('late', { signalNames: ['NotYet'] });
		const began = performance.now();
		await world.until(request.metadata.name, 'Executing');
		const executingMs = performance.now() - began;
		const execution = await world.executionOf(request);
		await world.endExecution(execution.metadata.name, 'Completed');
		const ended = performance.now();
		await world.until(request.metadata.name, 'Completed');
		const completedMs = performance.now() - ended;
		console.log(
			`Executing after ${Math.round(executingMs)} ms, Completed after ${Math.round(completedMs)} ms, beside ${counting.counted() - counted} counts`,
		);
		await counting.stop();
		expect(executingMs).toBeLessThan(WRITTEN_WITHIN_MS);
		expect(completedMs).toBeLessThan(WRITTEN_WITHIN_MS);
	});
});
