import { Counter, Gauge, type Registry } from 'prom-client';
import { APP } from '../app.ts';
import type { RoutingObserver } from './routing.ts';

export function routingMetrics(registry: Registry): RoutingObserver {
	const registers = [registry];
	const files = new Counter({
		name: `${APP.metricsPrefix}routing_files_total`,
		help: 'Versions of the routing file that were read, by result',
		labelNames: ['result'],
		registers,
	});
	const valid = new Gauge({
		name: `${APP.metricsPrefix}routing_file_valid`,
		help: '1 while the routing file that is there is in use; 0 while the last valid one is used instead',
		registers,
	});
	for (const result of ['loaded', 'rejected']) files.inc({ result }, 0);
	valid.set(1);
	return {
		loaded() {
			files.inc({ result: 'loaded' });
			valid.set(1);
		},
		rejected() {
			files.inc({ result: 'rejected' });
			valid.set(0);
		},
	};
}
