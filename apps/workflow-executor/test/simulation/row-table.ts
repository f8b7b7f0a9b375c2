// Rows of whole numbers, each once, in the order in which they came, with the row that each came from. Made for millions.

const FIRST_CAPACITY = 1 << 16;

export class RowTable {
	readonly #width: number;
	#rows: Int32Array;
	#parents: Int32Array;
	/** Hash → index of a row + 1; 0 is free. Twice as long as the rows are many. */
	#slots: Int32Array;
	#size = 0;

	constructor(width: number) {
		this.#width = width;
		this.#rows = new Int32Array(FIRST_CAPACITY * width);
		this.#parents = new Int32Array(FIRST_CAPACITY);
		this.#slots = new Int32Array(FIRST_CAPACITY * 2);
	}

	get size(): number {
		return this.#size;
	}

	row(index: number): Int32Array {
		return this.#rows.subarray(index * this.#width, (index + 1) * this.#width);
	}

	parent(index: number): number {
		return this.#parents[index] ?? -1;
	}

	/** Nothing, when it is there already. */
	add(row: ArrayLike<number>, parent: number): void {
		const slot = this.#slotOf(row);
		if (this.#slots[slot] !== 0) return;
		this.#slots[slot] = this.#size + 1;
		this.#rows.set(row, this.#size * this.#width);
		this.#parents[this.#size] = parent;
		this.#size++;
		if (this.#size === this.#parents.length) this.#grow();
	}

	/** Where the row stands, or would stand. */
	#slotOf(row: ArrayLike<number>): number {
		const mask = this.#slots.length - 1;
		let hash = 17;
		for (let column = 0; column < this.#width; column++) hash = Math.imul(hash ^ (row[column] ?? 0), 0x9e3779b1);
		let slot = (hash ^ (hash >>> 15)) & mask;
		for (
			let found = this.#slots[slot] ?? 0;
			found !== 0 && !this.#isRow(found - 1, row);
			found = this.#slots[slot] ?? 0
		)
			slot = (slot + 1) & mask;
		return slot;
	}

	#isRow(index: number, row: ArrayLike<number>): boolean {
		const at = index * this.#width;
		for (let column = 0; column < this.#width; column++) if (this.#rows[at + column] !== row[column]) return false;
		return true;
	}

	#grow(): void {
		const capacity = this.#parents.length * 2;
		this.#rows = copied(this.#rows, capacity * this.#width);
		this.#parents = copied(this.#parents, capacity);
		this.#slots = new Int32Array(capacity * 2);
		for (let index = 0; index < this.#size; index++) this.#slots[this.#slotOf(this.row(index))] = index + 1;
	}
}

function copied(numbers: Int32Array, length: number): Int32Array {
	const longer = new Int32Array(length);
	longer.set(numbers);
	return longer;
}
