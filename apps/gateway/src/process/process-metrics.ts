// Metrics of the process itself. Label values of all metrics are closed sets, present at zero from the start.
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { APP } from '../app.ts';

export type ProcessMetrics = { readonly registry: Registry; ready(value: boolean): void; logLineDropped(): void };

export function processMetrics(): ProcessMetrics {
	const registry = new Registry();
	collectDefaultMetrics({ register: registry });
	const ready = new Gauge({
		name: `${APP.metricsPrefix}ready`,
		help: '1 while this replica is ready for work',
		registers: [registry],
	});
	ready.set(0);
	const logLinesDropped = new Counter({
		name: `${APP.metricsPrefix}log_lines_dropped_total`,
		help: 'Log lines that were dropped because the standard output was not read',
		registers: [registry],
	});
	return {
		registry,
		ready: (value) => ready.set(value ? 1 : 0),
		logLineDropped: () => logLinesDropped.inc(),
	};
}
