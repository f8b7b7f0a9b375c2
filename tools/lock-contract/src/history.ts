// A history of stays under a lock, recorded while it happens and judged afterwards.

export type Stay = { readonly who: string; readonly entered: number; readonly left: number };

export class History {
	readonly stays: Stay[] = [];
	readonly #now: () => number;

	constructor(now: () => number = () => performance.now()) {
		this.#now = now;
	}

	async record<T>(who: string, work: () => Promise<T>): Promise<T> {
		const entered = this.#now();
		try {
			return await work();
		} finally {
			this.stays.push({ who, entered, left: this.#now() });
		}
	}
}

/** Pairs of stays that overlap; touching ends do not. */
export function overlaps(stays: readonly Stay[]): string[] {
	const inOrder = stays.toSorted((a, b) => a.entered - b.entered || a.left - b.left);
	const found: string[] = [];
	let last: Stay | undefined;
	for (const stay of inOrder) {
		if (last !== undefined && stay.entered < last.left) found.push(`${stay.who} entered before ${last.who} had left`);
		if (last === undefined || stay.left > last.left) last = stay;
	}
	return found;
}
