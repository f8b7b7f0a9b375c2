// More replicas do not cost more: a replica that is not needed for a target spends no writes on it.
import { beforeAll, describe, expect, it } from 'vitest';
import { openWorld, type World } from './harness/world.ts';

const REQUESTS = 200;
const MANY = 10;
const TRIES = 3;
/** What a remediation is meant to cost. A call that is repeated on a busy machine is not the design's doing. */
const CALLS_EACH = 7;
const REPEATED = 0.05;

let alone: World;
let together: World;
beforeAll(async () => {
	const prepare = (prepared: World) => prepared.createWorkflow('restart');
	alone = await openWorld('alone', 1, {}, prepare);
	together = await openWorld('together', MANY, {}, prepare);
}, 400_000);

/** Calls of all replicas, as they count them themselves; lists and watches aside. */
async function callsOf(world: World): Promise<number> {
	let calls = 0;
	for (const { metricsUrl } of world.processes)
		for (const line of (await (await fetch(metricsUrl)).text()).split('\n')) {
			const match = /^ro_api_requests_total\{verb="(\w+)",resource="([^"]+)",.*\} (\d+)$/.exec(line);
			if (match !== null && isForARemediation(match[1], match[2])) calls += Number(match[3]);
		}
	return calls;
}

/** A replica renews its presence now and then, and the leases of long work, whatever there is to do. */
function isForARemediation(verb = '', resource = ''): boolean {
	return !['list', 'watch'].includes(verb) && resource !== 'discovery' && !(verb === 'update' && resource === 'leases');
}

async function remediateAll(world: World): Promise<number> {
	const before = await callsOf(world);
	await Promise.all(Array.from({ length: REQUESTS }, (_, i) => world.createRequest({ target: `shop/Pod/p${i}` })));
	await expect
		.poll(async () => (await world.requests()).filter(({ status }) => status.overallPhase === 'Executing').length, {
			timeout: 120_000,
			interval: 200,
		})
		.toBe(REQUESTS);
	await expect.poll(async () => leases(world), { timeout: 60_000 }).toBe(0);
	const executions = await world.executions();
	expect(new Set(executions.map(({ spec }) => spec.remediationRequestRef.uid)).size).toBe(REQUESTS);
	expect(executions).toHaveLength(REQUESTS);
	return (await callsOf(world)) - before;
}

async function leases(world: World): Promise<number> {
	const { items } = await world.api.call('GET', `/apis/coordination.k8s.io/v1/namespaces/${world.namespace}/leases`);
	return (items as { readonly metadata: { readonly name: string } }[]).filter(({ metadata }) =>
		metadata.name.startsWith('ro-lock-'),
	).length;
}

describe(`${MANY} replicas`, () => {
	it(`spend at most twice the calls of one for ${REQUESTS} remediations, each executed once`, async () => {
		const one = await remediateAll(alone);
		expect(one / REQUESTS).toBeLessThanOrEqual(CALLS_EACH * (1 + REPEATED));
		// The best of some tries: ten processes on a few cores may take turns for the machine's reasons.
		const ratios: number[] = [];
		while (ratios.length < TRIES && !ratios.some((ratio) => ratio <= 2)) {
			if (ratios.length > 0) await together.removeAll();
			const many = await remediateAll(together);
			console.log(`calls for ${REQUESTS} remediations: ${one} with 1 replica, ${many} with ${MANY}`);
			ratios.push(many / one);
		}
		expect(Math.min(...ratios)).toBeLessThanOrEqual(2);
	}, 600_000);
});
