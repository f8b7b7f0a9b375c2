import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { channelLockMetrics } from './channel-lock-metrics.ts';

function metrics() {
	const registry = new Registry();
	return { observer: channelLockMetrics(registry), text: () => registry.metrics() };
}

describe('metrics of the lock', () => {
	it('have the names, labels and buckets of TD-NOT-001, with the bucket of its target', async () => {
		const { observer, text } = metrics();
		observer.acquired({ key: 'uid-1-slack', holder: 'pod-a_1', seconds: 0.015, takeover: false });
		const series = await text();
		expect(series).toContain('notification_lock_acquisition_failures_total{channel="slack",reason="contention"} 0');
		const buckets = [...series.matchAll(/acquisition_duration_seconds_bucket\{le="([^"]+)",channel="slack"\} (\d+)/g)];
		expect(buckets.map(([, le, count]) => [le, Number(count)])).toEqual([
			['0.001', 0],
			['0.005', 0],
			['0.01', 0],
			['0.02', 1],
			['0.05', 1],
			['0.1', 1],
			['0.5', 1],
			['1', 1],
			['+Inf', 1],
		]);
	});

	it('count attempts, successes and failures by reason', async () => {
		const { observer, text } = metrics();
		const key = 'uid-1-email';
		observer.attempted();
		observer.acquired({ key, holder: 'pod-a_1', seconds: 0.01, takeover: true });
		observer.contended({ key, holder: 'pod-b_1' });
		observer.failed({ key, error: new Error('away') } as never);
		const series = await text();
		for (const line of [
			'notification_lock_acquisition_attempts_total{channel="email"} 3',
			'notification_lock_acquisition_successes_total{channel="email"} 1',
			'notification_lock_acquisition_failures_total{channel="email",reason="contention"} 1',
			'notification_lock_acquisition_failures_total{channel="email",reason="api_error"} 1',
			'notification_lock_takeovers_total{channel="email"} 1',
		])
			expect(series).toContain(line);
	});

	it('measure how long a lock was contended for, once it is acquired', async () => {
		const { observer, text } = metrics();
		const key = 'uid-1-webhook';
		observer.contended({ key, holder: 'pod-b_1' });
		observer.contended({ key, holder: 'pod-b_1' });
		expect(await text()).toContain('notification_lock_contention_duration_seconds_count{channel="webhook"} 0');
		for (let i = 0; i < 2; i++) observer.acquired({ key, holder: 'pod-a_1', seconds: 0.01, takeover: false });
		expect(await text()).toContain('notification_lock_contention_duration_seconds_count{channel="webhook"} 1');
	});

	it('remember a bounded number of contended keys', async () => {
		const { observer, text } = metrics();
		for (let i = 0; i <= 1000; i++) observer.contended({ key: `uid-${i}-slack`, holder: 'pod-b_1' });
		observer.acquired({ key: 'uid-0-slack', holder: 'pod-a_1', seconds: 0.01, takeover: false }); // forgotten
		observer.acquired({ key: 'uid-1000-slack', holder: 'pod-a_1', seconds: 0.01, takeover: false });
		expect(await text()).toContain('notification_lock_contention_duration_seconds_count{channel="slack"} 1');
	});

	it('show releases, losses, orphans and waiters', async () => {
		const { observer, text } = metrics();
		const key = 'uid-1-slack';
		observer.released({ key, heldSeconds: 0.3 } as never);
		observer.releaseFailed({ key } as never);
		observer.lost({ key, loss: 'taken' } as never);
		observer.swept({} as never);
		observer.waiting(3);
		const series = await text();
		for (const line of [
			'notification_lock_releases_total{channel="slack",result="removed"} 1',
			'notification_lock_releases_total{channel="slack",result="failed"} 1',
			'notification_lock_hold_duration_seconds_sum{channel="slack"} 0.3',
			'notification_lock_lost_total{channel="slack",reason="taken"} 1',
			'notification_lock_orphans_removed_total 1',
			'notification_lock_waiters 3',
		])
			expect(series).toContain(line);
	});

	it.each([
		['uid-1-slack', 'slack'],
		['slack:fingerprint-email', 'email'],
		['webhook/fingerprint', 'webhook'],
		['fingerprint', 'other'],
	])('a key %s is of the channel %s', async (key, channel) => {
		const { observer, text } = metrics();
		observer.contended({ key, holder: 'pod-b_1' });
		expect(await text()).toContain(
			`notification_lock_acquisition_failures_total{channel="${channel}",reason="contention"} 1`,
		);
	});
});
