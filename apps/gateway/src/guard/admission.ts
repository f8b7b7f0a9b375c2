// Overload protection, before a body is read. Requests wait for their work as long as their deadline leaves time, so there
// is no queue here. Rejected at once is what cannot be answered in time: when the work that waits already takes longer than
// a deadline, when the event loop stands nearly still, and, as a last line, when there are too many requests.
import { retryAfterMs } from './retry-after.ts';

/** `bytes`: the bodies in work take too much memory. */
export const OVERLOAD_REASONS = ['requests', 'backlog', 'event-loop-delay', 'bytes'] as const;
export type OverloadReason = (typeof OVERLOAD_REASONS)[number];

export type Slot = { readonly admitted: true /** A second call does nothing. */; release(): void };
export type Overloaded = { readonly admitted: false; readonly reason: OverloadReason; readonly retryAfterMs: number };
export type Admission = {
	admit(): Slot | Overloaded;
	/** For a reason that is found later. */
	reject(reason: OverloadReason): Overloaded;
};
export type AdmissionConfig = {
	readonly maxConcurrentRequests: number;
	readonly maxEventLoopDelayMs: number;
	readonly httpDeadlineMs: number;
};
export type AdmissionPorts = {
	readonly eventLoopDelayMs: () => number;
	/** How long the work takes that waits now, by the pace of the last. */
	readonly backlogMs: () => number;
	readonly observer: AdmissionObserver;
	readonly random?: () => number;
};
export type AdmissionObserver = {
	load(requests: number): void;
	overloaded(reason: OverloadReason): void;
};

export function createAdmission(config: AdmissionConfig, ports: AdmissionPorts): Admission {
	const { eventLoopDelayMs, backlogMs, observer, random } = ports;
	let running = 0;

	function reject(reason: OverloadReason): Overloaded {
		observer.overloaded(reason);
		return { admitted: false, reason, retryAfterMs: retryAfterMs(backlogMs(), random) };
	}
	return {
		reject,
		admit() {
			if (running >= config.maxConcurrentRequests) return reject('requests');
			if (eventLoopDelayMs() > config.maxEventLoopDelayMs) return reject('event-loop-delay');
			if (backlogMs() > config.httpDeadlineMs) return reject('backlog');
			observer.load(++running);
			let released = false;
			return {
				admitted: true,
				release() {
					if (released) return;
					released = true;
					observer.load(--running);
				},
			};
		},
	};
}
