// Versions of coordination Leases, and since when each was seen, on our own monotonic clock.
import type { CoordinationLease, CoordinationLeases } from '../../objects/coordination-leases.ts';

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
		if (known?.lease.uid === lease.uid && isNoNewer(lease, known.lease)) return known;
		const seen = { lease, since: this.#now() };
		this.#seen.set(lease.name, seen);
		this.#wake(lease.name);
		return seen;
	}

	/** Undefined when it is not there. A read is as new as its call: one that is older than what was seen before shows a restore. */
	async readFrom(leases: Pick<CoordinationLeases, 'read'>, name: string): Promise<SeenLease | undefined> {
		const before = this.#seen.get(name);
		const lease = await leases.read(name);
		if (lease === undefined) {
			this.forget(name);
			return undefined;
		}
		if (this.#seen.get(name) === before) this.#forgetNewer(lease);
		return this.observe(lease);
	}

	/** A fresh list. `isRestored`: the API server's versions went back, so that nothing known came after it. */
	replaceAll(leases: readonly CoordinationLease[], resourceVersion: string, isRestored: boolean): void {
		const listed = new Map(leases.map((lease) => [lease.name, lease]));
		for (const [name, { lease: known }] of this.#seen) {
			if (!isRestored && !isNoNewer(known, { resourceVersion })) continue; // seen after the list
			const lease = listed.get(name);
			if (lease === undefined) this.forget(name);
			else this.#forgetNewer(lease);
		}
		for (const lease of leases) this.observe(lease);
	}

	#forgetNewer(lease: CoordinationLease): void {
		const known = this.#seen.get(lease.name);
		if (known !== undefined && !isNoNewer(known.lease, lease)) this.#seen.delete(lease.name);
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

type Version = Pick<CoordinationLease, 'resourceVersion'>;

function isNoNewer(one: Version, other: Version): boolean {
	return BigInt(one.resourceVersion) <= BigInt(other.resourceVersion);
}
