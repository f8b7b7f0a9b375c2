// Since when each claim stands as it is, by our own monotonic clock: another machine's time is never read. A claim that did
// not change for the claim time-out is silent: its owner has stopped, because it aborts its send before that.
// Not guaranteed: that we saw every change. A takeover is compare-and-set, so a claim that did change is not taken over.
import { type Delivery, deliveryId, type Notification } from './notification.ts';

type Observation = { readonly claim: string; readonly since: number };

export class ClaimObservations {
	readonly #now: () => number;
	/** By uid of the message, then by channel. */
	readonly #seen = new Map<string, Map<string, Observation>>();

	constructor(now: () => number) {
		this.#now = now;
	}

	/** Messages with a claim that is remembered. */
	get size(): number {
		return this.#seen.size;
	}

	observe({ uid, deliveries }: Pick<Notification, 'uid' | 'deliveries'>): void {
		const before = this.#seen.get(uid);
		const claims = deliveries.filter(({ state }) => state === 'Claimed');
		if (claims.length === 0) return void this.#seen.delete(uid);
		const seen = new Map<string, Observation>();
		for (const delivery of claims) {
			const id = deliveryId(uid, delivery.channel);
			const known = before?.get(id);
			const claim = identityOf(delivery);
			seen.set(id, known?.claim === claim ? known : { claim, since: this.#now() });
		}
		this.#seen.set(uid, seen);
	}

	forget(uid: string): void {
		this.#seen.delete(uid);
	}

	/** How long exactly this claim has been seen unchanged; 0 for one that was not seen before. */
	silentForMs(uid: string, delivery: Delivery): number {
		const known = this.#seen.get(uid)?.get(deliveryId(uid, delivery.channel));
		return known?.claim === identityOf(delivery) ? this.#now() - known.since : 0;
	}
}

/** No two claims are alike: each has a nonce of its own. */
function identityOf({ claimedBy, attempt }: Delivery): string {
	return `${claimedBy} ${attempt}`;
}
