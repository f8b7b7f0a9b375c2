// Lets channels of one message that are due together be claimed in one write: each waits for the others that have only a
// Lease to get, and for no one longer than the window. A channel that must queue leaves, and is claimed on its own.
import type { Clock } from '../process/clock.ts';

export class ClaimBatch {
	readonly #expected: Set<string>;
	readonly #windowMs: number;
	readonly #clock: Pick<Clock, 'setTimer'>;
	#arrived: (() => void)[] = [];
	#cancelTimer: (() => void) | undefined;

	constructor(expected: Iterable<string>, windowMs: number, clock: Pick<Clock, 'setTimer'>) {
		this.#expected = new Set(expected);
		this.#windowMs = windowMs;
		this.#clock = clock;
	}

	/** Settles when the claim is to be written. */
	arrive(channel: string): Promise<void> {
		return new Promise((resolve) => {
			this.#arrived.push(resolve);
			this.#cancelTimer ??= this.#clock.setTimer(() => this.#go(), this.#windowMs);
			this.leave(channel);
		});
	}

	/** It comes later, or not at all. */
	leave(channel: string): void {
		this.#expected.delete(channel);
		if (this.#expected.size === 0) this.#go();
	}

	#go(): void {
		this.#cancelTimer?.();
		this.#cancelTimer = undefined;
		for (const go of this.#arrived.splice(0)) go();
	}
}
