import type { Clock } from '../src/clock.ts';

/** Time stands still until `elapse`, which fires the oldest timer. */
export class ManualClock implements Clock {
	readonly #timers: { readonly delayMs: number; readonly onElapsed: () => void }[] = [];

	get pendingDelaysMs(): number[] {
		return this.#timers.map((timer) => timer.delayMs);
	}

	setTimer(onElapsed: () => void, delayMs: number): () => void {
		const timer = { delayMs, onElapsed };
		this.#timers.push(timer);
		return () => {
			const index = this.#timers.indexOf(timer);
			if (index >= 0) this.#timers.splice(index, 1);
		};
	}

	elapse(): void {
		const timer = this.#timers.shift();
		if (!timer) throw new Error('no timer is set');
		timer.onElapsed();
	}
}
