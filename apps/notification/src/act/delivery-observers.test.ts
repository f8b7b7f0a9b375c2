// What metrics and log show of each thing that happens to a delivery.
import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { aClaim } from '../../test/harness/made-up.ts';
import { deliveryLog } from './delivery-log.ts';
import { deliveryMetrics } from './delivery-metrics.ts';
import type { DeliveryObserver } from './delivery-observer.ts';

type Line = { readonly level: string; readonly fields: object; readonly text: string };
type Row = {
	readonly what: string;
	readonly happens: (observer: DeliveryObserver) => void;
	/** Series that have another value than at the start. */
	readonly wantSeries: readonly string[];
	readonly wantLine?: Line;
};

const delivery = aClaim({ state: 'Failed', attempt: 2, refusals: 1, reason: 'Throttled', error: 'answered 429' });
const about = { name: 'nr-1', channel: 'slack' } as const;
const ended = { ...about, attempt: 2, refusals: 1, reason: 'Throttled', error: 'answered 429' };
const fault = new Error('the API server is away');

const ROWS: Row[] = [
	{
		what: 'delivered',
		happens: (observer) => observer.ended({ ...about, end: 'delivered', delivery, sendSeconds: 0.3 }),
		wantSeries: [
			'notification_deliveries_total{channel="slack",end="delivered"} 1',
			'notification_send_duration_seconds_sum{channel="slack"} 0.3',
			'notification_send_duration_seconds_bucket{le="0.5",channel="slack"} 1',
		],
		wantLine: { level: 'info', fields: ended, text: 'delivered' },
	},
	{
		what: 'delivered elsewhere, without a send',
		happens: (observer) => observer.ended({ ...about, end: 'delivered-elsewhere', delivery }),
		wantSeries: [
			'notification_deliveries_total{channel="slack",end="delivered-elsewhere"} 1',
			'notification_send_duration_seconds_count{channel="slack"} 0',
		],
		wantLine: { level: 'info', fields: ended, text: 'delivered' },
	},
	{
		what: 'given back',
		happens: (observer) => observer.ended({ ...about, end: 'given-back', delivery }),
		wantSeries: ['notification_deliveries_total{channel="slack",end="given-back"} 1'],
		wantLine: { level: 'info', fields: ended, text: 'claim given back' },
	},
	{
		what: 'refused for now',
		happens: (observer) => observer.ended({ ...about, end: 'refused-for-now', delivery, sendSeconds: 20 }),
		wantSeries: [
			'notification_deliveries_total{channel="slack",end="refused-for-now"} 1',
			'notification_send_duration_seconds_bucket{le="10",channel="slack"} 0',
			'notification_send_duration_seconds_bucket{le="+Inf",channel="slack"} 1',
		],
		wantLine: { level: 'warn', fields: ended, text: 'not delivered' },
	},
	{
		what: 'unknown and repeated',
		happens: (observer) => observer.outcomeUnknown({ ...about, repeated: true }),
		wantSeries: ['notification_outcome_unknown_total{channel="slack",action="repeated"} 1'],
		wantLine: { level: 'warn', fields: { ...about, repeated: true }, text: 'outcome unknown' },
	},
	{
		what: 'unknown and final',
		happens: (observer) => observer.outcomeUnknown({ ...about, repeated: false }),
		wantSeries: ['notification_outcome_unknown_total{channel="slack",action="final"} 1'],
		wantLine: { level: 'warn', fields: { ...about, repeated: false }, text: 'outcome unknown' },
	},
	{
		what: 'taken over',
		happens: (observer) => observer.takenOver({ ...about, from: 'pod-b_1' }),
		wantSeries: ['notification_claims_taken_over_total{channel="slack"} 1'],
		wantLine: { level: 'warn', fields: { ...about, from: 'pod-b_1' }, text: 'claim taken over' },
	},
	{
		what: 'finished',
		happens: (observer) => observer.finished('nr-1', 'PartiallySent'),
		wantSeries: ['notification_requests_finished_total{phase="PartiallySent"} 1'],
		wantLine: { level: 'info', fields: { name: 'nr-1', phase: 'PartiallySent' }, text: 'notification finished' },
	},
	{
		what: 'an attempt that failed',
		happens: (observer) => observer.attemptFailed({ ...about, error: fault }),
		wantSeries: ['notification_attempt_faults_total{channel="slack"} 1'],
		wantLine: { level: 'warn', fields: { ...about, reason: fault.message }, text: 'attempt failed' },
	},
	{
		what: 'an attempt that was put off',
		happens: (observer) => observer.requeued('breaker'),
		wantSeries: ['notification_attempts_postponed_total{reason="breaker"} 1'],
	},
	{
		what: 'a line of messages',
		happens: (observer) => observer.queued('slack', 7),
		wantSeries: ['notification_queue_messages{channel="slack"} 7'],
	},
	{
		what: 'a wait for the pace',
		happens: (observer) => observer.paced('slack', 1.5),
		wantSeries: [
			'notification_pace_wait_seconds_sum{channel="slack"} 1.5',
			'notification_pace_wait_seconds_bucket{le="1",channel="slack"} 0',
			'notification_pace_wait_seconds_bucket{le="2.5",channel="slack"} 1',
		],
	},
	{
		what: 'a lock that cannot be had',
		happens: (observer) => observer.lockUnavailable('slack', 'deliver', 'words of a fault'),
		wantSeries: ['notification_lock_unavailable_total{channel="slack",action="deliver"} 1'],
		wantLine: {
			level: 'warn',
			fields: { channel: 'slack', action: 'deliver', reason: 'words of a fault' },
			text: 'delivery lock unavailable',
		},
	},
	{
		what: 'a breaker that opened',
		happens(observer) {
			observer.breakerChanged('slack', true);
			observer.leftAlone('slack', 5000);
		},
		wantSeries: ['notification_breaker_open{channel="slack"} 1'],
		wantLine: { level: 'warn', fields: { channel: 'slack', isOpen: true }, text: 'breaker changed' },
	},
	{
		what: 'a message that was removed',
		happens: (observer) => observer.removed('Sent'),
		wantSeries: ['notification_requests_removed_total{phase="Sent"} 1'],
	},
	{
		what: 'an Event that was not written',
		happens: (observer) => observer.eventFailed(fault),
		wantSeries: ['notification_event_failures_total 1'],
		wantLine: { level: 'warn', fields: { reason: fault.message }, text: 'Event not written' },
	},
];

