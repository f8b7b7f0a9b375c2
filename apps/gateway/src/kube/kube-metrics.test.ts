import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { APP } from '../app.ts';
import { kubeMetrics } from './kube-metrics.ts';

describe('metrics of calls to the API server', () => {
	const call = { verb: 'get', path: '/x', resource: 'discovery' } as const;

	it.each([
		{ code: 200, want: '2xx' },
		{ code: 201, want: '2xx' },
		{ code: 403, want: '403' },
		{ code: 409, want: '409' },
		{ code: 418, want: '4xx' },
		{ code: 503, want: '5xx' },
		{ code: 'error' as const, want: 'error' },
	])('code $code counts as $want', async ({ code, want }) => {
		const registry = new Registry();
		kubeMetrics(registry).called(call, code, 0.01);
		const text = await registry.metrics();
		expect(text).toContain(`${APP.metricsPrefix}api_requests_total{verb="get",resource="discovery",code="${want}"} 1`);
	});

	it('are present at zero before the first call', async () => {
		const registry = new Registry();
		kubeMetrics(registry);
		const text = await registry.metrics();
		expect(text).toContain(`${APP.metricsPrefix}api_requests_total{verb="get",resource="discovery",code="5xx"} 0`);
		expect(text).toContain(`${APP.metricsPrefix}api_request_duration_seconds_count{verb="create"} 0`);
	});
});
