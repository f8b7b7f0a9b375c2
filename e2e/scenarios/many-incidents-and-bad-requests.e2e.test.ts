// 50 incidents of 20 signals each, in a random order, and bad requests among them: each incident is one request that has
// counted its own, every bad request is rejected, and neither disturbs the other.
import { beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { countOf, list } from '../harness/objects.ts';
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
		const tries = new Map<string, number>();
		const good = inRandomOrder(signals).map(async (signal) => {
			const sent = await sender.send(signal);
			tries.set(signal.deployment, (tries.get(signal.deployment) ?? 0) + sent.tries);
			return sent;
		});
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
				expect(requests).toHaveLength(INCIDENTS);
				const wrong = requests
					.map((request) => ({ name: request['spec'].targetResource.name as string, count: countOf([request]) }))
					// Exact, unless a sender that was asked to come back came back: then it may be counted with each try.
					.filter(({ name, count }) => count < EACH || count > (tries.get(name) ?? 0));
				expect(wrong).toEqual([]);
			},
			TIMEOUTS.settledMs,
		);
		const all = [...tries.values()].reduce((sum, count) => sum + count, 0);
		console.info(`${signals.length} signals, ${all - signals.length} sent again`);
	});
});

function inRandomOrder<T>(all: readonly T[]): T[] {
	return all
		.map((one) => ({ one, at: Math.random() }))
		.toSorted((a, b) => a.at - b.at)
		.map(({ one }) => one);
}
