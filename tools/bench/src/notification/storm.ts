// A hundred notifications at once, on three replicas and all channels: what arrived, how often, and how often a lock failed.
import type { KubeApi } from '@kubernaut/control-plane';
import { inParallel } from '../gateway/signal-load.ts';
import { median } from '../gateway/statistics.ts';
import type { Report } from '../orchestrator/stage.ts';
import type { Result } from '../result.ts';
import { untilAllFinished } from './arrival.ts';
import { createNotification, type Service } from './service.ts';

const NOTIFICATIONS = 100;
const CHANNELS = ['slack', 'email', 'webhook', 'console', 'file', 'log'] as const;
/** Slack gets one message a second. */
const PATIENCE_MS = 240_000;

export async function measureStorm(api: KubeApi, service: Service, report: Report): Promise<Result[]> {
	const { namespace } = service;
	const names: string[] = [];
	const startedAt = performance.now();
	await inParallel(NOTIFICATIONS, 20, async () => void names.push(await createNotification(api, namespace, CHANNELS)));
	const phases = await untilAllFinished(api, namespace, PATIENCE_MS);
	const took = (performance.now() - startedAt) / 1000;
	const arrived = arrivedTexts(service);
	const times = names.flatMap((name) => arrived.map((texts) => texts.filter((text) => text.includes(name)).length));
	const attempts = await service.sum(/^notification_lock_acquisition_attempts_total\b/);
	// That another replica holds it is what a lock is for, and no failure.
	const failures = await service.sum(/^notification_lock_acquisition_failures_total\{.*reason="api_error"/);
	const contended = await service.sum(/^notification_lock_acquisition_failures_total\{.*reason="contention"/);
	const slackTimes = service.receivers.slack.received.map(({ at }) => at);
	const gaps = slackTimes.slice(1).map((at, index) => at - (slackTimes[index] ?? at));
	report(
		`${NOTIFICATIONS} notifications on ${service.replicas.length} replicas and ${CHANNELS.length} channels in ${took.toFixed(0)} s: ${phases.filter((phase) => phase === 'Sent').length} Sent; ${attempts} attempts at locks, ${failures} failed, ${contended} found it held`,
	);
	for (const [index, many] of times.entries())
		if (many > 1)
			report(
				`${names[Math.floor(index / CHANNELS.length)]} arrived ${many} times on ${CHANNELS[index % CHANNELS.length]}`,
			);
	report(`between two messages to slack: ${median(gaps).toFixed(0)} ms (median)`);
	return [
		{
			name: 'storm100.messages',
			value: times.filter((one) => one > 0).length,
			unit: '',
			target: { exactly: NOTIFICATIONS * CHANNELS.length },
		},
		{
			name: 'duplicates',
			value: times.reduce((sum, one) => sum + Math.max(0, one - 1), 0),
			unit: '',
			target: { exactly: 0 },
		},
		{
			name: 'lockFailureRate',
			value: attempts === 0 ? Number.NaN : failures / attempts,
			unit: '',
			target: { atMost: 0.001 },
		},
		{ name: 'storm100.slackGap.ms', value: Math.min(...gaps), unit: 'ms', target: { atLeast: 1000 } },
	];
}

/** What arrived on each channel, one text a message. */
function arrivedTexts({ receivers, replicas, files }: Service): readonly (readonly string[])[] {
	const lines = replicas.flatMap((replica) => replica.output());
	return [
		receivers.slack.received.map(({ body }) => body),
		receivers.mail.received.map(({ subject }) => subject),
		receivers.webhook.received.map(({ body }) => body),
		lines.filter((line) => line.includes('=== [')),
		files(),
		lines.filter((line) => line.includes('"msg":"notification"')),
	];
}
