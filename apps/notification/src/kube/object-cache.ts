// All objects of one kind, as far as the watch has told, found by name and by what they are indexed under. A view that
// may be old: it proposes, and the API server has the last word.

export type Versioned = { readonly name: string; readonly uid: string; readonly resourceVersion: string };
type Index<T> = { readonly keyOf: (item: T) => string | undefined; readonly buckets: Map<string, Map<string, T>> };

// More than are removed while one call is under way.
const MOST_GONE = 1000;

export class ObjectCache<T extends Versioned, I extends string = never> {
	readonly #items = new Map<string, T>();
	readonly #indexes: Readonly<Record<string, Index<T>>>;
	readonly #onChange: (item: T) => void;
	/** Removed a short time ago: an answer to one of our calls may still be under way, with what it was before. */
	readonly #gone = new Set<string>();

	constructor(keys: Readonly<Record<I, (item: T) => string | undefined>>, onChange: (item: T) => void = () => {}) {
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

	/** An older version, arriving late, changes nothing, and brings back nothing that is gone. */
	changed(item: T): void {
		const known = this.#items.get(item.name);
		if (this.#gone.has(item.uid)) return;
		if (known !== undefined && version(known) >= version(item)) return;
		if (known !== undefined) this.#unindex(known);
		this.#items.set(item.name, item);
		for (const { keyOf, buckets } of Object.values(this.#indexes)) {
			const key = keyOf(item);
			if (key === undefined) continue;
			const bucket = buckets.get(key) ?? new Map<string, T>();
			buckets.set(key, bucket.set(item.name, item));
		}
		this.#onChange(item);
	}

	/** `item`: the last version that is known to be gone; a newer one, made under the same name, stays. */
	removed(item: T): void {
		const known = this.#items.get(item.name);
		if (known !== undefined && version(known) > version(item)) return;
		this.#rememberGone(item.uid);
		if (known === undefined) return;
		this.#items.delete(item.name);
		this.#unindex(known);
		this.#onChange(known);
	}

	/** What a fresh list does not hold is gone, unless we made it after the list. */
	replaceAll(items: readonly T[], resourceVersion: string): void {
		this.keepOnly(items, resourceVersion);
		for (const item of items) this.changed(item);
	}

	/** Only the first half of that: for a caller with a condition of its own on what comes in. */
	keepOnly(items: readonly T[], resourceVersion: string): void {
		this.#gone.clear(); // it knows better: a restored backup holds again what was gone
		const listed = new Set(items.map(({ name }) => name));
		for (const known of this.#items.values()) if (!listed.has(known.name)) this.removed({ ...known, resourceVersion });
	}

	#rememberGone(uid: string): void {
		this.#gone.add(uid);
		for (const oldest of this.#gone) {
			if (this.#gone.size <= MOST_GONE) break;
			this.#gone.delete(oldest);
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
