// How much at once: so many requests in work, so many that wait for them, none for long. Beyond that the answer is
// no, at once, because a sender that knows can come back; one that waits in a queue without end cannot.
// An event loop that is late is overload too, however few requests there are.
import type { Clock } from '@kubernaut/backoff';

export const REFUSALS = ['queue-full', 'queue-wait', 'event-loop-delay'] as const;
export type RefusalReason = (typeof REFUSALS)[number];

export type Admitted = { readonly admitted: true /** More than once is once. */; release(): void };
export type NotAdmitted = { readonly admitted: false; readonly reason: RefusalReason; readonly retryAfterMs: number };
export type Admission = {
	/** Rejects with the signal's reason, at once, when it aborts while waiting. */
	admit(signal: AbortSignal): Promise<Admitted | NotAdmitted>;
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
	load(inWork: number, queued: number): void;
	refused(reason: RefusalReason): void;
};

const RETRY_AFTER_MS: Record<RefusalReason, number> = {
	'queue-full': 2000,
	'queue-wait': 2000,
	'event-loop-delay': 1000,
};

export function createAdmission(
	config: AdmissionConfig,
	{ clock, eventLoopDelayMs, observer }: AdmissionPorts,
): Admission {
	let inWork = 0;
	const queue = new Set<() => void>();

	const tellLoad = () => observer.load(inWork, queue.size);
	function refuse(reason: RefusalReason): NotAdmitted {
		observer.refused(reason);
		return { admitted: false, reason, retryAfterMs: RETRY_AFTER_MS[reason] };
	}
	function start(): Admitted {
		inWork++;
		tellLoad();
		let released = false;
		return {
			admitted: true,
			release() {
				if (released) return;
				released = true;
				inWork--;
				const [next] = queue;
				next?.();
				tellLoad();
			},
		};
	}
	function wait(signal: AbortSignal): Promise<Admitted | NotAdmitted> {
		return new Promise((resolve, reject) => {
			const leave = () => {
				queue.delete(proceed);
				signal.removeEventListener('abort', onAbort);
				cancelTimer();
			};
			const proceed = () => {
				leave();
				resolve(start());
			};
			const onAbort = () => {
				leave();
				tellLoad();
				reject(signal.reason as Error);
			};
			const cancelTimer = clock.setTimer(() => {
				leave();
				tellLoad();
				resolve(refuse('queue-wait'));
			}, config.maxQueueWaitMs);
			signal.addEventListener('abort', onAbort, { once: true });
			queue.add(proceed);
			tellLoad();
		});
	}
	return {
		async admit(signal) {
			signal.throwIfAborted();
			if (eventLoopDelayMs() > config.maxEventLoopDelayMs) return refuse('event-loop-delay');
			if (inWork < config.maxConcurrentRequests) return start();
			return queue.size < config.maxQueuedRequests ? wait(signal) : refuse('queue-full');
		},
	};
}
