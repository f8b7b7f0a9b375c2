// Coordination Leases in memory, with the versions and refusals of an API server.
import type { CoordinationLease, CoordinationLeases, LeaseState } from '../../src/objects/coordination-leases.ts';

export class LeasesInMemory implements CoordinationLeases {
	readonly stored = new Map<string, CoordinationLease>();
	readonly #now: () => Date;
	#version = 0;
	/** Called before each call; may throw. */
	before: (call: string) => void = () => {};
	/** Called after each call that was done; may throw: its answer is lost. */
	after: (call: string) => void = () => {};

	constructor(now: () => Date) {
		this.#now = now;
	}

	async create(name: string, state: LeaseState): Promise<CoordinationLease | 'exists'> {
		return this.#call('create', () =>
			this.stored.has(name) ? ('exists' as const) : this.#write(name, `uid-${this.#version}`, state),
		);
	}
	async read(name: string): Promise<CoordinationLease | undefined> {
		return this.#call('read', () => this.stored.get(name));
	}
	async replace(current: CoordinationLease, state: LeaseState): Promise<CoordinationLease | 'changed' | 'gone'> {
		return this.#call('replace', () => {
			// An API server finds that the uid does not fit before it finds that the Lease is gone.
			if (this.#checked(current) !== undefined) return 'changed' as const;
			return this.#write(current.name, current.uid, state);
		});
	}
	async remove(current: CoordinationLease): Promise<'removed' | 'changed' | 'gone'> {
		return this.#call('remove', () => {
			const refused = this.#checked(current);
			if (refused !== undefined) return refused;
			this.stored.delete(current.name);
			return 'removed' as const;
		});
	}
	async list(): Promise<readonly CoordinationLease[]> {
		return this.#call('list', () => [...this.stored.values()]);
	}

	#call<T>(call: string, run: () => T): T {
		this.before(call);
		const answer = run();
		this.after(call);
		return answer;
	}
	#checked({ name, uid, resourceVersion }: CoordinationLease): 'changed' | 'gone' | undefined {
		const stored = this.stored.get(name);
		if (stored === undefined) return 'gone';
		return stored.uid === uid && stored.resourceVersion === resourceVersion ? undefined : 'changed';
	}
	#write(name: string, uid: string, { holder, annotations }: LeaseState): CoordinationLease {
		const lease = { name, uid, resourceVersion: String(++this.#version), holder, writtenAt: this.#now(), annotations };
		this.stored.set(name, lease);
		return lease;
	}
}
