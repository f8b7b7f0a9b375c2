// One incident that waits does not keep the others waiting: three gateways with their default limits.
import { adminApi, createNamespace } from '@kubernaut/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { holdLock } from './harness/foreign-holder.ts';
import { type Answer, DEFAULT_LIMITS, type Gateways, startGateways, statuses } from './harness/gateways.ts';

/** The others wait for the dead holder for 6.5 s; the rest is for a busy machine. */
const SERVED_WITHIN_MS = 5000;

const api = adminApi();
let gateways: Gateways;

beforeAll(async () => {
	gateways = await startGateways(api, await createNamespace(api, 'fairness'), { limits: DEFAULT_LIMITS });
});

describe('an incident whose lock holder died', () => {
	it('200 callers that wait for it keep none of 50 callers of other incidents waiting', async () => {
		const [gateway] = gateways.processes;
		const holder = await holdLock(api, gateways, 'dead');
		const waiting = Promise.all(Array.from({ length: 200 }, () => gateways.send(gateway!, 'dead')));
		const others: Promise<{ answer: Answer; ms: number }>[] = [];
		for (let i = 0; i < 50; i++) {
			await new Promise((resolve) => setTimeout(resolve, 50));
			const startedAt = performance.now();
			others.push(
				gateways.send(gateway!, `other-${i}`).then((answer) => ({ answer, ms: performance.now() - startedAt })),
			);
		}
		const served = await Promise.all(others);
		const slowest = Math.max(...served.map(({ ms }) => ms));
		console.log('others', statuses(served.map(({ answer }) => answer)), `slowest ${Math.round(slowest)} ms`);
		const waited = await waiting;
		console.log('waiting', statuses(waited));
		await holder.release();
		expect(statuses(served.map(({ answer }) => answer))).toEqual({ 201: 50 });
		expect(slowest).toBeLessThan(SERVED_WITHIN_MS);
		expect(waited.filter(({ status }) => status !== 503 && status !== 504)).toEqual([]); // deferred, all of them
	});
});
