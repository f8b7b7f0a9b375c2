// Processes whose wall clocks are an hour apart, in both directions. What they store has the time of the API server, no lock
// is taken over early and no signal waits an hour.
import { type AppProcess, adminApi, createNamespace, shiftedClock } from '@kubernaut/testkit';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { NewRemediationRequest } from '../src/generated/remediation-request.ts';
import { requestOf } from './harness/alerts.ts';
import { type CreateGate, gateRequests } from './harness/gates.ts';
import {
	contentions,
	type Gateways,
	occurrences,
	SHORT_LEASE,
	SHORT_LEASE_CALL_MS,
	SHORT_LEASE_MS,
	startGateways,
	statuses,
} from './harness/gateways.ts';
import { pauseInCall } from './harness/paused-holder.ts';

const HOUR_SECONDS = 3600;
const SEVERAL = 4;
/** Of a clock that reads the whole seconds of the API server's answers. */
const CLOSE_MS = 10_000;
/** Between a clock that is right and one that is an hour off, however long a busy machine takes to get here. */
const FAR_SECONDS = HOUR_SECONDS / 6;

const api = adminApi();
let namespace: string;
let gateways: Gateways;
let gate: CreateGate<NewRemediationRequest>;
let onTime: AppProcess;
let ahead: AppProcess;
let behind: AppProcess;

beforeAll(async () => {
	namespace = await createNamespace(api, 'skew');
	gateways = await startGateways(api, namespace, { count: 1 });
	gate = await gateRequests(api, namespace);
	onTime = gateways.processes[0]!;
	ahead = await gateways.start('ahead', await clock(HOUR_SECONDS));
	behind = await gateways.start('behind', await clock(-HOUR_SECONDS));
});

async function clock(seconds: number): Promise<Record<string, string>> {
	return (await shiftedClock(seconds)).env;
}

/** As the API server writes it into what it creates. */
async function serverTime(): Promise<number> {
	const body = { metadata: { generateName: 'time-' } };
	const { metadata } = await api.call('POST', `/api/v1/namespaces/${namespace}/configmaps?dryRun=All`, { body });
	return Date.parse(metadata.creationTimestamp);
}

describe.concurrent('clocks that are an hour apart', () => {
	it('with clocks an hour apart, 100 equal signals make exactly one request that counts 100', async () => {
		const answers = await gateways.storm(100, () => 'once', [onTime, ahead, behind]);
		expect(statuses(answers)).toEqual({ 201: 1, 202: 99 });
		expect(occurrences(await gateways.requests('once'))).toEqual([100]);
	});

	it.each([
		{ name: 'ahead', received: () => ahead },
		{ name: 'behind', received: () => behind },
	])('what a gateway whose clock is $name receives has the time of the API server', async ({ name, received }) => {
		const before = await serverTime();
		await gateways.storm(2, () => `time-${name}`, [received()]);
		const [request] = await gateways.requests(`time-${name}`);
		const after = await serverTime();
		const times = [request!.spec.receivedTime, request!.status.deduplication.lastSeenAt ?? ''];
		for (const time of times.filter((each) => each !== '')) {
			expect(Date.parse(time)).toBeGreaterThan(before - CLOSE_MS);
			expect(Date.parse(time)).toBeLessThan(after + CLOSE_MS);
		}
	});

	it.each([
		{ holderIs: 'behind', shift: -HOUR_SECONDS, successor: () => ahead },
		{ holderIs: 'ahead', shift: HOUR_SECONDS, successor: () => behind },
	])(
		'a dead holder whose clock is $holderIs is taken over when its Lease has expired, not before and not an hour later',
		async ({ holderIs, shift, successor }) => {
			const holder = await gateways.start(`dead-${holderIs}`, { ...SHORT_LEASE, ...(await clock(shift)) });
			const { deployment, sentAt, answer, held } = await pauseInCall(gateways, holder, holderIs, {
				gate,
				call: requestOf,
				callTimeoutMs: SHORT_LEASE_CALL_MS,
			});
			holder.signal('SIGKILL');
			held.deny();
			expect(await answer).toEqual({ status: 'lost' });
			const logged = holder.output().find((line) => line.includes('"msg":"started"')) ?? '{}';
			const { time = '' } = JSON.parse(logged) as { time?: string };
			expect(Math.abs((Date.parse(time) - Date.now()) / 1000 - shift)).toBeLessThan(FAR_SECONDS); // it is really off
			const lease = await gateways.lease(deployment);
			const written = Date.parse(lease?.spec?.acquireTime ?? '') - Date.now();
			expect(Math.abs(written) / 1000).toBeLessThan(FAR_SECONDS); // and plays no part

			const answers = await gateways.stormUntilStored(10, deployment, [onTime, successor()]);
			const tookMs = performance.now() - sentAt;
			expect(statuses(answers)).toEqual({ 201: 1, 202: 9 });
			expect(occurrences(await gateways.requests(deployment))).toEqual([10]);
			expect(tookMs).toBeGreaterThanOrEqual(SHORT_LEASE_MS);
		},
	);

	it('the lock of a live holder whose clock is behind is not taken over by a replica whose clock is ahead', async () => {
		const held = gate.hold(requestOf('alive'));
		const first = gateways.send(behind, 'alive');
		const create = await held;
		const waiting = gateways.sendUntilStored(ahead, 'alive');
		const name = (await gateways.lease('alive'))?.spec?.holderIdentity;
		await vi.waitFor(() => expect(contentions(ahead, 'alive')).toBeGreaterThanOrEqual(SEVERAL), { timeout: 15_000 });
		expect((await gateways.lease('alive'))?.spec).toMatchObject({ holderIdentity: name, leaseTransitions: 0 });
		create.allow();
		expect(statuses([await first, await waiting])).toEqual({ 201: 1, 202: 1 });
		expect(occurrences(await gateways.requests('alive'))).toEqual([2]);
	});
});
