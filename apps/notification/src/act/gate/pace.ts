// The pace of a receiver: at most one message at a time, and a pause after each. In one process here; over all replicas and
// clusters with a Lease (act/coordination/pace-lease.ts).
import { sleep } from '@kubernaut/backoff';
import { paceWaitMs } from '../../decide/pace-turn.ts';
import type { Clock } from '../../process/clock.ts';

export type PaceTurn = {
	/** On our monotonic clock: later another may take the turn. */
	readonly deadline: number;
	/** The send is over. `restMs`: the receiver asked for a pause of this length. */
	free(restMs: number): Promise<void>;
};
export type Pace = {
	/** The least time until the turn may come, as far as is known: 0 while it is held, because it may be freed at any moment. */
	waitMs(receiver: string): number;
	/** Waits for the turn; undefined when it is aborted, or became too far away to be waited for with a Lease in hand. */
	take(receiver: string, abort: AbortSignal): Promise<PaceTurn | undefined>;
};

/** A Lease is not held for a turn that is further away than this. */
export const MAX_TURN_WAIT_MS = 5000;

/** For an internal channel. */
export const NO_PACE: Pace = {
	waitMs: () => 0,
	take: async () => ({ deadline: Infinity, free: async () => {} }),
};

export class LocalPace implements Pace {
	readonly #intervalMs: number;
	readonly #clock: Pick<Clock, 'now' | 'setTimer'>;
	/** By receiver. */
	readonly #turns = new Map<string, { held: boolean; since: number; restMs: number }>();
	#wake: (() => void)[] = [];

	constructor(intervalMs: number, clock: Pick<Clock, 'now' | 'setTimer'>) {
		this.#intervalMs = intervalMs;
		this.#clock = clock;
	}

	waitMs(receiver: string): number {
		return this.#turns.get(receiver)?.held ? 0 : this.#waitFor(receiver);
	}

	async take(receiver: string, abort: AbortSignal): Promise<PaceTurn | undefined> {
		for (;;) {
			if (abort.aborted) return undefined;
			const waitMs = this.#waitFor(receiver);
			if (waitMs <= 0) break;
			if (waitMs < Infinity) await sleep(waitMs, { clock: this.#clock, signal: abort });
			else await this.#freed(abort);
		}
		const turn = { held: true, since: this.#clock.now(), restMs: 0 };
		this.#turns.set(receiver, turn);
		return {
			deadline: Infinity,
			free: async (restMs) => {
				if (this.#turns.get(receiver) !== turn || !turn.held) return;
				this.#turns.set(receiver, { held: false, since: this.#clock.now(), restMs });
				for (const wake of this.#wake.splice(0)) wake();
			},
		};
	}

	/** Infinity while it is held. */
	#waitFor(receiver: string): number {
		const turn = this.#turns.get(receiver);
		if (turn === undefined) return 0;
		const view = { held: turn.held, unchangedForMs: this.#clock.now() - turn.since, restMs: turn.restMs };
		return paceWaitMs(view, { intervalMs: this.#intervalMs, holdMs: Infinity });
	}

	#freed(abort: AbortSignal): Promise<void> {
		return new Promise((resolve) => {
			this.#wake.push(resolve);
			abort.addEventListener('abort', () => resolve(), { once: true });
		});
	}
}

/** For a channel without a pace: messages go at once, except in a pause that the receiver asked for. */
export class LocalRest implements Pace {
	readonly #clock: Pick<Clock, 'now' | 'setTimer'>;
	/** By receiver: the end of its pause. */
	readonly #until = new Map<string, number>();

	constructor(clock: Pick<Clock, 'now' | 'setTimer'>) {
		this.#clock = clock;
	}

	waitMs(receiver: string): number {
		return Math.max(0, (this.#until.get(receiver) ?? -Infinity) - this.#clock.now());
	}

	async take(receiver: string, abort: AbortSignal): Promise<PaceTurn | undefined> {
		while (!abort.aborted) {
			const waitMs = this.waitMs(receiver);
			if (waitMs <= 0) return this.#turn(receiver);
			await sleep(waitMs, { clock: this.#clock, signal: abort });
		}
		return undefined;
	}

	/** The receiver asked for a pause. */
	rest(receiver: string, restMs: number): void {
		this.#until.set(receiver, this.#clock.now() + restMs);
	}

	#turn(receiver: string): PaceTurn {
		let isOver = false;
		return {
			deadline: Infinity,
			free: async (restMs) => {
				if (!isOver && restMs > 0) this.rest(receiver, restMs);
				isOver = true;
			},
		};
	}
}
