// What operators measure: every replica exports the metrics of its locks, their sums are what really happened, and a real
// Prometheus with the rules of deploy/components/monitoring computes the targets from them.
import { APPS, type AppName } from '@kubernaut/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { has, sumOf } from '../harness/judging/metrics.ts';
import { type Prometheus, startPrometheus } from '../harness/judging/prometheus.ts';
import { list, putWorkflow } from '../harness/objects.ts';
import { openPlatform } from '../harness/open-platform.ts';
import type { Platform } from '../harness/platform.ts';
import { openSender, type Sender } from '../harness/sending.ts';
import { TIMEOUTS } from '../harness/timeouts.ts';

const PREFIXES: Readonly<Record<AppName, string>> = {
	gateway: 'gateway',
	orchestrator: 'ro',
	'workflow-executor': 'we',
	notification: 'notification',
};
/** Of the seeds, for every app; the gateway's own follow. */
const OF_EACH = [
	'lock_acquisition_attempts_total',
	'lock_acquisition_successes_total',
	'lock_acquisition_failures_total',
	'lock_acquisition_duration_seconds',
	'lock_hold_duration_seconds',
	'lock_releases_total',
];
const OF_RETRIES = ['retry_attempts_total', 'retry_success_total', 'retry_timeout_total', 'backoff_duration_seconds'];
const INCIDENTS = 30;
const SENDERS = 15;
const REPAIRED = 5;

describe('the metrics of the locks', () => {
	let platform: Platform;
	let sender: Sender;
	let prometheus: Prometheus;
	/** In a cluster the pods have worked before. */
	let before: Readonly<Record<AppName, string>>;
	beforeAll(async () => {
		platform = await openPlatform({ apps: APPS });
		sender = await openSender(platform);
		prometheus = await startPrometheus(platform);
		before = await readAll();
		await platform.putPipeline('restart', { seconds: 1 });
		await putWorkflow(platform, 'restart', ['Measured']);
		// Equal signals at once at all replicas: they meet at the lock, and retry.
		for (let i = 0; i < INCIDENTS; i++) {
			const signal = { alertname: i < REPAIRED ? 'Measured' : 'NotHandled', deployment: `measured-${i}` };
			await Promise.all(Array.from({ length: SENDERS }, () => sender.send(signal)));
		}
		return () => sender.close();
	});

	it.each(APPS)('are exported by every %s', async (app) => {
		const names = [
			...OF_EACH.map((name) => `${PREFIXES[app]}_${name}`),
			...(app === 'gateway' ? OF_RETRIES.map((name) => `gateway_lock_${name}`) : []),
		];
		const replicas = await platform.replicas(app);
		expect(replicas).toHaveLength(3);
		for (const replica of replicas) {
			const text = await replica.metrics();
			expect(
				names.filter((name) => !has(text, name)),
				replica.name,
			).toEqual([]);
		}
	});

	it('say what happened: attempts are successes and failures, signals are those that were sent', async () => {
		const now = await readAll();
		const sum = (metric: string, labels?: string) => grown(now, 'gateway', metric, labels);
		expect(sum('signals_total', 'status="created"')).toBe(INCIDENTS);
		expect(sum('signals_total', 'status="duplicate"')).toBe(INCIDENTS * (SENDERS - 1));
		const { successes, failures } = {
			successes: sum('lock_acquisition_successes_total'),
			failures: sum('lock_acquisition_failures_total'),
		};
		expect(successes).toBeGreaterThanOrEqual(INCIDENTS);
		expect(sum('lock_acquisition_attempts_total')).toBe(successes + failures);
		expect(await list(platform, 'remediationrequests')).toHaveLength(INCIDENTS);
	});

	it.each(APPS)('of %s are right: each attempt is a success or a failure', async (app) => {
		await eventually(
			() => list(platform, 'notificationrequests'),
			(all) => {
				expect(all).toHaveLength(INCIDENTS); // one for each end, and for each request without a workflow
				expect(all.filter(({ status }) => status?.phase !== 'Sent')).toEqual([]);
			},
			TIMEOUTS.allMessagesMs,
		);
		const now = await readAll();
		const sum = (metric: string) => grown(now, app, metric);
		const successes = sum('lock_acquisition_successes_total');
		expect(sum('lock_acquisition_attempts_total')).toBe(successes + sum('lock_acquisition_failures_total'));
		expect(sum('lock_acquisition_duration_seconds_count')).toBeGreaterThanOrEqual(successes);
		expect(successes).toBeGreaterThanOrEqual(
			{ gateway: INCIDENTS, orchestrator: REPAIRED, 'workflow-executor': REPAIRED, notification: INCIDENTS }[app],
		);
	});

	async function readAll(): Promise<Record<AppName, string>> {
		const texts = await Promise.all(
			APPS.map(async (app) => {
				const replicas = await platform.replicas(app);
				return [app, (await Promise.all(replicas.map((replica) => replica.metrics()))).join('\n')] as const;
			}),
		);
		return Object.fromEntries(texts) as Record<AppName, string>;
	}

	/** Over all replicas, since the scenario began. */
	function grown(now: Readonly<Record<AppName, string>>, app: AppName, metric: string, labels?: string): number {
		const of = (text: string) => sumOf(text, `${PREFIXES[app]}_${metric}`, labels);
		return of(now[app]) - of(before[app]);
	}

	it('meet the targets, as Prometheus computes them', async () => {
		const value = (record: string) => prometheus.query(`${record}{app="gateway"}`);
		const figures = await eventually(
			async () => ({
				success: await value('kubernaut:lock_success:ratio5m'),
				contention: await value('kubernaut:lock_contention:ratio5m'),
				p95Seconds: await value('kubernaut:lock_acquisition_seconds:p95_5m'),
				retrySuccess: await value('kubernaut:lock_retry_success:ratio5m'),
				retryTimeout: await value('kubernaut:lock_retry_timeout:ratio5m'),
				backoffP50: await value('kubernaut:lock_backoff_seconds:p50_5m'),
				backoffP95: await value('kubernaut:lock_backoff_seconds:p95_5m'),
			}),
			(all) => {
				expect(Object.values(all).every((figure) => figure !== undefined)).toBe(true);
				// What happened stays in the window meanwhile: waiting hides no failure.
				expect(all.success).toBeGreaterThan(0.999);
			},
		);
		console.info(figures);
		// Contention is what this scenario makes, and the time to a lock is that of this machine: both are shown, not judged.
		expect(figures.success).toBeGreaterThan(0.999);
		expect(figures.retrySuccess).toBeGreaterThan(0.99);
		expect(figures.retryTimeout).toBeLessThan(0.001);
		expect(figures.backoffP50).toBeLessThan(figures.backoffP95 ?? 0);
	});
});
