// What the caches of an executor hold, as a value: it can be taken at the end of a pass, and given to the next.
import { type ObjectCache, type Versioned, version } from '../../src/kube/object-cache.ts';
import type { Execution } from '../../src/objects/execution.ts';
import type { KnownObjects } from '../../src/objects/known-objects.ts';
import type { Run } from '../../src/objects/run-engine.ts';

export type KnownThings = {
	readonly executions: readonly Execution[];
	readonly runs: readonly Run[];
	/** Uids of what was seen to be gone: a late answer does not bring it back. */
	readonly removed: readonly string[];
};

/** Of an object whose name means nothing any more. */
const GONE = { name: '', resourceVersion: '0' } as const;

export class Knowledge {
	readonly #known: KnownObjects;
	readonly #removed: Set<string>;

	constructor(known: KnownObjects, { executions, runs, removed }: KnownThings) {
		this.#known = known;
		this.#removed = new Set(removed);
		for (const uid of removed) {
			known.executions.removed({ ...GONE, uid } as Execution);
			known.runs.removed({ ...GONE, uid } as Run);
		}
		for (const execution of executions) known.executions.changed(execution);
		for (const run of runs) known.runs.changed(run);
		this.#noteRemovals(known.executions);
		this.#noteRemovals(known.runs);
	}

	now(): KnownThings {
		return {
			executions: [...this.#known.executions.all()].toSorted((a, b) => a.chain - b.chain),
			runs: [...this.#known.runs.all()],
			removed: [...this.#removed].toSorted(),
		};
	}

	#noteRemovals<T extends Versioned>(cache: ObjectCache<T>): void {
		const remove = cache.removed.bind(cache);
		cache.removed = (item) => {
			const known = cache.get(item.name);
			if (known === undefined || version(known) <= version(item)) this.#removed.add(item.uid);
			remove(item);
		};
	}
}
