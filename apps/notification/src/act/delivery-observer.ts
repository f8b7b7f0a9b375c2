// What the deliveries report: implemented by metrics and by the log.
import type { ClaimEnd } from '../decide/delivery-entry.ts';
import type { ChannelName, Delivery, Phase } from '../objects/notification.ts';
import type { CoordinatorObserver } from './coordination/coordinator.ts';
import type { BreakerObserver } from './gate/breaker.ts';

export type DeliveryObserver = CoordinatorObserver &
	BreakerObserver & {
		/** The end of an attempt was recorded. `sendSeconds`: absent when nothing was sent. */
		ended(event: {
			readonly name: string;
			readonly channel: ChannelName;
			readonly end: ClaimEnd['end'];
			readonly delivery: Delivery;
			readonly sendSeconds?: number;
		}): void;
		/** Whether a message was sent is not known; `repeated`: it is sent again. */
		outcomeUnknown(event: { readonly name: string; readonly channel: ChannelName; readonly repeated: boolean }): void;
		/** A claim whose owner stopped was taken over. */
		takenOver(event: { readonly name: string; readonly channel: ChannelName; readonly from: string }): void;
		finished(name: string, phase: Phase): void;
		/** An attempt failed before anything was sent; it is tried again. */
		attemptFailed(event: { readonly name: string; readonly channel: ChannelName; readonly error: unknown }): void;
		requeued(reason: 'contended' | 'unavailable' | 'breaker' | 'pace'): void;
		queued(channel: ChannelName, length: number): void;
		removed(phase: Phase): void;
		eventFailed(error: unknown): void;
	};
