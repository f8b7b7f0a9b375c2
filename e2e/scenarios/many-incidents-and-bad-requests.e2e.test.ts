// 50 incidents of 20 signals each, in a random order, and bad requests among them: each incident is one request that has
// counted its own, every bad request is rejected, and neither disturbs the other.
import { beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { list } from '../harness/objects.ts';
import { openPlatform } from '../harness/open-platform.ts';
import type { Platform } from '../harness/platform.ts';
import { openSender, type Sender } from '../harness/sending.ts';
import { TIMEOUTS } from '../harness/timeouts.ts';
import { type Signal, webhook } from '../harness/webhook.ts';

const INCIDENTS = 50;
const EACH = 20;
const BAD: readonly { body: string; contentType?: string }[] = [
	{ body: '' },
	{ body: '{' },
	{ body: '[]' },
	{ body: '{"version":"4","alerts":"none"}' },
	{ body: webhook({ alertname: '', deployment: 'x' }) },
	{ body: webhook({ alertname: 'Fine', deployment: 'x' }), contentType: 'text/plain' },
];

describe('many incidents among bad requests', () => {
	let platform: Platform;
	let sender: Sender;
	beforeAll(async () => {
		platform = await openPlatform({ apps: ['gateway'] });
		sender = await openSender(platform);
		return () => sender.close();
	});

	it(`${INCIDENTS} × ${EACH} signals are ${INCIDENTS} requests with ${EACH} each`, async () => {
		const signals: Signal[] = Array.from({ length: INCIDENTS * EACH }, (_, i) => ({
			alertname: 'KubePodCrashLooping',
			deployment: `service-${i % INCIDENTS}`,
		}));
		const good = inRandomOrder(signals).map((signal) => sender.send(signal));
		const bad = Array.from({ length: 10 }, () => BAD).flatMap((all) =>
			all.map(({ body, contentType }) => sender.post(body, contentType)),
		);
		const sent = await Promise.all(good);
		expect(sent.filter(({ status }) => status !== 201 && status !== 202)).toEqual([]);
		const rejected = await Promise.all(bad);
		expect(rejected.filter((status) => status < 400 || status >= 500)).toEqual([]);
		await eventually(
			() => list(platform, 'remediationrequests'),
			(requests) => {
				const counts = requests.map(({ status }) => status.deduplication.occurrenceCount as number);
				expect(counts).toHaveLength(INCIDENTS);
				expect(counts.reduce((sum, count) => sum + count, 0)).toBe(INCIDENTS * EACH);
				expect(counts).toEqual(Array(INCIDENTS).fill(EACH));
			},
			TIMEOUTS.settledMs,
		);
	});
});

function inRandomOrder<T>(all: readonly T[]): T[] {
	return all
		.map((one) => ({ one, at: Math.random() }))
		.toSorted((a, b) => a.at - b.at)
		.map(({ one }) => one);
}
