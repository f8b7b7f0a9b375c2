// Prometheus metrics. Only this file and its parts (*-metrics.ts) know prom-client. Label values are closed sets, there at zero from start.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { decisionMetrics } from './act/decision-metrics.ts';
import type { DecisionObserver } from './act/reconciler.ts';
import { APP } from './app.ts';
import { controllerMetrics } from './controller/controller-metrics.ts';
import type { QueueObserver } from './controller/work-queue.ts';
import { type LockObserver, lockMetrics } from './distributed-lock.ts';
import type { KubeObserver, KubeVerb } from './kube/kube.ts';

export type Metrics = {
	registry: Registry;
	kube: KubeObserver;
	lock: LockObserver;
	queue: QueueObserver;
	decisions: DecisionObserver;
	ready(value: boolean): void;
};

const VERBS: readonly KubeVerb[] = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'];
const CODES = ['2xx', '401', '403', '404', '409', '410', '422', '429', '4xx', '5xx', 'error'] as const;
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

export function createMetrics(): Metrics {
	const registry = new Registry();
	collectDefaultMetrics({ register: registry });
	const ready = new Gauge({
		name: `${APP.metricsPrefix}ready`,
		help: '1 while this replica is ready for work',
		registers: [registry],
	});
	const requests = new Counter({
		name: `${APP.metricsPrefix}api_requests_total`,
		help: 'Calls to the Kubernetes API by verb, resource and code',
		labelNames: ['verb', 'resource', 'code'],
		registers: [registry],
	});
	const durations = new Histogram({
		name: `${APP.metricsPrefix}api_request_duration_seconds`,
		help: 'Time that calls to the Kubernetes API take, by verb',
		labelNames: ['verb'],
		buckets: SECONDS,
		registers: [registry],
	});
	for (const verb of VERBS) durations.zero({ verb });
	for (const code of CODES) requests.inc({ verb: 'get', resource: 'discovery', code }, 0);
	ready.set(0);
	const { queue, contended } = controllerMetrics(registry);
	return {
		registry,
		lock: lockMetrics(registry),
		queue,
		decisions: decisionMetrics(registry, contended),
		ready: (value) => ready.set(value ? 1 : 0),
		kube: {
			called({ verb, resource }, code, seconds) {
				requests.inc({ verb, resource, code: codeLabel(code) });
				durations.observe({ verb }, seconds);
			},
		},
	};
}

function codeLabel(code: number | 'error'): (typeof CODES)[number] {
	const exact = CODES.find((known) => known === String(code));
	return exact ?? (Number(code) < 300 ? '2xx' : Number(code) < 500 ? '4xx' : '5xx');
}
