// One hot incident, default limits, nothing broken on purpose: every caller is served, whatever the number of replicas and
// however far one of them is from the API server, and every signal that was answered as taken is counted.
import { setTimeout as delay } from 'node:timers/promises';
import { adminApi, atTheEnd, createNamespace, startDistantApiServer } from '@kubernaut/testkit';
import { describe, expect, it } from 'vitest';
import type { RemediationRequest } from '../src/generated/remediation-request.ts';
import { answeredWithin, callsForSignals, closedLoop, type Exchange } from './harness/closed-loop.ts';
import {
	DEFAULT_LIMITS,
	type Gateways,
	isActive,
	LONG,
	occurrences,
	startGateways,
	statuses,
} from './harness/gateways.ts';

const api = adminApi();
const CALLERS_PER_REPLICA = 50;
const FOR_MS = 6000;
const P99_MS = 2000;
/** The last writer after 1 s, another replica after 2 to 3 s; the rest is for a busy machine. */
const SETTLED = { timeout: 8000, interval: 50 };
const MORE_CALLS_AT_MOST = 1.5;
const WRITTEN_WITHIN_MS = 2000;

async function startOn(namespace: string, count: number): Promise<Gateways> {
	return startGateways(api, await createNamespace(api, namespace), { count, limits: DEFAULT_LIMITS });
}

const hammer = (gateways: Gateways, deployment: string, callersPerReplica = CALLERS_PER_REPLICA) =>
	closedLoop(gateways, { callersPerReplica, forMs: FOR_MS, deployment });

/** The count that people see. */
async function readable(gateways: Gateways, deployment: string): Promise<number[]> {
	return (await gateways.requests(deployment)).map(({ status }) => status.deduplication.occurrenceCount);
}

const answerOf = ({ answer }: Exchange) => answer;

async function expectServedAndCounted(gateways: Gateways, deployment: string, exchanges: Exchange[]): Promise<void> {
	const answers = exchanges.map(answerOf);
	for (const replica of gateways.processes) {
		const { 201: _, 202: __, ...notServed } = statuses(exchanges.filter(({ to }) => to === replica).map(answerOf));
		expect({ replica: replica.podName, notServed }).toEqual({ replica: replica.podName, notServed: {} });
	}
	expect(statuses(answers)).toEqual({ 201: 1, 202: answers.length - 1 });
	expect(answeredWithin(exchanges, 0.99)).toBeLessThan(P99_MS);
	const requests = await gateways.requests(deployment);
	expect(occurrences(requests)).toEqual([answers.length]);
	await expect.poll(() => readable(gateways, deployment), SETTLED).toEqual([answers.length]);
	expect(requests.filter(isActive)).toHaveLength(1);
	const counts = answers.map((answer) => ('body' in answer ? answer.body.occurrenceCount! : Number.NaN));
	expect(counts.toSorted((a, b) => a - b)).toEqual(answers.map((_, i) => i + 1)); // each got its own number
}

async function msToWrite(
	{ requestsPath }: Gateways,
	{ metadata }: RemediationRequest,
	from: string | undefined,
	to: string,
): Promise<number> {
	const body = [
		{ op: 'test', path: '/metadata/uid', value: metadata.uid },
		{ op: 'test', path: '/metadata/deletionTimestamp', value: null },
		{ op: 'test', path: '/status/overallPhase', value: from ?? null },
		{ op: 'add', path: '/status/overallPhase', value: to },
	];
	const startedAt = performance.now();
	const contentType = 'application/json-patch+json';
	await api.call('PATCH', `${requestsPath}/${metadata.name}/status`, { body, contentType });
	return performance.now() - startedAt;
}

describe('one hot incident, with default limits', () => {
	it('10 replicas with 50 callers each serve all of them, at about the calls per signal of 3', async () => {
		const gateways = await startOn('replicas', 3);
		const callsPerSignal = async (deployment: string) => {
			const before = await callsForSignals(gateways);
			const exchanges = await hammer(gateways, deployment);
			return { exchanges, calls: ((await callsForSignals(gateways)) - before) / exchanges.length };
		};
		const three = await callsPerSignal('three');
		await expectServedAndCounted(gateways, 'three', three.exchanges);
		for (let i = 3; i < 10; i++) await gateways.start(`gateway-${i}`);
		const ten = await callsPerSignal('ten');
		await expectServedAndCounted(gateways, 'ten', ten.exchanges);
		expect(ten.calls / three.calls).toBeLessThan(MORE_CALLS_AT_MOST);
	});

	it('10 replicas count on a request while its phases are written, each within 2 s', async () => {
		const gateways = await startOn('followed', 10);
		// The orchestrator writes to the same status, as it would: it tests what it decided from, and no version.
		const hammering = hammer(gateways, 'followed');
		await expect.poll(async () => occurrences(await gateways.requests('followed')), LONG).toEqual([expect.any(Number)]);
		await delay(FOR_MS / 3); // all callers are at it by then
		const [request] = await gateways.requests('followed');
		expect(await msToWrite(gateways, request!, undefined, 'Executing')).toBeLessThan(WRITTEN_WITHIN_MS);
		expect(await msToWrite(gateways, request!, 'Executing', 'Completed')).toBeLessThan(WRITTEN_WITHIN_MS);
		const exchanges = await hammering;
		expect(statuses(exchanges.map(answerOf))).toEqual({ 201: 2, 202: exchanges.length - 2 }); // the next one follows
		const requests = await gateways.requests('followed');
		expect(requests.map(isActive)).toEqual([false, true]);
		const [ended, next] = occurrences(requests);
		expect(ended! + next!).toBe(exchanges.length);
		await expect.poll(() => readable(gateways, 'followed'), SETTLED).toEqual([ended, next]);
	});

	// Fewer callers make shorter rounds: the nearer replicas are then ahead by the distance each time.
	it.each([
		{ ms: 5, callers: 10 },
		{ ms: 50, callers: 50 },
	])('3 replicas of which one is $ms ms further from the API server serve all callers', async ({ ms, callers }) => {
		const gateways = await startOn('far', 2);
		const distant = await startDistantApiServer(gateways.kubeconfig, ms);
		atTheEnd(() => distant.stop());
		await gateways.start('gateway-far', {}, distant.kubeconfig);
		await expectServedAndCounted(gateways, 'far', await hammer(gateways, 'far', callers));
	});
});
