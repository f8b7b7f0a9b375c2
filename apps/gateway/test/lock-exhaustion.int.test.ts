// A lock that a live holder keeps: ten attempts, then the signal is deferred. The holder is not disturbed.
import { adminApi, createNamespace } from '@kubernaut/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { LOCK_ATTEMPTS } from '../src/ingest/ingest-signal.ts';
import { FOREIGN_HOLDER, holdLock } from './harness/foreign-holder.ts';
import { contentions, type Gateways, logged, metric, startGateways, statuses } from './harness/gateways.ts';
import { LOCK_WAIT_MS, withinLockWait } from './harness/within-lock-wait.ts';

const ALIVE = { renewEveryMs: 500 };

const api = adminApi();
let gateways: Gateways;

beforeAll(async () => {
	gateways = await startGateways(api, await createNamespace(api, 'exhausted'), { count: 2 });
});

describe('a lock that its holder keeps', () => {
	it('a lock that its holder keeps defers equal signals after ten shared attempts; once released, a signal succeeds', async () => {
		const [gateway] = gateways.processes;
		const foreign = await holdLock(api, gateways, 'kept', ALIVE);
		const startedAt = performance.now();
		const answers = await gateways.storm(5, () => 'kept', [gateway!]);
		const waitedMs = performance.now() - startedAt;

		expect(statuses(answers)).toEqual({ 503: 5 });
		for (const { retryAfter, body } of answers) {
			expect(Number(retryAfter)).toBeGreaterThanOrEqual(1);
			expect(body.code).toBe('SIGNALS_DEFERRED');
		}
		expect(waitedMs).toBeGreaterThanOrEqual(LOCK_WAIT_MS);
		expect(await metric(gateway!, 'gateway_lock_retry_timeout_total')).toBe(5);
		expect(await metric(gateway!, 'gateway_lock_acquisition_attempts_total')).toBe(LOCK_ATTEMPTS);
		expect(await metric(gateway!, 'gateway_lock_retry_attempts_total')).toBe(LOCK_ATTEMPTS - 1);
		expect(await metric(gateway!, 'gateway_lock_acquisition_failures_total{reason="contention"}')).toBe(LOCK_ATTEMPTS);
		expect(await metric(gateway!, 'gateway_lock_acquisition_failures_total{reason="api_error"}')).toBe(0);
		expect(logged(gateway!, 'lease held by another pod')[0]).toMatchObject({ holder: FOREIGN_HOLDER });
		expect(await gateways.requests('kept')).toEqual([]);

		const last = await foreign.release();
		expect(last.spec?.holderIdentity).toBe(FOREIGN_HOLDER);
		expect((await gateways.send(gateway!, 'kept')).status).toBe(201);
	});

	it('a lock that its holder keeps does not delay other signals', async () => {
		const [, gateway] = gateways.processes;
		const retries = async (end: 'success' | 'timeout') => metric(gateway!, `gateway_lock_retry_${end}_total`);
		await withinLockWait('busy', async (deployment) => {
			const before = { success: (await retries('success'))!, timeout: await retries('timeout') };
			const foreign = await holdLock(api, gateways, deployment, ALIVE);
			let answered = false;
			const waiting = gateways.send(gateway!, deployment).finally(() => (answered = true));
			await expect.poll(() => contentions(gateway!, deployment)).toBeGreaterThan(0);
			const free = await gateways.send(gateway!, `free-${deployment}`);
			const wasAnswered = answered;
			await foreign.release();
			const { status } = await waiting;
			expect({ free: free.status, wasAnswered, status }).toEqual({ free: 201, wasAnswered: false, status: 201 });
			// Woken by the release, long before its last attempt.
			expect(await retries('success')).toBe(before.success + 1);
			expect(await retries('timeout')).toBe(before.timeout);
		});
	});
});
