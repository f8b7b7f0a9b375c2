// Injected time. It stands still until a check advances it; a call to the API server takes real time, and none of this.
// Every pod has a clock of its own on the one time: another zero, another wall time, and it can be stopped (SIGSTOP, a
// stalled event loop): then its timers wait while the time goes on.
import { expect } from 'vitest';
import type { ContractClock } from './lock-modules.ts';

const MAX_TIMERS = 5000;

type Timer = { readonly at: number; readonly onElapsed: () => void; readonly clock: PodClock };

export class ManualTime {
	#now = 0;
	readonly #timers = new Set<Timer>();
	readonly #settled: () => Promise<void>;

	/** `settled`: when no answer of the API server is outstanding. */
	constructor(settled: () => Promise<void>) {
		this.#settled = settled;
	}

	get now(): number {
		return this.#now;
	}

	clock(skew: { zeroMs?: number; wallMs?: number } = {}): PodClock {
		return new PodClock(this, this.#timers, skew.zeroMs ?? 0, skew.wallMs ?? 0);
	}

	/** Fires what falls due, in order, and lets every consequence of it settle before the next. */
	async advance(ms: number): Promise<void> {
		const until = this.#now + ms;
		for (let fired = 0; ; fired++) {
			await this.#settled();
			const due = this.#earliestUntil(until);
			if (due === undefined) break;
			if (fired === MAX_TIMERS) expect.fail(`${fired} timers fell due within ${ms} ms: one sets itself anew for ever`);
			this.#timers.delete(due);
			this.#now = Math.max(this.#now, due.at);
			due.onElapsed();
		}
		this.#now = until;
		await this.#settled();
	}

	#earliestUntil(until: number): Timer | undefined {
		let earliest: Timer | undefined;
		for (const timer of this.#timers)
			if (!timer.clock.stopped && timer.at <= until && (earliest === undefined || timer.at < earliest.at))
				earliest = timer;
		return earliest;
	}
}

export class PodClock implements ContractClock {
	stopped = false;
	readonly #time: ManualTime;
	readonly #timers: Set<Timer>;
	readonly #zeroMs: number;
	readonly #wallMs: number;

	constructor(time: ManualTime, timers: Set<Timer>, zeroMs: number, wallMs: number) {
		this.#time = time;
		this.#timers = timers;
		this.#zeroMs = zeroMs;
		this.#wallMs = wallMs;
	}

	now(): number {
		return this.#time.now + this.#zeroMs;
	}

	wallTime(): Date {
		return new Date(Date.UTC(2026, 0, 1) + this.#time.now + this.#wallMs);
	}

	setTimer(onElapsed: () => void, delayMs: number): () => void {
		const timer = { at: this.#time.now + Math.max(0, delayMs), onElapsed, clock: this };
		this.#timers.add(timer);
		return () => void this.#timers.delete(timer);
	}

	/** Timers that were set and neither fired nor cancelled. */
	get pending(): number {
		return [...this.#timers].filter((timer) => timer.clock === this).length;
	}
}
