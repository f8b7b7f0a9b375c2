// Metrics of the lock, by channel: the names, labels and buckets of TD-NOT-001, with the bucket of the 20 ms target added.
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { APP } from '../../app.ts';
import { LOSSES, type LockObserver } from '../../distributed-lock.ts';
import { EXTERNAL_CHANNELS } from './external-channels.ts';

const SECONDS = [0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1];
/** Of a key that names no channel of ours. */
const OTHER = 'other';
const CHANNELS: readonly string[] = [...EXTERNAL_CHANNELS, OTHER];

export function channelLockMetrics(registry: Registry): LockObserver {
	const prefix = `${APP.metricsPrefix}lock_`;
	const registers = [registry];
	const counter = (name: string, help: string, ...labels: string[]) =>
		new Counter({ name: `${prefix}${name}`, help, labelNames: ['channel', ...labels], registers });
	const histogram = (name: string, help: string, buckets: number[]) =>
		new Histogram({ name: `${prefix}${name}`, help, labelNames: ['channel'], buckets, registers });

	const attempts = counter('acquisition_attempts_total', 'Attempts to acquire a lock that ended');
	const successes = counter('acquisition_successes_total', 'Attempts that acquired the lock');
	const failures = counter(
		'acquisition_failures_total',
		'Attempts that did not acquire the lock: another pod holds it (contention), or the API server failed (api_error)',
		'reason',
	);
	const acquisition = histogram('acquisition_duration_seconds', 'Duration of one successful attempt', SECONDS);
	const hold = histogram('hold_duration_seconds', 'Time a lock was held, release included', [
		...SECONDS,
		5,
		10,
		30,
		60,
	]);
	const contention = histogram(
		'contention_duration_seconds',
		'Time from the first attempt that found the lock held by another pod until this pod acquired it',
		[...SECONDS, 5, 10, 30, 60],
	);
	const releases = counter(
		'releases_total',
		'Releases: the lease was removed (removed), or is left to expire (failed)',
		'result',
	);
	const takeovers = counter('takeovers_total', 'Locks taken over from a holder that stopped renewing');
	const lost = counter(
		'lost_total',
		'Locks lost while work ran under them: not renewed in time (expired), taken by another pod (taken), or deleted (removed)',
		'reason',
	);
	const swept = new Counter({
		name: `${prefix}orphans_removed_total`,
		help: 'Leases of dead holders that the sweeper removed',
		registers,
	});
	const waiters = new Gauge({
		name: `${prefix}waiters`,
		help: 'Callers that wait for a lock in this process',
		registers,
	});

	for (const channel of CHANNELS) {
		for (const plain of [attempts, successes, takeovers]) plain.inc({ channel }, 0);
		for (const reason of ['contention', 'api_error']) failures.inc({ channel, reason }, 0);
		for (const result of ['removed', 'failed']) releases.inc({ channel, result }, 0);
		for (const reason of LOSSES) lost.inc({ channel, reason }, 0);
		for (const times of [acquisition, hold, contention]) times.zero({ channel });
	}
	/** By key: when it was first found held by another. */
	const contendedSince = new Map<string, number>();
	const rememberContention = (key: string) => {
		if (contendedSince.has(key)) return;
		for (const oldest of contendedSince.keys()) if (contendedSince.size >= MAX_CONTENDED) contendedSince.delete(oldest);
		contendedSince.set(key, performance.now());
	};
	return {
		attempted() {},
		acquired({ key, seconds, takeover }) {
			const channel = channelOf(key);
			attempts.inc({ channel });
			successes.inc({ channel });
			acquisition.observe({ channel }, seconds);
			if (takeover) takeovers.inc({ channel });
			const since = contendedSince.get(key);
			if (since !== undefined) contention.observe({ channel }, (performance.now() - since) / 1000);
			contendedSince.delete(key);
		},
		contended({ key }) {
			attempts.inc({ channel: channelOf(key) });
			failures.inc({ channel: channelOf(key), reason: 'contention' });
			rememberContention(key);
		},
		failed({ key }) {
			attempts.inc({ channel: channelOf(key) });
			failures.inc({ channel: channelOf(key), reason: 'api_error' });
		},
		released({ key, heldSeconds }) {
			releases.inc({ channel: channelOf(key), result: 'removed' });
			hold.observe({ channel: channelOf(key) }, heldSeconds);
		},
		releaseFailed: ({ key }) => releases.inc({ channel: channelOf(key), result: 'failed' }),
		lost: ({ key, loss }) => lost.inc({ channel: channelOf(key), reason: loss }),
		swept: () => swept.inc(),
		waiting: (count) => waiters.set(count),
	};
}

/** Most keys that were found held are delivered by another pod, and never acquired here. */
const MAX_CONTENDED = 1000;

/** A key ends with its channel; one of a template may have it anywhere. */
function channelOf(key: string): string {
	const words = key.split(/[^a-z]+/);
	return (
		EXTERNAL_CHANNELS.findLast((channel) => words.at(-1) === channel) ??
		EXTERNAL_CHANNELS.find((channel) => words.includes(channel)) ??
		OTHER
	);
}
