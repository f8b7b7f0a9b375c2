// Metrics of the retries around the lock, and of the places of work.
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { APP } from '../app.ts';
import { LOCK_ATTEMPTS, type RetryObserver } from './ingest-signal.ts';
import type { WorkObserver } from './work-places.ts';

export function retryMetrics(registry: Registry): RetryObserver {
	const prefix = `${APP.metricsPrefix}lock_`;
	const registers = [registry];
	const attempts = new Counter({
		name: `${prefix}retry_attempts_total`,
		help: 'Attempts after the first that were scheduled; equal signals of a pod share their attempts',
		registers,
	});
	const success = new Counter({
		name: `${prefix}retry_success_total`,
		help: 'Signals that succeeded after a retry',
		registers,
	});
	const timeout = new Counter({
		name: `${prefix}retry_timeout_total`,
		help: 'Signals that were deferred after all attempts',
		registers,
	});
	const backoff = new Histogram({
		name: `${prefix}backoff_duration_seconds`,
		help: 'Scheduled waits between attempts, by the attempt before; the watch may end them early',
		labelNames: ['attempt'],
		buckets: [0.1, 0.25, 0.5, 1, 2],
		registers,
	});
	for (let attempt = 1; attempt < LOCK_ATTEMPTS; attempt++) backoff.zero({ attempt: String(attempt) });
	return {
		retrying({ attempt, delayMs }) {
			attempts.inc();
			backoff.observe({ attempt: String(attempt) }, delayMs / 1000);
		},
		retrySucceeded: () => success.inc(),
		retryTimedOut: () => timeout.inc(),
	};
}

export function workMetrics(registry: Registry): WorkObserver {
	const places = new Gauge({
		name: `${APP.metricsPrefix}work`,
		help: 'Pieces of work for the Kubernetes API (an attempt at a lock, a write) that run now, and that wait for a place',
		labelNames: ['state'],
		registers: [registry],
	});
	const show = (busy: number, waiting: number) => {
		places.set({ state: 'running' }, busy);
		places.set({ state: 'waiting' }, waiting);
	};
	show(0, 0);
	return { places: show };
}