describe('metrics', () => {
	it.each(ROWS)('of $what', async ({ happens, wantSeries }) => {
		const registry = new Registry();
		const metrics = deliveryMetrics(registry);
		const before = (await registry.metrics()).split('\n');
		happens(metrics);
		const after = (await registry.metrics()).split('\n');
		for (const series of wantSeries) expect(after).toContain(series);
		expect(after.filter((series) => !before.includes(series)).length).toBeGreaterThan(0);
	});

	it('have every channel and every end at zero from the start', async () => {
		const registry = new Registry();
		deliveryMetrics(registry);
		const text = await registry.metrics();
		for (const channel of ['slack', 'email', 'webhook', 'console', 'file', 'log']) {
			expect(text).toContain(`notification_deliveries_total{channel="${channel}",end="unknown"} 0`);
			expect(text).toContain(`notification_outcome_unknown_total{channel="${channel}",action="final"} 0`);
			expect(text).toContain(`notification_breaker_open{channel="${channel}"} 0`);
		}
	});

	it('of a breaker that closed again', async () => {
		const registry = new Registry();
		const metrics = deliveryMetrics(registry);
		metrics.leftAlone('email', 60_000);
		metrics.breakerChanged('email', false);
		expect(await registry.metrics()).toContain('notification_breaker_open{channel="email"} 0');
	});

	it('of a breaker whose time is over, on a replica that has no other message for the receiver', async () => {
		const registry = new Registry();
		let nowMs = 1000;
		const metrics = deliveryMetrics(registry, () => nowMs);
		metrics.leftAlone('email', 60_000);
		nowMs += 59_999;
		expect(await registry.metrics()).toContain('notification_breaker_open{channel="email"} 1');
		nowMs += 1;
		expect(await registry.metrics()).toContain('notification_breaker_open{channel="email"} 0');
	});
});

describe('log', () => {
	it.each(ROWS)('of $what', ({ happens, wantLine }) => {
		const lines: Line[] = [];
		const at = (level: string) => (fields: object, text: string) => void lines.push({ level, fields, text });
		happens(deliveryLog({ debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }));
		expect(lines).toEqual(wantLine === undefined ? [] : [wantLine]);
	});
});
