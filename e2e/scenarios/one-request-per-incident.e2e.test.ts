// Equal signals at once, through the Service to three gateways: one RemediationRequest, every sender is answered with 2xx, and
// every signal is counted once.
import { beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { sumOf } from '../harness/judging/metrics.ts';
import { countOf, requestsAbout } from '../harness/objects.ts';
import { openPlatform } from '../harness/open-platform.ts';
import type { Platform } from '../harness/platform.ts';
import { openSender, type Sender } from '../harness/sending.ts';
import { TIMEOUTS } from '../harness/timeouts.ts';

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
		const sent = await Promise.all(Array.from({ length: count }, () => sender.tryOnce(signal)));
		expect(sent.filter(({ status }) => status !== 201 && status !== 202)).toEqual([]);
		expect(sent.filter(({ status }) => status === 201)).toHaveLength(1);
		const requests = await eventually(
			() => requestsAbout(platform, signal.deployment),
			(all) => expect(countOf(all)).toBe(count),
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
