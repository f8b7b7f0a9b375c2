import type { Clock } from '../src/clock.ts';

/** Every timer elapses in the next microtask; what was asked for is kept. */
export class InstantClock implements Clock {
	readonly delaysMs: number[] = [];

	setTimer(onElapsed: () => void, delayMs: number): () => void {
		this.delaysMs.push(delayMs);
		let cancelled = false;
		queueMicrotask(() => {
			if (!cancelled) onElapsed();
		});
		return () => {
			cancelled = true;
		};
	}
}
