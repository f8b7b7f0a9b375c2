// Keeps a receiver that fails from being tried by every message: after some failures in a row it is left alone for a while,
// then one message tries it. A message that waits for this has made no attempt.
import { createBackoff } from '@kubernaut/backoff';
import type { Clock } from '../../process/clock.ts';

export type BreakerObserver = {
	/** Open: until a message reaches the receiver again, however long none tries. */
	breakerChanged(channel: string, isOpen: boolean): void;
	/** For so long no message tries the receiver; said again each time that a try fails. */
	leftAlone(channel: string, forMs: number): void;
};
type State = { failures: number; openUntil: number; isProbing: boolean };

/** Failures in a row that open it. */
const MAX_FAILURES = 5;
/** How long the others wait while one message tries it. */
const PROBE_MS = 1000;
const OPEN = createBackoff({ basePeriodMs: 5000, maxPeriodMs: 60_000 });

export class Breaker {
	readonly #clock: Pick<Clock, 'now'>;
	readonly #observer: BreakerObserver;
	/** By receiver; one that works takes no memory. */
	readonly #states = new Map<string, State>();

	constructor(clock: Pick<Clock, 'now'>, observer: BreakerObserver) {
		this.#clock = clock;
		this.#observer = observer;
	}

	/** 0: go. While one message tries a receiver that was left alone, the others wait on. */
	waitMs(receiver: string): number {
		const state = this.#states.get(receiver);
		if (state === undefined || state.failures < MAX_FAILURES) return 0;
		const leftMs = state.openUntil - this.#clock.now();
		if (leftMs > 0) return leftMs;
		return state.isProbing ? PROBE_MS : 0;
	}

	/** An attempt begins. */
	began(receiver: string): void {
		const state = this.#states.get(receiver);
		if (state !== undefined && state.failures >= MAX_FAILURES) state.isProbing = true;
	}

	/** It did not try the receiver after all: the next one may. */
	notTried(receiver: string): void {
		const state = this.#states.get(receiver);
		if (state !== undefined) state.isProbing = false;
	}

	/** `works`: the receiver answered, whatever it said about this message. */
	ended(channel: string, receiver: string, works: boolean): void {
		const state = this.#states.get(receiver) ?? { failures: 0, openUntil: 0, isProbing: false };
		if (works) {
			if (this.#states.delete(receiver) && state.failures >= MAX_FAILURES)
				this.#observer.breakerChanged(channel, false);
			return;
		}
		const failures = state.failures + 1;
		const openMs = failures < MAX_FAILURES ? 0 : OPEN.calculate(failures - MAX_FAILURES + 1);
		this.#states.set(receiver, { failures, openUntil: this.#clock.now() + openMs, isProbing: false });
		if (failures === MAX_FAILURES) this.#observer.breakerChanged(channel, true);
		if (openMs > 0) this.#observer.leftAlone(channel, openMs);
	}
}
