// Equal signals at once, through the Service to three gateways: one RemediationRequest, every sender is answered with 2xx, and
// every signal is counted once. A machine that is too slow for all of them within the gateway's deadline asks some to come back:
// then each is counted with one of its tries at least, and with each of them at most.
import { beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { sumOf } from '../harness/judging/metrics.ts';
import { countOf, requestsAbout } from '../harness/objects.ts';
import { openPlatform } from '../harness/open-platform.ts';
import type { Platform } from '../harness/platform.ts';
import { openSender, type Sender } from '../harness/sending.ts';
import { TIMEOUTS } from '../harness/timeouts.ts';

/** The gateway's REQUEST_DEADLINE. */
const DEADLINE_MS = 10_000;

describe('equal signals at once', () => {
	let platform: Platform;
	let sender: Sender;
	beforeAll(async () => {
		platform = await openPlatform({ apps: ['gateway'] });
		sender = await openSender(platform);
		return () => sender.close();
	});

	it.each([100, 1000])('%i of them are one request that has counted all of them', async (count) => {
		const signal = { alertname: 'KubePodCrashLooping', deployment: `storm-${count}` };
		const startedAt = performance.now();
		const sent = await Promise.all(Array.from({ length: count }, () => sender.send(signal)));
		const tookMs = performance.now() - startedAt;
		const tries = sent.reduce((sum, one) => sum + one.tries, 0);
		console.info(`${count} signals in ${Math.round(tookMs)} ms, ${tries - count} sent again`);
		expect(sent.filter(({ status }) => status !== 201 && status !== 202)).toEqual([]);
		// A machine that had time for all of them has turned none away.
		expect(tookMs < DEADLINE_MS / 2 ? tries : count).toBe(count);
		const created = sent.filter(({ status }) => status === 201).length;
		expect(created).toBeLessThanOrEqual(1);
		expect(created).toBeGreaterThanOrEqual(tries === count ? 1 : 0); // its answer may have come too late
		const requests = await eventually(
			() => requestsAbout(platform, signal.deployment),
			(all) => {
				expect(countOf(all)).toBeGreaterThanOrEqual(count);
				expect(countOf(all)).toBeLessThanOrEqual(tries);
			},
			TIMEOUTS.settledMs,
		);
		expect(requests).toHaveLength(1);
	});

	it('each of the three gateways had a part in it', async () => {
		const replicas = await platform.replicas('gateway');
		const handled = await Promise.all(
			replicas.map(async (replica) => sumOf(await replica.metrics(), 'gateway_signals_total')),
		);
		expect(handled).toHaveLength(3);
		expect(Math.min(...handled)).toBeGreaterThan(0);
	});
});
