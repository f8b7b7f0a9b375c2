// Time that stands still until a test moves it. Fits the clock of every app and of packages/backoff.

export class ManualClock {
	#nowMs = 0;
	readonly #timers = new Set<{ readonly atMs: number; readonly onElapsed: () => void }>();

	now(): number {
		return this.#nowMs;
	}

	/** Begins at the epoch and moves with `now`. */
	wallTime(): Date {
		return new Date(this.#nowMs);
	}

	setTimer(onElapsed: () => void, delayMs: number): () => void {
		const timer = { atMs: this.#nowMs + Math.max(0, delayMs), onElapsed };
		this.#timers.add(timer);
		return () => void this.#timers.delete(timer);
	}

	/** Timers that neither fired nor were cancelled. */
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
