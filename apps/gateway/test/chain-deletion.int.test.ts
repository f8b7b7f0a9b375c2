// Requests that are deleted while signals come in. By the chain's rule (a terminal link, in the version that was seen to
// have no successor or one that exists) there is never a second active request. Against the rule, in the worst instant,
// the chain forks: then the next nets hold, and the gateways go on with one of the two.
import { adminApi, createNamespace } from '@kubernaut/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import type { NewRemediationRequest, RemediationRequest } from '../src/generated/remediation-request.ts';
import { requestOf } from './harness/alerts.ts';
import { type CreateGate, gateRequests } from './harness/gates.ts';
import {
	type Gateways,
	isActive,
	LONG,
	occurrences,
	readiness,
	SHORT_LEASE,
	SHORT_LEASE_CALL_MS,
	startGateways,
	statuses,
} from './harness/gateways.ts';
import { pauseInCall } from './harness/paused-holder.ts';

const SIGNALS = 30;

const api = adminApi();
let gateways: Gateways;
let gate: CreateGate<NewRemediationRequest>;

beforeAll(async () => {
	const namespace = await createNamespace(api, 'deletion');
	gateways = await startGateways(api, namespace);
	gate = await gateRequests(api, namespace);
});

/** As retention does it: false when the object has changed since it was read. */
async function deleteByRule({ metadata }: RemediationRequest): Promise<boolean> {
	const { uid, resourceVersion } = metadata;
	const path = `${gateways.requestsPath}/${metadata.name}`;
	const { status } = await api.send('DELETE', path, { body: { preconditions: { uid, resourceVersion } } });
	expect([200, 404, 409]).toContain(status);
	return status === 200;
}

async function active(deployment: string): Promise<RemediationRequest[]> {
	return (await gateways.requests(deployment)).filter(isActive);
}

/** One more request for it, and that one ended. */
async function addEnded(deployment: string, processes = gateways.processes): Promise<RemediationRequest> {
	expect(statuses(await gateways.storm(3, () => deployment, processes))).toEqual({ 201: 1, 202: 2 });
	await gateways.end((await active(deployment))[0]!);
	return (await gateways.requests(deployment)).at(-1)!;
}

describe('requests deleted by the rule', () => {
	it('after deletions by the rule, of the oldest or of all, the chain goes on with one active request', async () => {
		const first = await addEnded('orderly');
		await addEnded('orderly');
		const links = await gateways.requests('orderly');
		expect(links.map(({ spec }) => spec.chain)).toEqual([0, 1]);
		expect(links[0]!.status.successor?.name).toBe(links[1]!.metadata.name);
		expect(await deleteByRule(first)).toBe(false); // its successor was written since
		expect(await deleteByRule(links[0]!)).toBe(true);
		expect(statuses(await gateways.storm(SIGNALS, () => 'orderly'))).toEqual({ 201: 1, 202: SIGNALS - 1 });
		expect((await active('orderly')).map(({ spec }) => spec.chain)).toEqual([2]);

		await gateways.end((await active('orderly'))[0]!);
		for (const link of await gateways.requests('orderly')) expect(await deleteByRule(link)).toBe(true);
		expect(statuses(await gateways.storm(SIGNALS, () => 'orderly'))).toEqual({ 201: 1, 202: SIGNALS - 1 });
		expect(occurrences(await gateways.requests('orderly'))).toEqual([SIGNALS]);
	});

	it('a deletion of the newest request at the same time as new signals leaves one active request, every time', async () => {
		let deleted = 0;
		for (let round = 0; round < 10; round++) {
			const tail = await addEnded('racing');
			const [answers, gone] = await Promise.all([gateways.storm(SIGNALS, () => 'racing'), deleteByRule(tail)]);
			if (gone) deleted++;
			expect(statuses(answers)).toEqual({ 201: 1, 202: SIGNALS - 1 });
			const standing = await active('racing');
			expect(occurrences(standing)).toEqual([SIGNALS]);
			await gateways.end(standing[0]!);
		}
		console.log(`deleted before its successor was written: ${deleted} of 10`);
	});
});

describe('a request deleted against the rule, between the naming of its successor and the creation of that', () => {
	it('a deletion against the rule forks the chain; the gateways agree on the newer link, and one active request follows the two', async () => {
		const patient = [...gateways.processes];
		const sleeper = await gateways.start('sleeper', SHORT_LEASE);
		const paused = await pauseInCall(gateways, sleeper, 'forked', {
			gate,
			call: requestOf,
			callTimeoutMs: SHORT_LEASE_CALL_MS,
			prepare: (name) => addEnded(name, patient),
		});
		const { deployment, answer: stopped, held: late } = paused;
		const [ended] = await gateways.requests(deployment);
		expect(ended!.status.successor?.name).toBe(late.object.metadata.name);
		await api.call('DELETE', `${gateways.requestsPath}/${ended!.metadata.name}`);
		expect((await gateways.sendUntilStored(patient[0]!, deployment)).status).toBe(201); // after the takeover
		late.allow();
		const chains = async () => (await active(deployment)).map(({ spec }) => spec.chain);
		await expect.poll(chains, LONG).toEqual([0, 1]);
		sleeper.signal('SIGCONT');
		expect([201, 202, 503]).toContain((await stopped).status);

		const newer = late.object.metadata.name;
		const joined = async () => {
			const answers = await gateways.storm(gateways.processes.length, () => deployment);
			return answers.map(({ status, body }) => `${status} ${body.remediationRequestName}`);
		};
		await expect.poll(joined, LONG).toEqual(gateways.processes.map(() => `202 ${newer}`));

		for (const link of await active(deployment)) await gateways.end(link); // what the orchestrator makes of duplicates
		const next = await gateways.storm(SIGNALS, () => deployment, patient);
		expect(statuses(next)).toEqual({ 201: 1, 202: SIGNALS - 1 });
		expect(await chains()).toEqual([2]);
		for (const each of gateways.processes) await expect.poll(() => readiness(each), LONG).toBe(200);
	});
});
