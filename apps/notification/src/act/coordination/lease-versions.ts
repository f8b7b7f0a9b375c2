// Versions of coordination Leases, and since when each was seen, on our own monotonic clock.
import type { CoordinationLease } from '../../objects/coordination-leases.ts';

export type SeenLease = { readonly lease: CoordinationLease; readonly since: number };

export class LeaseVersions {
	readonly #now: () => number;
	readonly #seen = new Map<string, SeenLease>();
	readonly #listeners = new Map<string, Set<() => void>>();

	constructor(now: () => number) {
		this.#now = now;
	}

	get size(): number {
		return this.#seen.size;
	}

	get(name: string): SeenLease | undefined {
		return this.#seen.get(name);
	}

	/** The same version seen again keeps its time; an older one that arrives late changes nothing. */
	observe(lease: CoordinationLease): SeenLease {
		const known = this.#seen.get(lease.name);
		const isSame =
			known?.lease.uid === lease.uid && BigInt(lease.resourceVersion) <= BigInt(known.lease.resourceVersion);
		if (isSame) return known;
		const seen = { lease, since: this.#now() };
		this.#seen.set(lease.name, seen);
		this.#wake(lease.name);
		return seen;
	}

	forget(name: string): void {
		this.#seen.delete(name);
		this.#wake(name);
	}

	/** Called at every new version, until the returned function is called. */
	onChange(name: string, listener: () => void): () => void {
		const listeners = this.#listeners.get(name) ?? new Set();
		this.#listeners.set(name, listeners.add(listener));
		return () => {
			listeners.delete(listener);
			if (listeners.size === 0 && this.#listeners.get(name) === listeners) this.#listeners.delete(name);
		};
	}

	#wake(name: string): void {
		for (const listener of this.#listeners.get(name) ?? []) listener();
	}
}
