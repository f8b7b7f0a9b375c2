// Which counter slots of a request may be folded into its base: those of processes that have not counted for a while, as
// this process has observed it. Slots are looked at only when they become many; a request has a limited number.
import type { RequestLink } from '../objects/request-link.ts';

/** A process that is only slow finds its slot gone, and begins another. */
const IDLE_MS = 60_000;
/** Half of what the CRD allows. */
const MIN_SLOTS = 64;
// Requests with many slots are rare; those that are not looked at any more make place.
const MAX_REQUESTS = 100;

type Observed = { readonly count: number; readonly sinceMs: number };

export class IdleSlots {
	readonly #now: () => number;
	/** By uid of the request. */
	readonly #observed = new Map<string, Map<string, Observed>>();

	/** `now` is monotonic. */
	constructor(now: () => number) {
		this.#now = now;
	}

	/** Undefined when there is nothing to fold. */
	of(link: RequestLink, own: string): Readonly<Record<string, number>> | undefined {
		const slots = Object.entries(link.slots);
		const before = this.#observed.get(link.uid);
		this.#observed.delete(link.uid);
		if (slots.length < MIN_SLOTS) return undefined;
		const observed = new Map<string, Observed>();
		const idle: Record<string, number> = {};
		for (const [slot, count] of slots) {
			const known = before?.get(slot);
			const since = known?.count === count ? known : { count, sinceMs: this.#now() };
			observed.set(slot, since);
			if (slot !== own && this.#now() - since.sinceMs >= IDLE_MS) idle[slot] = count;
		}
		this.#observed.set(link.uid, observed); // at the end: the one that was not looked at for longest stands first
		const [oldest] = this.#observed.keys();
		if (this.#observed.size > MAX_REQUESTS && oldest !== undefined) this.#observed.delete(oldest);
		return Object.keys(idle).length === 0 ? undefined : idle;
	}
}
