// SIGSTOP for longer than the Lease, takeover by another, SIGCONT: the one that wakes learns that it lost the lock, or
// is refused by the API server; it never makes a second request and never removes its successor's Lease.
import type { KubeObject } from '@kubernaut/control-plane';
import { type AdmissionGate, type AppProcess, adminApi, createNamespace } from '@kubernaut/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { leaseOf, requestOf } from './harness/alerts.ts';
import { gateLeases, gateRequests } from './harness/gates.ts';
import { type Gateways, metric, occurrences, SHORT_LEASE, startGateways, statuses } from './harness/gateways.ts';

const LONG = { timeout: 30_000, interval: 50 };
// A busy machine is not what is tested: whoever waits for the lock, waits longer than it lasts.
const PATIENT = { MAX_EVENT_LOOP_DELAY: '5s', REQUEST_DEADLINE: '25s' };

const api = adminApi();
let gateways: Gateways;
let leases: AdmissionGate;
let requests: AdmissionGate;

beforeAll(async () => {
	const namespace = await createNamespace(api, 'stopped');
	gateways = await startGateways(api, namespace, { count: 2, env: PATIENT });
	leases = await gateLeases(api, namespace);
	requests = await gateRequests(api, namespace);
});

/** Somebody else has it, and stands before the creation of the request. */
async function takenOver(deployment: string, from: string) {
	const held = requests.hold(requestOf(deployment));
	const successor = gateways.send(gateways.processes[1]!, deployment);
	const create = await held;
	const lease = await gateways.lease(deployment);
	expect(lease?.['spec']).toMatchObject({ holderIdentity: expect.stringMatching(/^gateway-1_/), leaseTransitions: 1 });
	expect(lease?.['spec'].holderIdentity).not.toContain(from);
	return { successor, create, lease: lease! };
}

function identityOf(lease: KubeObject | undefined) {
	const { metadata, spec } = lease ?? {};
	return { uid: metadata?.uid, resourceVersion: metadata?.resourceVersion, holder: spec?.holderIdentity };
}

/** However they ended. */
async function releases(of: AppProcess): Promise<number> {
	const results = ['removed', 'failed'].map((result) => metric(of, `gateway_lock_releases_total{result="${result}"}`));
	return (await Promise.all(results)).reduce<number>((sum, count) => sum + (count ?? 0), 0);
}

describe('the holder is stopped for longer than its Lease', () => {
	it('before it hears that it has the Lease: it wakes to nothing, and leaves the new one alone', async () => {
		const sleeper = await gateways.start('sleeper-lease', SHORT_LEASE);
		const acquiring = leases.hold(leaseOf('lease'));
		const answer = gateways.send(sleeper, 'lease');
		const acquire = await acquiring;
		await sleeper.pause();
		acquire.allow();
		await expect
			.poll(async () => (await gateways.lease('lease'))?.['spec'].holderIdentity, LONG)
			.toMatch(/^sleeper-lease_/);

		const { successor, create, lease } = await takenOver('lease', sleeper.podName);
		sleeper.signal('SIGCONT');
		expect((await answer).status).toBe(503);
		expect(Number((await answer).retryAfter)).toBeGreaterThanOrEqual(1);
		expect(identityOf(await gateways.lease('lease'))).toEqual(identityOf(lease));
		create.allow();
		expect((await successor).status).toBe(201);
		expect(occurrences(await gateways.requests('lease'))).toEqual([1]);
		const again = async () => (await gateways.send(sleeper, 'lease')).status;
		await expect.poll(again, LONG).toBe(202); // it is as good as any other again
	});

	it('while it creates the request, which is stored after its successor’s: it joins that one', async () => {
		const sleeper = await gateways.start('sleeper-second', SHORT_LEASE);
		const creating = requests.hold(requestOf('second'));
		const answer = gateways.send(sleeper, 'second');
		const late = await creating;
		await sleeper.pause();
		const { successor, create } = await takenOver('second', sleeper.podName);
		create.allow();
		expect((await successor).status).toBe(201);
		late.allow();
		sleeper.signal('SIGCONT');
		expect([202, 503]).toContain((await answer).status);
		const [count, ...more] = occurrences(await gateways.requests('second'));
		expect(more).toEqual([]);
		expect(count).toBe((await answer).status === 202 ? 2 : 1);
	});

	it('while it creates the request, which is stored before its successor’s: that one joins it', async () => {
		const sleeper = await gateways.start('sleeper-first', SHORT_LEASE);
		const creating = requests.hold(requestOf('first'));
		const answer = gateways.send(sleeper, 'first');
		const early = await creating;
		await sleeper.pause();
		const { successor, create, lease } = await takenOver('first', sleeper.podName);
		early.allow();
		await expect.poll(() => gateways.requests('first'), LONG).toHaveLength(1);
		sleeper.signal('SIGCONT');
		expect([201, 202, 503]).toContain((await answer).status);
		await expect.poll(() => releases(sleeper), LONG).toBe(1); // it comes after the answer
		expect(identityOf(await gateways.lease('first'))).toEqual(identityOf(lease));
		create.allow();
		expect((await successor).status).toBe(202);
		const stored = await gateways.requests('first');
		expect(statuses(await gateways.storm(3, () => 'first'))).toEqual({ 202: 3 });
		expect(stored).toHaveLength(1);
		expect(await metric(gateways.processes[1]!, 'gateway_lock_takeovers_total')).toBe(3);
	});

	it('leaves no lease behind', async () => {
		await expect.poll(() => gateways.leases(), LONG).toEqual([]);
	});
});
