/** Values by number: the same value is the same number. */
export class Numbered<T> {
	readonly #byKey = new Map<string, number>();
	readonly #items: T[] = [];

	get size(): number {
		return this.#items.length;
	}

	numberOf(item: T): number {
		const key = JSON.stringify(item);
		const known = this.#byKey.get(key);
		if (known !== undefined) return known;
		this.#byKey.set(key, this.#items.length);
		return this.#items.push(item) - 1;
	}

	at(number: number): T {
		const item = this.#items[number];
		if (item === undefined) throw new Error(`there is no number ${number}`);
		return item;
	}
}
