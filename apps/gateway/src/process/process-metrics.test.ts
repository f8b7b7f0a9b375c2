import { expect, it } from 'vitest';
import { APP } from '../app.ts';
import { processMetrics } from './process-metrics.ts';

it('the ready gauge is 0 from the start and follows readiness', async () => {
	const { registry, ready } = processMetrics();
	expect(await registry.metrics()).toContain(`${APP.metricsPrefix}ready 0`);
	ready(true);
	expect(await registry.metrics()).toContain(`${APP.metricsPrefix}ready 1`);
	ready(false);
	expect(await registry.metrics()).toContain(`${APP.metricsPrefix}ready 0`);
});

it('dropped log lines are counted from 0 on', async () => {
	const { registry, logLineDropped } = processMetrics();
	expect(await registry.metrics()).toContain(`${APP.metricsPrefix}log_lines_dropped_total 0`);
	logLineDropped();
	expect(await registry.metrics()).toContain(`${APP.metricsPrefix}log_lines_dropped_total 1`);
});
