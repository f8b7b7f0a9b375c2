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

	it('a late report that an earlier firing ended does not mark a newer firing, and its answer says so', async () => {
		const [first, second, third] = gateways.processes;
		await gateways.send(first!, 'late', { startsAt: '2026-11-16T20:00:00Z' });
		await gateways.send(second!, 'late', { startsAt: '2026-11-16T21:00:00Z' });
		const late = { ...RESOLVED, startsAt: '2026-11-16T20:00:00Z', endsAt: '2026-11-16T20:10:00Z' };
		for (const to of [first!, second!, third!]) {
			const { status, body } = await gateways.send(to, 'late', late);
			expect({ status, as: body.status, message: body['message'] }).toEqual({
				status: 200,
				as: 'ignored',
				message: expect.stringMatching(/^resolved, but rr-.* again since 2026-11-16T21:00:00/),
			});
		}
		expect(await resolvedAt('late')).toEqual([undefined]);
	});

	it('the mark is the time at which the alert ended, and a firing that began after it removes the mark', async () => {
		const [first, second, third] = gateways.processes;
		await gateways.send(first!, 'again', { startsAt: '2026-11-16T20:00:00Z' });
		await gateways.send(second!, 'again', { ...RESOLVED, endsAt: '2026-11-16T20:10:00Z' });
		expect(await resolvedAt('again')).toEqual(['2026-11-16T20:10:00.000Z']);
		// A repetition of the firing that has ended is counted, and changes nothing else.
		await gateways.send(third!, 'again', { startsAt: '2026-11-16T20:00:00Z' });
		expect(await resolvedAt('again')).toEqual(['2026-11-16T20:10:00.000Z']);
		await gateways.send(first!, 'again', { startsAt: '2026-11-16T21:00:00Z' });
		expect(await resolvedAt('again')).toEqual([undefined]);
		expect(occurrences(await gateways.requests('again'))).toEqual([3]);
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
