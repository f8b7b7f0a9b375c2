// The last version seen of each Lease, and since when it has not changed, on our own monotonic clock. Nothing here
// compares another machine's time with ours. The Lease watch and every read feed it; it outlives the waiters that read.

import type { Clock } from '../process/clock.ts';
import type { Lease } from './lock-ports.ts';

export type Observation = { readonly lease: Lease; readonly since: number };

export class LeaseObservations {
	readonly #seen = new Map<string, Observation>();
	readonly #removalListeners = new Map<string, Set<() => void>>();
	readonly #clock: Pick<Clock, 'now'>;
	readonly #onNewVersion: (lease: Lease) => void;

	/** `onNewVersion` is called once for each version, wherever it was seen. */
	constructor(clock: Pick<Clock, 'now'>, onNewVersion: (lease: Lease) => void = () => {}) {
		this.#clock = clock;
		this.#onNewVersion = onNewVersion;
	}

	/** The same version seen again keeps its time; an older one that arrives late changes nothing. */
	observe(lease: Lease): Observation {
		const known = this.#seen.get(lease.name);
		if (known !== undefined && isNoNewer(lease, known.lease)) return known;
		const observation = { lease, since: this.#clock.now() };
		this.#seen.set(lease.name, observation);
		this.#onNewVersion(lease);
		return observation;
	}

	/** `lease` is the last version that is known to be gone; a newer one that was seen stays. */
	removed(lease: Pick<Lease, 'name' | 'resourceVersion'>): void {
		const known = this.#seen.get(lease.name);
		if (known !== undefined && !isNoNewer(known.lease, lease)) return;
		this.#seen.delete(lease.name);
		for (const listener of this.#removalListeners.get(lease.name) ?? []) listener();
	}

	/**
	 * After a gap in the watch: a Lease that is not in the fresh list is gone. A version that the list should have and lacks
	 * is gone too: a backup was restored. `isRestored`: the API server's versions went back, so that is true of all.
	 */
	replaceAll(leases: readonly Lease[], resourceVersion: string, isRestored = false): void {
		const listed = new Map(leases.map((lease) => [lease.name, lease]));
		for (const [name, { lease: known }] of this.#seen) {
			if (!isRestored && !isNoNewer(known, { resourceVersion })) continue; // seen after the list
			const lease = listed.get(name);
			if (lease === undefined) this.removed(known);
			else if (!isNoNewer(known, lease)) this.#seen.delete(name);
		}
		for (const lease of leases) this.observe(lease);
	}

	get(name: string): Observation | undefined {
		return this.#seen.get(name);
	}

	all(): Observation[] {
		return [...this.#seen.values()];
	}

	get size(): number {
		return this.#seen.size;
	}

	/** Called once per removal, until the returned function is called. */
	onRemoved(name: string, listener: () => void): () => void {
		const listeners = this.#removalListeners.get(name) ?? new Set();
		this.#removalListeners.set(name, listeners.add(listener));
		return () => {
			listeners.delete(listener);
			if (listeners.size === 0 && this.#removalListeners.get(name) === listeners) this.#removalListeners.delete(name);
		};
	}
}

type Version = Pick<Lease, 'resourceVersion'>;

/** resourceVersions of one resource are integers that grow, also over deletion and re-creation. */
export function isNoNewer(one: Version, other: Version): boolean {
	return BigInt(one.resourceVersion) <= BigInt(other.resourceVersion);
}
