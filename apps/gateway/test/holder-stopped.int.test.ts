// SIGSTOP for longer than the Lease, takeover by another, SIGCONT: the process that wakes learns that it lost the lock, or
// is refused by the API server; it never creates a second request and never removes its successor's Lease.
import { type AppProcess, adminApi, createNamespace } from '@kubernaut/testkit';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { NewRemediationRequest } from '../src/generated/remediation-request.ts';
import type { LeaseObject } from '../src/kube/leases.ts';
import { leaseOf, requestOf } from './harness/alerts.ts';
import { type CreateGate, gateLeases, gateRequests } from './harness/gates.ts';
import {
	type Gateways,
	LONG,
	loggedOf,
	metric,
	occurrences,
	SHORT_LEASE,
	SHORT_LEASE_CALL_MS,
	startGateways,
	statuses,
} from './harness/gateways.ts';
import { type PauseOptions, pauseInCall } from './harness/paused-holder.ts';

const api = adminApi();
let gateways: Gateways;
let leases: CreateGate<LeaseObject>;
let requests: CreateGate<NewRemediationRequest>;

beforeAll(async () => {
	const namespace = await createNamespace(api, 'stopped');
	gateways = await startGateways(api, namespace, { count: 2 });
	leases = await gateLeases(api, namespace);
	requests = await gateRequests(api, namespace);
});

async function startSleeper<T>(name: string, at: Pick<PauseOptions<T>, 'gate' | 'call'>) {
	const sleeper = await gateways.start(`sleeper-${name}`, SHORT_LEASE);
	return { sleeper, ...(await pauseInCall(gateways, sleeper, name, { ...at, callTimeoutMs: SHORT_LEASE_CALL_MS })) };
}

/** Another replica holds the lock, and its create of the request is held. */
async function takenOver(deployment: string, from: string) {
	const held = requests.hold(requestOf(deployment));
	const successor = gateways.sendUntilStored(gateways.processes[1]!, deployment);
	const create = await held;
	const lease = await gateways.lease(deployment);
	expect(lease?.spec).toMatchObject({ holderIdentity: expect.stringMatching(/^gateway-1_/), leaseTransitions: 1 });
	expect(lease?.spec?.holderIdentity).not.toContain(from);
	return { successor, create, lease: lease! };
}

/** Its holder may have renewed it meanwhile. */
function identityOf(lease: LeaseObject | undefined) {
	return { uid: lease?.metadata.uid, holder: lease?.spec?.holderIdentity };
}

/** Successful or not. */
function releases(of: AppProcess, deployment: string): number {
	const ends = ['deleted lease', 'failed to delete lease'];
	return ends.flatMap((message) => loggedOf(of, deployment, message)).length;
}

describe.concurrent('the holder is stopped for longer than its Lease', () => {
	it('a holder that is stopped before the answer to its acquire writes nothing when it wakes, and leaves the new Lease in place', async () => {
		const at = { gate: leases, call: leaseOf };
		const { sleeper, deployment, answer, held: acquire } = await startSleeper('lease', at);
		acquire.allow();
		await vi.waitFor(async () => {
			expect((await gateways.lease(deployment))?.spec?.holderIdentity).toMatch(/^sleeper-lease_/);
		}, LONG);

		const { successor, create, lease } = await takenOver(deployment, sleeper.podName);
		sleeper.signal('SIGCONT');
		expect(await answer).toMatchObject({ status: 503, retryAfter: expect.stringMatching(/^[1-9]/) });
		expect(identityOf(await gateways.lease(deployment))).toEqual(identityOf(lease));
		create.allow();
		expect((await successor).status).toBe(201);
		expect(occurrences(await gateways.requests(deployment))).toEqual([1]);
		// It is as good as any other again.
		await vi.waitFor(async () => expect((await gateways.send(sleeper, deployment)).status).toBe(202), LONG);
	});

	it('a stopped holder whose create arrives after that of its successor joins the successor’s request', async () => {
		const at = { gate: requests, call: requestOf };
		const { sleeper, deployment, answer, held: late } = await startSleeper('second', at);
		const { successor, create } = await takenOver(deployment, sleeper.podName);
		create.allow();
		expect((await successor).status).toBe(201);
		late.allow();
		sleeper.signal('SIGCONT');
		const { status } = await answer;
		expect([202, 503]).toContain(status);
		const [count, ...more] = occurrences(await gateways.requests(deployment));
		expect(more).toEqual([]);
		// A call that was given up may have been counted all the same.
		expect(status === 202 ? [2] : [1, 2]).toContain(count);
	});

	it('a stopped holder whose create is stored before that of its successor is joined by the successor', async () => {
		const at = { gate: requests, call: requestOf };
		const { sleeper, deployment, answer, held: early } = await startSleeper('first', at);
		const { successor, create, lease } = await takenOver(deployment, sleeper.podName);
		early.allow();
		await vi.waitFor(async () => expect(await gateways.requests(deployment)).toHaveLength(1), LONG);
		sleeper.signal('SIGCONT');
		expect([201, 202, 503]).toContain((await answer).status);
		await vi.waitFor(() => expect(releases(sleeper, deployment)).toBe(1), LONG); // it comes after the answer
		expect(identityOf(await gateways.lease(deployment))).toEqual(identityOf(lease));
		create.allow();
		expect((await successor).status).toBe(202);
		const patient = gateways.processes.slice(0, 2);
		expect(statuses(await gateways.storm(3, () => deployment, patient))).toEqual({ 202: 3 });
		expect(await gateways.requests(deployment)).toHaveLength(1);
	});
});

describe('afterwards', () => {
	it('each stopped holder was taken over once, and no Lease is left', async () => {
		expect(await metric(gateways.processes[1]!, 'gateway_lock_takeovers_total')).toBe(3);
		await expect.poll(() => gateways.leases(), LONG).toEqual([]);
	});
});
