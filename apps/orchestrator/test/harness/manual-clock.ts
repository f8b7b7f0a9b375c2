// Time that stands still until a test moves it.
import type { Clock } from '../../src/process/clock.ts';

export class ManualClock implements Clock {
	#nowMs = 0;
	readonly #timers = new Set<{ readonly atMs: number; readonly onElapsed: () => void }>();

	now = (): number => this.#nowMs;

	wallTime(): Date {
		return new Date(this.#nowMs);
	}

	setTimer(onElapsed: () => void, delayMs: number): () => void {
		const timer = { atMs: this.#nowMs + delayMs, onElapsed };
		this.#timers.add(timer);
		return () => void this.#timers.delete(timer);
	}

	get pending(): number {
		return this.#timers.size;
	}

	/** Timers that are due fire in their order, each at its own time. */
	advance(byMs: number): void {
		const untilMs = this.#nowMs + byMs;
		for (;;) {
			const [next] = [...this.#timers].filter(({ atMs }) => atMs <= untilMs).toSorted((a, b) => a.atMs - b.atMs);
			if (next === undefined) break;
			this.#timers.delete(next);
			this.#nowMs = next.atMs;
			next.onElapsed();
		}
		this.#nowMs = untilMs;
	}
}
