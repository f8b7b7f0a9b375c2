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
