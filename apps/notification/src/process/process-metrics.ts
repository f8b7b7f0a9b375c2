// Metrics of the process itself. Label values of all metrics are closed sets, present at zero from the start.
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { APP } from '../app.ts';

export type ProcessMetrics = { readonly registry: Registry; ready(value: boolean): void };

export function processMetrics(): ProcessMetrics {
	const registry = new Registry();
	collectDefaultMetrics({ register: registry });
	const ready = new Gauge({
		name: `${APP.metricsPrefix}ready`,
		help: '1 while this replica is ready for work',
		registers: [registry],
	});
	ready.set(0);
	return { registry, ready: (value) => ready.set(value ? 1 : 0) };
}
