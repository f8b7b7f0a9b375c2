// Overload protection: a limited number of requests is handled at once, a limited number waits for a slot, none for
// long. Beyond that a request is rejected at once: a sender that knows can come back, one that waits in an endless queue
// cannot. An event loop that is late is overload too, however few requests there are.
import type { Clock } from '@kubernaut/backoff';

export const OVERLOAD_REASONS = ['queue-full', 'queue-wait', 'event-loop-delay'] as const;
export type OverloadReason = (typeof OVERLOAD_REASONS)[number];

export type Slot = { readonly admitted: true /** A second call does nothing. */; release(): void };
export type Overloaded = { readonly admitted: false; readonly reason: OverloadReason; readonly retryAfterMs: number };
export type Admission = {
	/** Rejects with the reason of the abort, at once, when it comes while waiting. */
	admit(abort: AbortSignal): Promise<Slot | Overloaded>;
};
export type AdmissionConfig = {
	readonly maxConcurrentRequests: number;
	readonly maxQueuedRequests: number;
	readonly maxQueueWaitMs: number;
	readonly maxEventLoopDelayMs: number;
};
export type AdmissionPorts = {
	readonly clock: Clock;
	readonly eventLoopDelayMs: () => number;
	readonly observer: AdmissionObserver;
};
export type AdmissionObserver = {
	load(running: number, queued: number): void;
	overloaded(reason: OverloadReason): void;
};

const RETRY_AFTER_MS: Record<OverloadReason, number> = {
	'queue-full': 2000,
	'queue-wait': 2000,
	'event-loop-delay': 1000,
};

export function createAdmission(
	config: AdmissionConfig,
	{ clock, eventLoopDelayMs, observer }: AdmissionPorts,
): Admission {
	let running = 0;
	const queue = new Set<() => void>();

	const reportLoad = () => observer.load(running, queue.size);
	function reject(reason: OverloadReason): Overloaded {
		observer.overloaded(reason);
		return { admitted: false, reason, retryAfterMs: RETRY_AFTER_MS[reason] };
	}
	function takeSlot(): Slot {
		running++;
		reportLoad();
		let released = false;
		return {
			admitted: true,
			release() {
				if (released) return;
				released = true;
				running--;
				const [next] = queue;
				next?.();
				reportLoad();
			},
		};
	}
	function waitForSlot(abort: AbortSignal): Promise<Slot | Overloaded> {
		return new Promise((resolve, fail) => {
			const leaveQueue = () => {
				queue.delete(proceed);
				abort.removeEventListener('abort', onAbort);
				cancelTimer();
			};
			const proceed = () => {
				leaveQueue();
				resolve(takeSlot());
			};
			const onAbort = () => {
				leaveQueue();
				reportLoad();
				fail(abort.reason as Error);
			};
			const cancelTimer = clock.setTimer(() => {
				leaveQueue();
				reportLoad();
				resolve(reject('queue-wait'));
			}, config.maxQueueWaitMs);
			abort.addEventListener('abort', onAbort, { once: true });
			queue.add(proceed);
			reportLoad();
		});
	}
	return {
		async admit(abort) {
			abort.throwIfAborted();
			if (eventLoopDelayMs() > config.maxEventLoopDelayMs) return reject('event-loop-delay');
			if (running < config.maxConcurrentRequests) return takeSlot();
			return queue.size < config.maxQueuedRequests ? waitForSlot(abort) : reject('queue-full');
		},
	};
}
