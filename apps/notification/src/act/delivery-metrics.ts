// Metrics of deliveries.
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { APP } from '../app.ts';
import {
	NOTIFICATION_REQUEST_CHANNELS as CHANNELS,
	NOTIFICATION_REQUEST_PHASES as PHASES,
} from '../generated/notification-request.ts';
import type { DeliveryObserver } from './delivery-observer.ts';

const ENDS = [
	'delivered',
	'delivered-elsewhere',
	'refused-for-now',
	'refused-for-good',
	'unknown',
	'given-back',
] as const;
const SECONDS = [0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** `now` is monotonic. */
export function deliveryMetrics(registry: Registry, now: () => number = () => performance.now()): DeliveryObserver {
	const prefix = APP.metricsPrefix;
	const registers = [registry];
	const deliveries = new Counter({
		name: `${prefix}deliveries_total`,
		help: 'Attempts that ended, by channel and end',
		labelNames: ['channel', 'end'],
		registers,
	});
	const sends = new Histogram({
		name: `${prefix}send_duration_seconds`,
		help: 'Duration of one send, by channel',
		labelNames: ['channel'],
		buckets: SECONDS,
		registers,
	});
	const unknown = new Counter({
		name: `${prefix}outcome_unknown_total`,
		help: 'Sends whose outcome is not known: sent again (repeated), or not (final)',
		labelNames: ['channel', 'action'],
		registers,
	});
	const takeovers = new Counter({
		name: `${prefix}claims_taken_over_total`,
		help: 'Claims whose owner stopped, and that were taken over',
		labelNames: ['channel'],
		registers,
	});
	const finished = new Counter({
		name: `${prefix}requests_finished_total`,
		help: 'NotificationRequests that were finished, by phase',
		labelNames: ['phase'],
		registers,
	});
	const removed = new Counter({
		name: `${prefix}requests_removed_total`,
		help: 'Finished NotificationRequests that were removed after their retention, by phase',
		labelNames: ['phase'],
		registers,
	});
	const failures = new Counter({
		name: `${prefix}attempt_faults_total`,
		help: 'Claims or records that could not be written; they are tried again',
		labelNames: ['channel'],
		registers,
	});
	const postponed = new Counter({
		name: `${prefix}attempts_postponed_total`,
		help: 'Attempts that were put off: another replica is at it (contended), no Lease could be had (unavailable), the receiver is left alone (breaker) or asked for a pause (pace)',
		labelNames: ['reason'],
		registers,
	});
	const queue = new Gauge({
		name: `${prefix}queue_messages`,
		help: 'Messages that wait in the line of a channel in this process',
		labelNames: ['channel'],
		registers,
	});
	const paces = new Histogram({
		name: `${prefix}pace_wait_seconds`,
		help: 'Time a message waited for the turn of its receiver, by channel',
		labelNames: ['channel'],
		buckets: [...SECONDS, 30, 60],
		registers,
	});
	const unavailable = new Counter({
		name: `${prefix}lock_unavailable_total`,
		help: 'Deliveries that could not have their Lease because of a fault: held back (hold), or sent without it (deliver)',
		labelNames: ['channel', 'action'],
		registers,
	});
	/** By channel. The time may end while no message is there to try the receiver. */
	const leftAloneUntil = new Map<string, number>();
	registry.registerMetric(
		new Gauge({
			name: `${prefix}breaker_open`,
			help: '1 while a receiver of the channel is left alone because it failed; 0 as soon as a message may try it again',
			labelNames: ['channel'],
			registers: [],
			collect() {
				for (const channel of CHANNELS) this.set({ channel }, now() < (leftAloneUntil.get(channel) ?? 0) ? 1 : 0);
			},
		}),
	);
	const eventFailures = new Counter({
		name: `${prefix}event_failures_total`,
		help: 'Events that could not be written',
		registers,
	});

	for (const channel of CHANNELS) {
		for (const end of ENDS) deliveries.inc({ channel, end }, 0);
		for (const action of ['repeated', 'final']) unknown.inc({ channel, action }, 0);
		for (const action of ['hold', 'deliver']) unavailable.inc({ channel, action }, 0);
		takeovers.inc({ channel }, 0);
		failures.inc({ channel }, 0);
		queue.set({ channel }, 0);
		sends.zero({ channel });
		paces.zero({ channel });
	}
	for (const reason of ['contended', 'unavailable', 'breaker', 'pace']) postponed.inc({ reason }, 0);
	for (const phase of PHASES.slice(-3)) {
		finished.inc({ phase }, 0);
		removed.inc({ phase }, 0);
	}
	return {
		ended({ channel, end, sendSeconds }) {
			deliveries.inc({ channel, end });
			if (sendSeconds !== undefined) sends.observe({ channel }, sendSeconds);
		},
		outcomeUnknown: ({ channel, repeated }) => unknown.inc({ channel, action: repeated ? 'repeated' : 'final' }),
		takenOver: ({ channel }) => takeovers.inc({ channel }),
		finished: (_, phase) => finished.inc({ phase }),
		attemptFailed: ({ channel }) => failures.inc({ channel }),
		requeued: (reason) => postponed.inc({ reason }),
		queued: (channel, length) => queue.set({ channel }, length),
		paced: (channel, seconds) => paces.observe({ channel }, seconds),
		lockUnavailable: (channel, action) => unavailable.inc({ channel, action }),
		breakerChanged(channel, isOpen) {
			if (!isOpen) leftAloneUntil.delete(channel);
		},
		leftAlone: (channel, forMs) => void leftAloneUntil.set(channel, now() + forMs),
		removed: (phase) => removed.inc({ phase }),
		eventFailed: () => eventFailures.inc(),
	};
}
