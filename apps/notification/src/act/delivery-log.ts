// Log messages about deliveries. Texts of messages and of receivers are not among them.
import type { Log } from '../process/log.ts';
import type { DeliveryObserver } from './delivery-observer.ts';

export function deliveryLog(log: Log): DeliveryObserver {
	return {
		ended({ name, channel, end, delivery }) {
			const { attempt, refusals, reason, final, notBefore, error } = delivery;
			const fields = { name, channel, attempt, refusals, reason, final, notBefore, error };
			if (end === 'delivered' || end === 'delivered-elsewhere') log.info(fields, 'delivered');
			else if (end === 'given-back') log.info(fields, 'claim given back');
			else log.warn(fields, 'not delivered');
		},
		outcomeUnknown: ({ name, channel, repeated }) => log.warn({ name, channel, repeated }, 'outcome unknown'),
		takenOver: ({ name, channel, from }) => log.warn({ name, channel, from }, 'claim taken over'),
		finished: (name, phase) => log.info({ name, phase }, 'notification finished'),
		attemptFailed: ({ name, channel, error }) =>
			log.warn({ name, channel, reason: describeError(error) }, 'attempt failed'),
		requeued() {},
		queued() {},
		paced() {},
		lockUnavailable: (channel, action, error) =>
			log.warn({ channel, action, reason: describeError(error) }, 'delivery lock unavailable'),
		breakerChanged: (channel, isOpen) => log.warn({ channel, isOpen }, 'breaker changed'),
		leftAlone() {},
		removed() {},
		eventFailed: (error) => log.warn({ reason: describeError(error) }, 'Event not written'),
	};
}

function describeError(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
