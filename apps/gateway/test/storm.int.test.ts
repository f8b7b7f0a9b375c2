// Many equal signals on three gateway processes: exactly one request, every signal answered and counted.
import { adminApi, createNamespace } from '@kubernaut/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { FENCING_ANNOTATION, requestsPath } from '../src/objects/request-store.ts';
import { leaseNameOf } from './harness/alerts.ts';
import { type Answer, type Gateways, occurrences, startGateways, statuses } from './harness/gateways.ts';

const api = adminApi();
const ANSWERED_WITHIN_MS = 25_000;
let gateways: Gateways;

beforeAll(async () => {
	gateways = await startGateways(api, await createNamespace(api, 'storm'));
});

async function stormInTime(count: number, deploymentOf: (i: number) => string): Promise<Answer[]> {
	const startedAt = performance.now();
	const answers = await gateways.storm(count, deploymentOf);
	expect(performance.now() - startedAt).toBeLessThan(ANSWERED_WITHIN_MS);
	expect(answers.filter(({ status }) => status > 202).map(({ body }) => body.detail)).toEqual([]);
	return answers;
}

describe('equal signals at once over three processes', () => {
	it('100 equal signals make exactly one request that counts 100', async () => {
		const answers = await stormInTime(100, () => 'once');
		expect(statuses(answers)).toEqual({ 201: 1, 202: 99 });
		expect(occurrences(await gateways.requests('once'))).toEqual([100]);
		const counts = answers.map(({ body }) => body.occurrenceCount).toSorted((a, b) => a! - b!);
		expect(counts).toEqual(Array.from({ length: 100 }, (_, i) => i + 1)); // each got its own number
	});

	it('a request is found by the labels that it has from its create on', async () => {
		await gateways.send(gateways.processes[0]!, 'labelled');
		const [{ metadata, spec } = { metadata: undefined, spec: undefined }] = await gateways.requests('labelled');
		const selector = `kubernaut.ai/target-kind=Deployment,kubernaut.ai/target-namespace=${spec?.targetResource.namespace},kubernaut.ai/signal=${spec?.signalName}`;
		const path = `${requestsPath(metadata?.namespace ?? '')}?labelSelector=${encodeURIComponent(selector)}`;
		const { items } = await api.call('GET', path);
		const names = (items as { metadata: { name: string } }[]).map((item) => item.metadata.name);
		expect(names).toContain(metadata?.name);
		expect(metadata).toMatchObject({ generation: 1 });
	});

	it('1,000 equal signals make exactly one request, ten times in a row', async () => {
		for (let round = 0; round < 10; round++) {
			const answers = await stormInTime(1000, () => `thousand-${round}`);
			expect(statuses(answers)).toEqual({ 201: 1, 202: 999 });
			expect(occurrences(await gateways.requests(`thousand-${round}`))).toEqual([1000]);
		}
	}, 300_000); // ten times as long as one of them may take

	it('signals of 50 fingerprints make exactly one request for each', async () => {
		const answers = await stormInTime(1000, (i) => `mixed-${i % 50}`);
		expect(statuses(answers)).toEqual({ 201: 50, 202: 950 });
		const requests = await gateways.requests();
		for (let i = 0; i < 50; i++) {
			const ours = requests.filter(({ spec }) => spec.targetResource.name === `mixed-${i}`);
			expect(occurrences(ours)).toEqual([20]);
		}
	});

	it('a request that ends in the middle of a storm is followed by exactly one, chained to it', async () => {
		const first = stormInTime(300, () => 'ending');
		await expect.poll(() => gateways.requests('ending'), { interval: 5 }).toHaveLength(1);
		const [active] = await gateways.requests('ending');
		await gateways.end(active!);
		const answers = [...(await first), ...(await stormInTime(300, () => 'ending'))];
		expect(statuses(answers)).toEqual({ 201: 2, 202: 598 });

		const requests = await gateways.requests('ending');
		expect(requests.map(({ spec }) => spec.chain)).toEqual([0, 1]);
		expect(requests[0]!.status.successor?.name).toBe(requests[1]!.metadata.name);
		// The replica that announced it held the lock, and wrote down which.
		const { lease, token } = requests[0]!.status.deduplication.fencing!;
		expect(lease).toBe(leaseNameOf('ending'));
		expect(token).toBeLessThanOrEqual(Number(requests[1]!.metadata.annotations?.[FENCING_ANNOTATION]));
		const [before, after] = occurrences(requests);
		expect(before! + after!).toBe(600);
		expect(after).toBeGreaterThanOrEqual(300); // all that came after the end
	});

	it('a storm leaves no Lease', async () => {
		await expect.poll(() => gateways.leases()).toEqual([]);
	});
});
