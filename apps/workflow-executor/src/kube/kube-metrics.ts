// Metrics of the calls to the API server.
import { Counter, Histogram, type Registry } from 'prom-client';
import { APP } from '../app.ts';
import type { KubeObserver, KubeVerb } from './kube.ts';

const VERBS: readonly KubeVerb[] = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'];
const CODES = ['2xx', '401', '403', '404', '409', '410', '422', '429', '4xx', '5xx', 'error'] as const;
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

export function kubeMetrics(registry: Registry): KubeObserver {
	const requests = new Counter({
		name: `${APP.metricsPrefix}api_requests_total`,
		help: 'Calls to the Kubernetes API by verb, resource and code',
		labelNames: ['verb', 'resource', 'code'],
		registers: [registry],
	});
	const durations = new Histogram({
		name: `${APP.metricsPrefix}api_request_duration_seconds`,
		help: 'Duration of calls to the Kubernetes API, by verb',
		labelNames: ['verb'],
		buckets: SECONDS,
		registers: [registry],
	});
	for (const verb of VERBS) durations.zero({ verb });
	for (const code of CODES) requests.inc({ verb: 'get', resource: 'discovery', code }, 0);
	return {
		called({ verb, resource }, code, seconds) {
			requests.inc({ verb, resource, code: codeLabel(code) });
			durations.observe({ verb }, seconds);
		},
	};
}

function codeLabel(code: number | 'error'): (typeof CODES)[number] {
	const exact = CODES.find((known) => known === String(code));
	return exact ?? (Number(code) < 300 ? '2xx' : Number(code) < 500 ? '4xx' : '5xx');
}
