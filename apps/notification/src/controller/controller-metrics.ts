// Metrics of the work queue.
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { APP } from '../app.ts';
import type { QueueObserver } from './work-queue.ts';

export type ControllerMetrics = {
	readonly queue: QueueObserver;
	/** The lock of a key is held by another replica, so the key is requeued. */
	contended(): void;
};

const SECONDS = [0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export function controllerMetrics(registry: Registry): ControllerMetrics {
	const prefix = APP.metricsPrefix;
	const registers = [registry];
	const depth = new Gauge({
		name: `${prefix}queue_targets`,
		help: 'Targets in the work queue: due (ready), and being reconciled (running)',
		labelNames: ['state'],
		registers,
	});
	const latency = new Histogram({
		name: `${prefix}queue_latency_seconds`,
		help: 'Time a target waited from being due to being reconciled',
		buckets: SECONDS,
		registers,
	});
	const durations = new Histogram({
		name: `${prefix}reconcile_duration_seconds`,
		help: 'Time one reconcile of a target took',
		buckets: SECONDS,
		registers,
	});
	const requeues = new Counter({
		name: `${prefix}requeues_total`,
		help: 'Targets that were requeued: another replica holds the lock (contention), or the reconcile failed (error)',
		labelNames: ['reason'],
		registers,
	});
	for (const reason of ['contention', 'error']) requeues.inc({ reason }, 0);

	return {
		queue: {
			depth(ready, running) {
				depth.set({ state: 'ready' }, ready);
				depth.set({ state: 'running' }, running);
			},
			started: (seconds) => latency.observe(seconds),
			finished: (seconds) => durations.observe(seconds),
			failed: () => requeues.inc({ reason: 'error' }),
		},
		contended: () => requeues.inc({ reason: 'contention' }),
	};
}
