// More replicas do not cost more: one that is not needed for a target spends no writes on it.
import type { KubeObject } from '@kubernaut/control-plane';
import { beforeAll, describe, expect, it } from 'vitest';
import { openWorld, type World } from './harness/world.ts';

const REQUESTS = 200;
const MANY = 10;

let alone: World;
let together: World;
beforeAll(async () => {
	alone = await openWorld('alone', 1);
	together = await openWorld('together', MANY);
	for (const world of [alone, together]) await world.createWorkflow('restart');
}, 240_000);

/** Calls of all replicas, as they count them themselves; lists and watches aside. */
async function callsOf(world: World): Promise<number> {
	let calls = 0;
	for (const { metricsUrl } of world.processes)
		for (const line of (await (await fetch(metricsUrl)).text()).split('\n')) {
			const match = /^ro_api_requests_total\{verb="(\w+)",resource="([^"]+)",.*\} (\d+)$/.exec(line);
			if (match !== null && !['list', 'watch'].includes(match[1] ?? '') && match[2] !== 'discovery')
				calls += Number(match[3]);
		}
	return calls;
}

async function remediateAll(world: World): Promise<number> {
	const before = await callsOf(world);
	await Promise.all(Array.from({ length: REQUESTS }, (_, i) => world.createRequest({ target: `shop/Pod/p${i}` })));
	await expect
		.poll(async () => (await world.requests()).filter(({ status }) => status.overallPhase === 'Executing').length, {
			timeout: 60_000,
			interval: 200,
		})
		.toBe(REQUESTS);
	await expect.poll(async () => leases(world), { timeout: 20_000 }).toBe(0);
	const executions = await world.executions();
	expect(new Set(executions.map(({ spec }) => spec.remediationRequestRef.uid as string)).size).toBe(REQUESTS);
	expect(executions).toHaveLength(REQUESTS);
	return (await callsOf(world)) - before;
}

async function leases(world: World): Promise<number> {
	const { items } = await world.api.call('GET', `/apis/coordination.k8s.io/v1/namespaces/${world.namespace}/leases`);
	return (items as KubeObject[]).filter(({ metadata }) => metadata.name.startsWith('ro-lock-')).length;
}

describe(`${MANY} replicas`, () => {
	it(`spend at most twice the calls of one for ${REQUESTS} remediations, each executed once`, async () => {
		const one = await remediateAll(alone);
		const many = await remediateAll(together);
		console.log(`calls for ${REQUESTS} remediations: ${one} with 1 replica, ${many} with ${MANY}`);
		expect(one / REQUESTS).toBeLessThanOrEqual(6);
		expect(many / one).toBeLessThanOrEqual(2);
	}, 180_000);
});
