// A client that hangs up ends its own wait at once and nothing else: its slot is free, no lock is left behind, and signals
// that wait for the same lock go on.
import { type AppProcess, adminApi, createNamespace } from '@kubernaut/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import type { NewRemediationRequest } from '../src/generated/remediation-request.ts';
import type { LeaseObject } from '../src/kube/leases.ts';
import { leaseOf, requestOf } from './harness/alerts.ts';
import { type CreateGate, gateLeases, gateRequests } from './harness/gates.ts';
import {
	contentions,
	type Gateways,
	LONG,
	metric,
	occurrences,
	runningRequests,
	startGateways,
} from './harness/gateways.ts';
import { withinLockWait } from './harness/within-lock-wait.ts';

const ROUTE = 'route="/api/v1/signals/prometheus"';

const api = adminApi();
let gateways: Gateways;
let holder: AppProcess;
let second: AppProcess;
let third: AppProcess;
let leases: CreateGate<LeaseObject>;
let requests: CreateGate<NewRemediationRequest>;

beforeAll(async () => {
	const namespace = await createNamespace(api, 'gone');
	gateways = await startGateways(api, namespace);
	[holder, second, third] = gateways.processes as [AppProcess, AppProcess, AppProcess];
	leases = await gateLeases(api, namespace);
	requests = await gateRequests(api, namespace);
});

const gone = async (of: AppProcess) => (await metric(of, `gateway_http_requests_total{${ROUTE},code="gone"}`)) ?? NaN;

/** The first process holds the lock, and its create of the request is held. */
async function locked(deployment: string) {
	const held = requests.hold(requestOf(deployment));
	const first = gateways.send(holder, deployment);
	return { first, create: await held };
}

describe('a client that hangs up', () => {
	it('a client that hangs up while it waits for the lock frees its slot at once and is not counted', async () => {
		const narrow = await gateways.start('narrow', { MAX_CONCURRENT_REQUESTS: '1' });
		await withinLockWait('place', async (deployment) => {
			await expect.poll(() => runningRequests(narrow), LONG).toBe(0);
			const before = await gone(narrow);
			const { first, create } = await locked(deployment);
			const leaving = new AbortController();
			const waiting = gateways.trySend(narrow, deployment, { abort: leaving.signal });
			await expect.poll(() => contentions(narrow, deployment), LONG).toBeGreaterThan(0);
			const overloaded = await gateways.send(narrow, 'other');
			leaving.abort();
			const left = await waiting;
			await expect.poll(() => runningRequests(narrow), LONG).toBe(0);
			const other = await gateways.send(narrow, `other-${deployment}`);
			create.allow();
			expect((await first).status).toBe(201);
			expect(overloaded.body.code).toBe('OVERLOADED');
			expect(left).toEqual({ status: 'lost' });
			expect(other.status).toBe(201);
			expect(await gone(narrow)).toBe(before + 1);
			expect(occurrences(await gateways.requests(deployment))).toEqual([1]);
		});
	});

	it('a client that hangs up leaves the others that share its wait in place', async () => {
		await withinLockWait('shared', async (deployment) => {
			await expect.poll(() => runningRequests(second), LONG).toBe(0);
			const { first, create } = await locked(deployment);
			const leaving = new AbortController();
			const leader = gateways.trySend(second, deployment, { abort: leaving.signal });
			await expect.poll(() => contentions(second, deployment), LONG).toBeGreaterThan(0);
			const other = gateways.send(second, deployment);
			await expect.poll(() => runningRequests(second), LONG).toBe(2);
			leaving.abort();
			const left = await leader;
			await expect.poll(() => runningRequests(second), LONG).toBe(1); // the gateway has noticed
			create.allow();
			expect([(await first).status, (await other).status]).toEqual([201, 202]);
			expect(left).toEqual({ status: 'lost' });
			expect(occurrences(await gateways.requests(deployment))).toEqual([2]);
		});
	});

	it('a client that hangs up while its lock is acquired does not abort signals that come after', async () => {
		const before = await gone(third);
		const acquiring = leases.hold(leaseOf('after'));
		const leaving = new AbortController();
		const waiting = gateways.trySend(third, 'after', { abort: leaving.signal });
		const acquire = await acquiring;
		leaving.abort();
		expect(await waiting).toEqual({ status: 'lost' });
		await expect.poll(() => gone(third), LONG).toBe(before + 1);
		const next = gateways.send(third, 'after');
		await expect.poll(() => runningRequests(third), LONG).toBe(1);
		acquire.allow();
		expect((await next).status).toBe(201);
		expect(occurrences(await gateways.requests('after'))).toEqual([1]);
	});

	it('a client that hangs up while its request is created leaves the request, and no lock', async () => {
		const held = requests.hold(requestOf('created'));
		const leaving = new AbortController();
		const waiting = gateways.trySend(holder, 'created', { abort: leaving.signal });
		const create = await held;
		leaving.abort();
		expect(await waiting).toEqual({ status: 'lost' });
		create.allow();
		await expect.poll(() => gateways.requests('created'), LONG).toHaveLength(1);
		await expect.poll(() => gateways.lease('created'), LONG).toBeUndefined();
		for (const other of gateways.processes) expect((await gateways.send(other, 'created')).status).toBe(202);
		expect(occurrences(await gateways.requests('created'))).toEqual([1 + gateways.processes.length]);
	});

	it('clients that hung up leave no Lease and no waiter', async () => {
		await expect.poll(() => gateways.leases(), LONG).toEqual([]);
		for (const each of gateways.processes) expect(await metric(each, 'gateway_lock_waiters')).toBe(0);
	});
});
