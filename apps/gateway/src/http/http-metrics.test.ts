import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { httpMetrics } from './http-metrics.ts';
import type { AnswerEvent } from './http-observer.ts';

const answered = (status: AnswerEvent['status']): AnswerEvent => ({
	requestId: 'id',
	method: 'POST',
	route: '/api/v1/signals/prometheus',
	status,
	seconds: 0.1,
});

async function seriesOf(registry: Registry): Promise<string[]> {
	const lines = (await registry.metrics()).split('\n');
	return lines.filter((line) => line !== '' && !line.startsWith('#')).map((line) => line.replace(/ [^ ]+$/, ''));
}

describe('the metrics of the HTTP side', () => {
	it('every series of the HTTP metrics is there from the start', async () => {
		const registry = new Registry();
		const observer = httpMetrics(registry);
		const before = await seriesOf(registry);
		for (const status of [200, 201, 202, 207, 400, 401, 413, 500, 503, 504, 'gone'] as const)
			observer.answered(answered(status));
		for (const type of ['alert', 'event'] as const)
			for (const status of ['created', 'duplicate', 'resolved', 'ignored', 'deferred', 'rejected'] as const)
				observer.signal(status, type);
		observer.deferred('id', 'lock-timeout', 'anything');
		observer.rejected('id', 'anything else');
		observer.leftOut('id', 7);
		observer.decided('allowed', 'cache');
		observer.decided('unavailable', 'api');
		observer.decided('unauthenticated', 'request');
		observer.overloaded('requests');
		observer.load(3);
		observer.bytesInWork(5);
		observer.breakerChanged('half-open');
		observer.clientError(431);
		expect(await seriesOf(registry)).toEqual(before);
	});

	it.each([
		{ status: 201, want: '2xx' },
		{ status: 207, want: '207' },
		{ status: 431, want: '4xx' },
		{ status: 503, want: '503' },
		{ status: 500, want: '5xx' },
		{ status: 504, want: '5xx' },
		{ status: 'gone', want: 'gone' },
	] as const)('an answer $status is counted under code $want', async ({ status, want }) => {
		const registry = new Registry();
		httpMetrics(registry).answered(answered(status));
		expect(await registry.metrics()).toMatch(
			new RegExp(`http_requests_total\\{route="/api/v1/signals/prometheus",code="${want}"\\} 1`),
		);
	});

	it('the breaker is shown in exactly one state', async () => {
		const registry = new Registry();
		httpMetrics(registry).breakerChanged('open');
		const shown = (await registry.metrics()).match(/circuit_breaker_state\{.*/g);
		expect(shown?.toSorted()).toEqual([
			expect.stringMatching(/"closed"\} 0$/),
			expect.stringMatching(/"half-open"\} 0$/),
			expect.stringMatching(/"open"\} 1$/),
		]);
	});
});
