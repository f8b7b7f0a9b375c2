// kill -9 between the creation of the Lease and that of the request, with others waiting for the lock: they get through
// after the takeover, or are told to come again, and there is exactly one request in every case.
import { adminApi, auditLog, createNamespace } from '@kubernaut/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { requestOf } from './harness/alerts.ts';
import { gateRequests } from './harness/gates.ts';
import { type Gateways, occurrences, SHORT_LEASE, startGateways, statuses } from './harness/gateways.ts';
import { lingeringNetwork } from './harness/lingering-network.ts';

const LONG = { timeout: 30_000, interval: 50 };
const WAITING = 10;

const api = adminApi();
let namespace: string;
let gateways: Gateways;
let gate: Awaited<ReturnType<typeof gateRequests>>;

beforeAll(async () => {
	namespace = await createNamespace(api, 'killed');
	gateways = await startGateways(api, namespace, {
		count: 2,
		env: { MAX_EVENT_LOOP_DELAY: '5s', REQUEST_DEADLINE: '25s' },
	});
	gate = await gateRequests(api, namespace);
});

/** Its Lease is there, its request on the way, others wait for the lock; then it is dead. */
async function killHolder(deployment: string, env: Record<string, string>, kubeconfig?: string) {
	const holder = await gateways.start(`doomed-${deployment}`, env, kubeconfig);
	const held = gate.hold(requestOf(deployment));
	const first = gateways.trySend(holder, deployment);
	const create = await held;
	await holder.pause(); // its time-outs must not come before the kill
	const waiting = gateways.storm(WAITING, () => deployment, gateways.processes.slice(0, 2));
	const lease = await gateways.lease(deployment);
	expect(lease?.['spec'].holderIdentity).toMatch(new RegExp(`^${holder.podName}_`));
	expect(await gateways.requests(deployment)).toEqual([]);
	holder.signal('SIGKILL');
	expect(await holder.exited).toBe('SIGKILL');
	expect(await first).toEqual({ status: 'lost' });
	return { create, waiting };
}

async function expectNothingHeld(deployment: string): Promise<void> {
	await expect.poll(() => gateways.lease(deployment), LONG).toBeUndefined();
}

describe('the holder is killed between its Lease and its request', () => {
	it('whose create is refused: a waiting replica takes over and creates it', async () => {
		const { create, waiting } = await killHolder('refused', SHORT_LEASE);
		create.deny();
		expect(statuses(await waiting)).toEqual({ 201: 1, 202: WAITING - 1 });
		expect(occurrences(await gateways.requests('refused'))).toEqual([WAITING]);
		await expectNothingHeld('refused');
	});

	it('whose create takes effect at once: the waiting ones join it without waiting for the Lease', async () => {
		const kubeconfig = await lingeringNetwork(gateways.kubeconfig, api.server);
		const { create, waiting } = await killHolder('early', { LOCK_LEASE_DURATION: '30s' }, kubeconfig);
		create.allow();
		expect(statuses(await waiting)).toEqual({ 202: WAITING });
		expect(occurrences(await gateways.requests('early'))).toEqual([1 + WAITING]);
		expect((await gateways.lease('early'))?.['spec'].holderIdentity).toMatch(/^doomed-early_/); // dead, but in nobody's way
		expect((await gateways.send(gateways.processes[0]!, 'early')).status).toBe(202);
	});

	it('whose create arrives after the takeover: the API server refuses it, because its name is taken', async () => {
		const kubeconfig = await lingeringNetwork(gateways.kubeconfig, api.server);
		const { create, waiting } = await killHolder('late', SHORT_LEASE, kubeconfig);
		expect(statuses(await waiting)).toEqual({ 201: 1, 202: WAITING - 1 });
		const log = auditLog();
		const mark = log?.mark();
		create.allow();
		const creates = { verb: 'create', resource: 'remediationrequests', namespace };
		await expect.poll(() => log?.calls(mark, creates).map(({ code }) => code) ?? [409], LONG).toEqual([409]);
		expect(occurrences(await gateways.requests('late'))).toEqual([WAITING]);
		await expectNothingHeld('late');
	});

	it('with a Lease that outlasts their patience: they get 503 with Retry-After, and a retry gets through', async () => {
		const long = { LOCK_LEASE_DURATION: '10s', KUBERNETES_REQUEST_TIMEOUT: '2s' };
		const { create, waiting } = await killHolder('patience', long);
		create.deny();
		const answers = await waiting;
		expect(statuses(answers)).toEqual({ 503: WAITING });
		for (const { retryAfter, body } of answers) {
			expect(Number(retryAfter)).toBeGreaterThanOrEqual(1);
			expect(body.code).toBe('SIGNALS_DEFERRED');
		}
		const retry = async () => (await gateways.send(gateways.processes[0]!, 'patience')).status;
		await expect.poll(retry, LONG).toBe(201);
		expect(occurrences(await gateways.requests('patience'))).toEqual([1]);
		await expectNothingHeld('patience');
	});
});
