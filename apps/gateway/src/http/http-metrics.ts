// Metrics of the HTTP side.
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { APP } from '../app.ts';
import { OVERLOAD_REASONS } from '../guard/admission.ts';
import { AUTH_OUTCOMES, AUTH_SOURCES } from '../guard/auth.ts';
import { BREAKER_STATES } from '../guard/breaker.ts';
import { DEFERRAL_REASONS } from '../signal/signal.ts';
import { HTTP_ROUTES, type HttpObserver } from './http-observer.ts';
import { SIGNAL_STATUSES } from './signal-result.ts';

const CODES = ['2xx', '207', '4xx', '503', '5xx', 'gone'] as const;
const SECONDS = [0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function httpMetrics(registry: Registry): HttpObserver {
	const prefix = APP.metricsPrefix;
	const registers = [registry];
	const requests = new Counter({
		name: `${prefix}http_requests_total`,
		help: 'HTTP requests by route and code; gone: the client left before the answer',
		labelNames: ['route', 'code'],
		registers,
	});
	const durations = new Histogram({
		name: `${prefix}http_request_duration_seconds`,
		help: 'Time from the arrival of an HTTP request to its answer, by route',
		labelNames: ['route'],
		buckets: SECONDS,
		registers,
	});
	const signals = new Counter({
		name: `${prefix}signals_total`,
		help: 'Signals by type and status: created, duplicate, resolved, ignored, deferred (send again), rejected (for good)',
		labelNames: ['type', 'status'],
		registers,
	});
	const deferred = new Counter({
		name: `${prefix}signals_deferred_total`,
		help: 'Valid signals that were deferred, by reason; without those past the request deadline',
		labelNames: ['reason'],
		registers,
	});
	const rejectedByApi = new Counter({
		name: `${prefix}signals_rejected_by_api_total`,
		help: 'Signals that the Kubernetes API rejected for good; they are lost, the log says why',
		registers,
	});
	const leftOut = new Counter({
		name: `${prefix}alerts_left_out_total`,
		help: 'Alerts that Alertmanager left out because of its own limit, max_alerts; they are lost',
		registers,
	});
	const notOurs = new Counter({
		name: `${prefix}signals_not_ours_total`,
		help: 'Signals of other clusters (OTHER_CLUSTERS), which are ignored',
		registers,
	});
	const secondCluster = new Counter({
		name: `${prefix}signals_of_second_cluster_total`,
		help: 'Signals that name another cluster than the first one seen, while CLUSTER_NAME is not set',
		registers,
	});
	const decisions = new Counter({
		name: `${prefix}auth_decisions_total`,
		help: 'Decisions on senders, by decision and by where it came from',
		labelNames: ['decision', 'from'],
		registers,
	});
	const overloads = new Counter({
		name: `${prefix}overload_rejections_total`,
		help: 'HTTP requests rejected for overload, by reason',
		labelNames: ['reason'],
		registers,
	});
	const load = new Gauge({
		name: `${prefix}requests_in_work`,
		help: 'HTTP requests with signals that are not answered yet',
		registers,
	});
	const bytes = new Gauge({
		name: `${prefix}body_bytes_in_work`,
		help: 'Memory that is reserved for bodies that are read or handled now',
		registers,
	});
	const breaker = new Gauge({
		name: `${prefix}circuit_breaker_state`,
		help: '1 for the current state of the circuit breaker of the Kubernetes API',
		labelNames: ['state'],
		registers,
	});
	for (const route of HTTP_ROUTES) {
		durations.zero({ route });
		for (const code of CODES) requests.inc({ route, code }, 0);
	}
	for (const type of ['alert', 'event']) for (const status of SIGNAL_STATUSES) signals.inc({ type, status }, 0);
	for (const reason of DEFERRAL_REASONS) deferred.inc({ reason }, 0);
	for (const decision of AUTH_OUTCOMES) for (const from of AUTH_SOURCES) decisions.inc({ decision, from }, 0);
	for (const reason of OVERLOAD_REASONS) overloads.inc({ reason }, 0);
	const showBreaker = (current: string) => {
		for (const state of BREAKER_STATES) breaker.set({ state }, state === current ? 1 : 0);
	};
	showBreaker('closed');
	return {
		answered({ route, status, seconds }) {
			requests.inc({ route, code: codeLabel(status) });
			durations.observe({ route }, seconds);
		},
		signal: (status, type) => signals.inc({ type, status }),
		deferred: (_requestId, reason) => deferred.inc({ reason }),
		rejected: () => rejectedByApi.inc(),
		leftOut: (_requestId, alerts) => leftOut.inc(alerts),
		failed() {},
		notOurs: () => notOurs.inc(),
		secondCluster: () => secondCluster.inc(),
		clientError: (status) => requests.inc({ route: 'other', code: codeLabel(status) }),
		reviewFailed() {},
		breakerChanged: showBreaker,
		decided: (decision, from) => decisions.inc({ decision, from }),
		overloaded: (reason) => overloads.inc({ reason }),
		load: (requestsInWork) => load.set(requestsInWork),
		bytesInWork: (inWork) => bytes.set(inWork),
	};
}

function codeLabel(status: number | 'gone'): (typeof CODES)[number] {
	if (status === 'gone') return 'gone';
	if (status === 207) return '207';
	if (status === 503) return '503';
	return status < 300 ? '2xx' : status < 500 ? '4xx' : '5xx';
}
