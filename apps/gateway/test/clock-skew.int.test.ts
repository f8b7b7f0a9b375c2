// Processes whose wall clocks are an hour apart, in both directions. No replica compares its time with another's, so
// nobody is robbed early and nobody waits an hour.
import { type AppProcess, adminApi, createNamespace, shiftedClock } from '@kubernaut/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { requestOf } from './harness/alerts.ts';
import { gateRequests } from './harness/gates.ts';
import {
	type Gateways,
	occurrences,
	SHORT_LEASE,
	SHORT_LEASE_MS,
	startGateways,
	statuses,
} from './harness/gateways.ts';

const HOUR_SECONDS = 3600;
const PATIENT = { MAX_EVENT_LOOP_DELAY: '5s', REQUEST_DEADLINE: '25s', KUBERNETES_REQUEST_TIMEOUT: '9s' };

const api = adminApi();
let gateways: Gateways;
let gate: Awaited<ReturnType<typeof gateRequests>>;
let ahead: AppProcess;
let behind: AppProcess;

beforeAll(async () => {
	const namespace = await createNamespace(api, 'skew');
	gateways = await startGateways(api, namespace, { count: 1, env: PATIENT });
	gate = await gateRequests(api, namespace);
	ahead = await gateways.start('ahead', await clock(HOUR_SECONDS));
	behind = await gateways.start('behind', await clock(-HOUR_SECONDS));
});

async function clock(seconds: number): Promise<Record<string, string>> {
	return (await shiftedClock(seconds)).env;
}

describe('clocks that are an hour apart', () => {
	it('100 equal signals make exactly one request that counts 100', async () => {
		const answers = await gateways.storm(100, () => 'once');
		expect(statuses(answers)).toEqual({ 201: 1, 202: 99 });
		expect(occurrences(await gateways.requests('once'))).toEqual([100]);
	});

	it.each([
		{ holderIs: 'behind', shift: -HOUR_SECONDS, successor: () => ahead },
		{ holderIs: 'ahead', shift: HOUR_SECONDS, successor: () => behind },
	])(
		'a dead holder that is $holderIs is succeeded when its Lease is over, not before and not an hour later',
		async ({ holderIs, shift, successor }) => {
			const holder = await gateways.start(`dead-${holderIs}`, { ...SHORT_LEASE, ...(await clock(shift)) });
			const held = gate.hold(requestOf(holderIs));
			const first = gateways.trySend(holder, holderIs);
			const create = await held;
			holder.signal('SIGKILL');
			const diedAt = performance.now();
			create.deny();
			expect(await first).toEqual({ status: 'lost' });
			const lease = await gateways.lease(holderIs);
			const written = (Date.parse(lease?.['spec'].acquireTime as string) - Date.now()) / 1000;
			expect(Math.abs(written - shift)).toBeLessThan(60); // its clock is really off

			const answers = await gateways.storm(10, () => holderIs, [gateways.processes[0]!, successor()]);
			const tookMs = performance.now() - diedAt;
			expect(statuses(answers)).toEqual({ 201: 1, 202: 9 });
			expect(occurrences(await gateways.requests(holderIs))).toEqual([10]);
			expect(tookMs).toBeGreaterThan(SHORT_LEASE_MS - 1000); // it died a little after the Lease was written
		},
	);

	it('a live holder that is behind is not robbed by one that is ahead', async () => {
		const held = gate.hold(requestOf('alive'));
		const first = gateways.send(behind, 'alive');
		const create = await held;
		const waiting = gateways.send(ahead, 'alive');
		const name = (await gateways.lease('alive'))?.['spec'].holderIdentity;
		await new Promise((resolve) => setTimeout(resolve, 1500)); // several of its attempts
		expect((await gateways.lease('alive'))?.['spec']).toMatchObject({ holderIdentity: name, leaseTransitions: 0 });
		create.allow();
		expect(statuses([await first, await waiting])).toEqual({ 201: 1, 202: 1 });
		expect(occurrences(await gateways.requests('alive'))).toEqual([2]);
	});
});
