// A resolved alert creates nothing; it marks the request of its incident, whichever replica receives it and however soon.
import { adminApi, createNamespace } from '@kubernaut/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Gateways, occurrences, startGateways, statuses } from './harness/gateways.ts';

const RESOLVED = { status: 'resolved' } as const;
const api = adminApi();
let gateways: Gateways;

beforeAll(async () => {
	gateways = await startGateways(api, await createNamespace(api, 'resolved'));
});

async function resolvedAt(deployment: string): Promise<(string | undefined)[]> {
	return (await gateways.requests(deployment)).map(({ status }) => status.signalResolvedAt);
}

describe('a resolved alert', () => {
	it('a resolved alert without a request creates nothing', async () => {
		const answer = await gateways.send(gateways.processes[0]!, 'unknown', RESOLVED);
		expect(answer).toMatchObject({ status: 200, body: { status: 'ignored' } });
		expect(await gateways.requests('unknown')).toEqual([]);
	});

	it('a resolved alert marks the active request from any replica, also from one that has not seen it yet', async () => {
		const [first, second, third] = gateways.processes;
		for (let i = 0; i < 30; i++) {
			const deployment = `fresh-${i}`;
			expect((await gateways.send(first!, deployment)).status).toBe(201);
			const answer = await gateways.send(i % 2 === 0 ? second! : third!, deployment, RESOLVED);
			expect(answer).toMatchObject({ status: 200, body: { status: 'resolved' } });
			expect(await resolvedAt(deployment)).toEqual([expect.stringMatching(/^\d{4}-/)]);
		}
	});

	it('a resolved alert that many replicas receive at once marks the request once', async () => {
		await gateways.storm(30, () => 'many');
		const answers = await Promise.all(
			Array.from({ length: 30 }, (_, i) => gateways.send(gateways.processes[i % 3]!, 'many', RESOLVED)),
		);
		expect(statuses(answers)).toEqual({ 200: 30 });
		const marked = await resolvedAt('many');
		expect(marked).toEqual([expect.stringMatching(/^\d{4}-/)]);
		await gateways.send(gateways.processes[1]!, 'many', RESOLVED);
		expect(await resolvedAt('many')).toEqual(marked); // the first time stays
		expect(occurrences(await gateways.requests('many'))).toEqual([30]); // it is not an occurrence
	});

	it('a resolved alert leaves a request that has ended unchanged', async () => {
		const [first, second] = gateways.processes;
		await gateways.send(first!, 'over');
		const [request] = await gateways.requests('over');
		await gateways.end(request!);
		const ask = async () => (await gateways.send(second!, 'over', RESOLVED)).body.status;
		await expect.poll(ask).toBe('ignored');
		expect(await resolvedAt('over')).toEqual([undefined]);
		expect(await gateways.requests('over')).toHaveLength(1);
	});
});
