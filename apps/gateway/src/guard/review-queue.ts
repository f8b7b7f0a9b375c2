// Reviews of tokens, a few at a time. Anybody who reaches the port can ask for one, so they are bounded: a short queue, and
// at once `full` beyond it. Known senders go first and have a place that strangers cannot take.
// A review whose callers have left leaves the queue; one that has begun runs to its end.

export type ReviewQueue = {
	/** Rejects with the reason of the abort when it comes before the review has begun. */
	run<T>(from: 'known' | 'stranger', review: () => Promise<T>, abandoned: AbortSignal): Promise<T | 'full'>;
};
export type ReviewQueueConfig = {
	readonly maxRunning: number;
	/** Of those that run. */
	readonly maxStrangers: number;
	/** Of each kind. */
	readonly maxQueued: number;
};

export function createReviewQueue({ maxRunning, maxStrangers, maxQueued }: ReviewQueueConfig): ReviewQueue {
	const queued = { known: new Set<() => void>(), stranger: new Set<() => void>() };
	let running = 0;
	let strangers = 0;

	const hasPlace = (from: 'known' | 'stranger') =>
		running < maxRunning && (from === 'known' || strangers < maxStrangers);
	function startNext(): void {
		for (const from of ['known', 'stranger'] as const) {
			const [next] = queued[from];
			if (next !== undefined && hasPlace(from)) return next();
		}
	}
	function takePlace(from: 'known' | 'stranger'): void {
		running++;
		if (from === 'stranger') strangers++;
	}
	function leavePlace(from: 'known' | 'stranger'): void {
		running--;
		if (from === 'stranger') strangers--;
		startNext();
	}
	/** Resolves with a place. */
	function waitForPlace(from: 'known' | 'stranger', abandoned: AbortSignal): Promise<void> {
		const queue = queued[from];
		return new Promise((resolve, reject) => {
			const leaveQueue = () => {
				queue.delete(begin);
				abandoned.removeEventListener('abort', onAbort);
			};
			const begin = () => {
				leaveQueue();
				takePlace(from);
				resolve();
			};
			const onAbort = () => {
				leaveQueue();
				reject(abandoned.reason as Error);
			};
			queue.add(begin);
			abandoned.addEventListener('abort', onAbort, { once: true });
		});
	}
	return {
		async run(from, review, abandoned) {
			abandoned.throwIfAborted();
			if (hasPlace(from)) takePlace(from);
			else if (queued[from].size >= maxQueued) return 'full';
			else await waitForPlace(from, abandoned);
			try {
				return await review();
			} finally {
				leavePlace(from);
			}
		},
	};
}
