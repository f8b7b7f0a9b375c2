// The API server's clock. Every time that is stored or compared with a stored one is read from it: the clocks of pods and
// nodes differ by minutes, and a cooldown that one replica wrote must end for all of them at the same moment.
// The Date of an answer is never later than the moment at which it arrives, so each answer gives a lower bound of what the
// API server's clock is ahead of our monotonic one. The largest bound of the last minute is taken: it is the closest.
// Guarantee: with one answer a second it is at most about a second behind the API server's clock, and never ahead of it
// for longer than a minute after that clock was set back. Our own wall clock plays no part after the first answer.
// Not guaranteed: that API servers agree with each other. Their clocks are the cluster's business.

export const ANSWERS_COUNT_MS = 60_000;

type Bound = { readonly aheadMs: number; readonly receivedAt: number };

export class ServerClock {
	readonly #now: () => number;
	readonly #wallTime: () => Date;
	/** Of the last minute, each smaller than the one before and received later: the first is the largest. */
	#bounds: Bound[] = [];
	/** The largest when the last answer arrived. Kept through silence: the monotonic clock goes on. */
	#aheadMs: number | undefined;
	#lastDate = '';
	#lastAnswerAt: number;

	/** `now` is monotonic; `wallTime` serves until the first answer. */
	constructor(now: () => number, wallTime: () => Date = () => new Date()) {
		this.#now = now;
		this.#wallTime = wallTime;
		this.#lastAnswerAt = now();
	}

	/** The Date header of an answer that just arrived. */
	heard(date: string | readonly string[] | undefined): void {
		if (typeof date !== 'string') return;
		const receivedAt = this.#now();
		this.#lastAnswerAt = receivedAt;
		// Later in the same second, so a smaller bound than the one that is known.
		if (date === this.#lastDate) return;
		const aheadMs = Date.parse(date) - receivedAt;
		if (Number.isNaN(aheadMs)) return;
		this.#lastDate = date;
		this.#bounds = this.#bounds.filter(
			(bound) => bound.aheadMs > aheadMs && bound.receivedAt > receivedAt - ANSWERS_COUNT_MS,
		);
		this.#bounds.push({ aheadMs, receivedAt });
		this.#aheadMs = this.#bounds[0]?.aheadMs;
	}

	wallTime(): Date {
		return this.#aheadMs === undefined ? this.#wallTime() : new Date(this.#aheadMs + this.#now());
	}

	/** Why the time cannot be relied on; undefined when it can. */
	problem(): string | undefined {
		const silentMs = this.#now() - this.#lastAnswerAt;
		if (silentMs > ANSWERS_COUNT_MS)
			return `no answer with a Date for ${Math.floor(silentMs / 1000)} s, so the API server's time is not known`;
		return undefined;
	}
}
