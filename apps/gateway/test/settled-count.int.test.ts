// The readable count of a request (`occurrenceCount`, the column Count of kubectl) follows what all replicas have counted.
import { adminApi, createNamespace } from '@kubernaut/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Gateways, occurrences, startGateways } from './harness/gateways.ts';

const api = adminApi();
// The last writer after 1 s, another replica after 2 to 3 s; the rest is for a busy machine.
const BY_LAST_WRITER = { timeout: 4000, interval: 50 };
const BY_ANOTHER = { timeout: 8000, interval: 50 };
let gateways: Gateways;

beforeAll(async () => {
	gateways = await startGateways(api, await createNamespace(api, 'settled'));
});

async function readableCounts(deployment: string): Promise<number[]> {
	return (await gateways.requests(deployment)).map(({ status }) => status.deduplication.occurrenceCount);
}

describe('the readable count', () => {
	it('the readable count is up to date soon after a storm on three replicas', async () => {
		await gateways.storm(90, () => 'storm');
		expect(occurrences(await gateways.requests('storm'))).toEqual([90]);
		await expect.poll(() => readableCounts('storm'), BY_LAST_WRITER).toEqual([90]);
	});

	it('a single repetition is in the readable count as soon as it is answered', async () => {
		const [first, second] = gateways.processes;
		await gateways.send(first!, 'single');
		await gateways.send(first!, 'single');
		expect(await readableCounts('single')).toEqual([2]);
		// Another replica, with a view that has caught up.
		await expect.poll(async () => (await gateways.send(second!, 'single')).body.occurrenceCount).toBeGreaterThan(2);
		expect(await readableCounts('single')).toEqual(occurrences(await gateways.requests('single')));
	});

	it('a request that ends before its readable count is up to date gets it afterwards', async () => {
		await gateways.storm(60, () => 'ending');
		const [request] = await gateways.requests('ending');
		await gateways.end(request!);
		await expect.poll(() => readableCounts('ending'), BY_LAST_WRITER).toEqual([60]);
	});

	it('another replica brings the readable count up to date when the last writer was killed', async () => {
		const [victim] = gateways.processes;
		await gateways.storm(60, () => 'orphan', [victim!]);
		victim!.signal('SIGKILL');
		await expect.poll(() => readableCounts('orphan'), BY_ANOTHER).toEqual([60]);
	});
});
