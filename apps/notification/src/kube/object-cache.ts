// All objects of one kind that the watch has reported, by name and by index. The view may be old: decisions that rest on
// it are proposals, and the API server has the last word.

export type Versioned = { readonly name: string; readonly uid: string; readonly resourceVersion: string };
type Index<T> = { readonly keyOf: (item: T) => string | undefined; readonly buckets: Map<string, Map<string, T>> };

// More than are removed while one call is in flight.
const MAX_REMOVED = 1000;

export class ObjectCache<T extends Versioned, I extends string = never> {
	readonly #items = new Map<string, T>();
	readonly #indexes: Readonly<Record<string, Index<T>>>;
	readonly #onChange: (item: T, before?: T) => void;
	/** Uids of objects removed recently: a late answer to one of our calls may still hold their former state. */
	readonly #removed = new Set<string>();

	/** `onChange`: `before` is the version that was known, when this is not the first and the object was not removed. */
	constructor(
		keys: Readonly<Record<I, (item: T) => string | undefined>>,
		onChange: (item: T, before?: T) => void = () => {},
	) {
		this.#indexes = Object.fromEntries(
			Object.entries<(item: T) => string | undefined>(keys).map(([name, keyOf]) => [
				name,
				{ keyOf, buckets: new Map() },
			]),
		);
		this.#onChange = onChange;
	}

	get(name: string): T | undefined {
		return this.#items.get(name);
	}

	by(index: I, key: string): T[] {
		return [...(this.#indexes[index]?.buckets.get(key)?.values() ?? [])];
	}

	all(): IterableIterator<T> {
		return this.#items.values();
	}

	get size(): number {
		return this.#items.size;
	}

	/** An older version that arrives late changes nothing, and does not bring back a removed object. */
	changed(item: T): void {
		const known = this.#items.get(item.name);
		if (this.#removed.has(item.uid)) return;
		if (known !== undefined && version(known) >= version(item)) return;
		if (known !== undefined) this.#unindex(known);
		this.#items.set(item.name, item);
		for (const { keyOf, buckets } of Object.values(this.#indexes)) {
			const key = keyOf(item);
			if (key === undefined) continue;
			const bucket = buckets.get(key) ?? new Map<string, T>();
			buckets.set(key, bucket.set(item.name, item));
		}
		this.#onChange(item, known);
	}

	/** `item`: the last version before the removal; a newer object of the same name stays. */
	removed(item: T): void {
		const known = this.#items.get(item.name);
		if (known !== undefined && version(known) > version(item)) return;
		this.#rememberRemoved(item.uid);
		if (known === undefined) return;
		this.#forget(known);
		this.#onChange(known);
	}

	/**
	 * Objects that a fresh list lacks are gone, unless they were created after the list. `isRestored`: the API server's
	 * versions went back, so that nothing known came after the list.
	 */
	replaceAll(items: readonly T[], resourceVersion: string, isRestored = false): void {
		this.keepOnly(items, resourceVersion, isRestored);
		for (const item of items) this.changed(item);
	}

	/** Only the first half of `replaceAll`: for a caller that filters what comes in. */
	keepOnly(items: readonly T[], resourceVersion: string, isRestored = false): void {
		this.#removed.clear(); // the list is right: a restored backup holds removed objects again
		const listed = new Map(items.map((item) => [item.name, item]));
		for (const known of this.#items.values()) {
			const isNewer = !isRestored && version(known) > version({ resourceVersion });
			if (isNewer) continue; // an answer to a call of ours overtook the list
			const item = listed.get(known.name);
			if (item === undefined) this.removed(known);
			// The list comes after the version that is known, and has an older one: a backup was restored.
			else if (version(item) < version(known)) {
				this.#forget(known);
				if (item.uid !== known.uid) this.#onChange(known); // it is gone: the backup holds another one of its name
			}
		}
	}

	#forget(known: T): void {
		this.#items.delete(known.name);
		this.#unindex(known);
	}

	#rememberRemoved(uid: string): void {
		this.#removed.add(uid);
		for (const oldest of this.#removed) {
			if (this.#removed.size <= MAX_REMOVED) break;
			this.#removed.delete(oldest);
		}
	}

	#unindex(item: T): void {
		for (const { keyOf, buckets } of Object.values(this.#indexes)) {
			const key = keyOf(item);
			const bucket = key === undefined ? undefined : buckets.get(key);
			bucket?.delete(item.name);
			if (key !== undefined && bucket?.size === 0) buckets.delete(key);
		}
	}
}

export function version({ resourceVersion }: Pick<Versioned, 'resourceVersion'>): bigint {
	return BigInt(resourceVersion);
}
