// A client that hangs up ends its own wait at once and nothing else: its place is free, no lock is left behind, and
// whoever waits for the same lock goes on.
import { type AdmissionGate, adminApi, createNamespace } from '@kubernaut/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { leaseOf, requestOf } from './harness/alerts.ts';
import { gateLeases, gateRequests } from './harness/gates.ts';
import { type Gateways, metric, occurrences, startGateways } from './harness/gateways.ts';

const LONG = { timeout: 30_000, interval: 20 };
const ROUTE = 'route="/api/v1/signals/prometheus"';

const api = adminApi();
let gateways: Gateways;
let leases: AdmissionGate;
let requests: AdmissionGate;

beforeAll(async () => {
	const namespace = await createNamespace(api, 'gone');
	gateways = await startGateways(api, namespace, {
		// What is held at a gate waits for the test.
		env: { MAX_EVENT_LOOP_DELAY: '5s', KUBERNETES_REQUEST_TIMEOUT: '9s', REQUEST_DEADLINE: '25s' },
	});
	leases = await gateLeases(api, namespace);
	requests = await gateRequests(api, namespace);
});

const inWork = (of: number) => metric(gateways.processes[of]!, 'gateway_requests_in_work{state="running"}');
const gone = (of: number) => metric(gateways.processes[of]!, `gateway_http_requests_total{${ROUTE},code="gone"}`);

/** The first process has the lock and stands before the creation of the request. */
async function locked(deployment: string) {
	const held = requests.hold(requestOf(deployment));
	const first = gateways.send(gateways.processes[0]!, deployment);
	return { first, create: await held };
}

describe('a client that hangs up', () => {
	it('while it waits for the lock frees its place at once, and is not counted', async () => {
		const narrow = await gateways.start('narrow', { MAX_CONCURRENT_REQUESTS: '1', MAX_QUEUED_REQUESTS: '0' });
		const { first, create } = await locked('place');
		const leaving = new AbortController();
		const waiting = gateways.trySend(narrow, 'place', { signal: leaving.signal });
		await expect.poll(() => inWork(3), LONG).toBe(1);
		expect((await gateways.send(narrow, 'other')).body.code).toBe('OVERLOADED');
		leaving.abort();
		expect(await waiting).toEqual({ status: 'lost' });
		await expect.poll(() => inWork(3), LONG).toBe(0);
		expect((await gateways.send(narrow, 'other')).status).toBe(201);
		expect(await gone(3)).toBe(1);
		create.allow();
		expect((await first).status).toBe(201);
		expect(occurrences(await gateways.requests('place'))).toEqual([1]);
	});

	it('leaves the others who share its wait where they are', async () => {
		const { first, create } = await locked('shared');
		const leaving = new AbortController();
		const leader = gateways.trySend(gateways.processes[1]!, 'shared', { signal: leaving.signal });
		await expect.poll(() => inWork(1), LONG).toBe(1);
		const other = gateways.send(gateways.processes[1]!, 'shared');
		await expect.poll(() => inWork(1), LONG).toBe(2);
		leaving.abort();
		expect(await leader).toEqual({ status: 'lost' });
		await expect.poll(() => inWork(1), LONG).toBe(1); // the gateway has heard of it
		create.allow();
		expect([(await first).status, (await other).status]).toEqual([201, 202]);
		expect(occurrences(await gateways.requests('shared'))).toEqual([2]);
	});

	it('while its lock is being acquired takes nobody with it who comes after', async () => {
		const before = (await gone(2)) ?? 0;
		const acquiring = leases.hold(leaseOf('after'));
		const leaving = new AbortController();
		const waiting = gateways.trySend(gateways.processes[2]!, 'after', { signal: leaving.signal });
		const acquire = await acquiring;
		leaving.abort();
		expect(await waiting).toEqual({ status: 'lost' });
		await expect.poll(() => gone(2), LONG).toBe(before + 1);
		const next = gateways.send(gateways.processes[2]!, 'after');
		await expect.poll(() => inWork(2), LONG).toBe(1);
		acquire.allow();
		expect((await next).status).toBe(201);
		expect(occurrences(await gateways.requests('after'))).toEqual([1]);
	});

	it('while its request is being created leaves the request, and no lock', async () => {
		const held = requests.hold(requestOf('created'));
		const leaving = new AbortController();
		const waiting = gateways.trySend(gateways.processes[0]!, 'created', { signal: leaving.signal });
		const create = await held;
		leaving.abort();
		expect(await waiting).toEqual({ status: 'lost' });
		create.allow();
		await expect.poll(() => gateways.requests('created'), LONG).toHaveLength(1);
		await expect.poll(() => gateways.lease('created'), LONG).toBeUndefined();
		for (const other of gateways.processes) expect((await gateways.send(other, 'created')).status).toBe(202);
		expect(occurrences(await gateways.requests('created'))).toEqual([1 + gateways.processes.length]);
	});

	it('leaves no lease and no waiter behind', async () => {
		await expect.poll(() => gateways.leases(), LONG).toEqual([]);
		for (const each of gateways.processes) expect(await metric(each, 'gateway_lock_waiters')).toBe(0);
	});
});
