// Metrics of the lock.
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { APP } from '../app.ts';
import { LOSSES } from './lock-errors.ts';
import type { LockObserver } from './lock-ports.ts';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

export function lockMetrics(registry: Registry): LockObserver {
	const prefix = `${APP.metricsPrefix}lock_`;
	const registers = [registry];
	const attempts = new Counter({
		name: `${prefix}acquisition_attempts_total`,
		help: 'Attempts to acquire a lock',
		registers,
	});
	const successes = new Counter({
		name: `${prefix}acquisition_successes_total`,
		help: 'Attempts that acquired the lock',
		registers,
	});
	const failures = new Counter({
		name: `${prefix}acquisition_failures_total`,
		help: 'Attempts that did not acquire the lock: another pod holds it (contention), or the API server failed (api_error)',
		labelNames: ['reason'],
		registers,
	});
	const acquisition = new Histogram({
		name: `${prefix}acquisition_duration_seconds`,
		help: 'Duration of one successful attempt',
		buckets: SECONDS,
		registers,
	});
	const hold = new Histogram({
		name: `${prefix}hold_duration_seconds`,
		help: 'Time a lock was held, release included',
		buckets: [...SECONDS, 10, 30, 60],
		registers,
	});
	const releases = new Counter({
		name: `${prefix}releases_total`,
		help: 'Releases: the lease was removed (removed), or is left to expire (failed)',
		labelNames: ['result'],
		registers,
	});
	const takeovers = new Counter({
		name: `${prefix}takeovers_total`,
		help: 'Locks taken over from a holder that stopped renewing',
		registers,
	});
	const lost = new Counter({
		name: `${prefix}lost_total`,
		help: 'Locks lost while work ran under them: not renewed in time (expired), taken by another pod (taken), or deleted (removed)',
		labelNames: ['reason'],
		registers,
	});
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
	for (const reason of ['contention', 'api_error']) failures.inc({ reason }, 0);
	for (const result of ['removed', 'failed']) releases.inc({ result }, 0);
	for (const reason of LOSSES) lost.inc({ reason }, 0);
	return {
		attempted: () => attempts.inc(),
		acquired({ seconds, takeover }) {
			successes.inc();
			acquisition.observe(seconds);
			if (takeover) takeovers.inc();
		},
		contended: () => failures.inc({ reason: 'contention' }),
		failed: () => failures.inc({ reason: 'api_error' }),
		released({ heldSeconds }) {
			releases.inc({ result: 'removed' });
			hold.observe(heldSeconds);
		},
		releaseFailed: () => releases.inc({ result: 'failed' }),
		lost: ({ loss }) => lost.inc({ reason: loss }),
		swept: () => swept.inc(),
		waiting: (count) => waiters.set(count),
	};
}
