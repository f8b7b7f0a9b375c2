// Exclusion inside one process: callers of one key stand in line, the first has the place.
// Guarantee: places of one key are handed out one at a time, in order; a caller that left is never handed one; a key
// that nobody wants takes no memory.

export type Place = { leave(): void };
type Waiter = { admit(place: Place): void; sendAway(reason: unknown): void };

export class LockQueue {
	/** The waiters behind the one that has the place. */
	readonly #lines = new Map<string, Waiter[]>();
	readonly #onWaiting: (count: number) => void;
	#waiting = 0;

	constructor(onWaiting: (count: number) => void = () => {}) {
		this.#onWaiting = onWaiting;
	}

	/** Keys that somebody has or wants. */
	get keys(): number {
		return this.#lines.size;
	}

	tryEnter(key: string): Place | undefined {
		if (this.#lines.has(key)) return undefined;
		this.#lines.set(key, []);
		return this.#place(key);
	}

	/** Rejects with the signal's reason when the caller leaves the line. */
	enter(key: string, signal?: AbortSignal): Promise<Place> {
		if (signal?.aborted) return Promise.reject(signal.reason);
		const place = this.tryEnter(key);
		if (place !== undefined) return Promise.resolve(place);
		return new Promise((resolve, reject) => {
			const line = this.#lines.get(key) ?? [];
			const leaveLine = () => {
				line.splice(line.indexOf(waiter), 1);
				waiter.sendAway(signal?.reason);
			};
			const settled = () => {
				signal?.removeEventListener('abort', leaveLine);
				this.#count(-1);
			};
			const waiter: Waiter = {
				admit(admitted) {
					settled();
					resolve(admitted);
				},
				sendAway(reason) {
					settled();
					reject(reason);
				},
			};
			signal?.addEventListener('abort', leaveLine, { once: true });
			line.push(waiter);
			this.#count(1);
		});
	}

	/** Those who wait; who has a place keeps it. */
	sendAllAway(reason: unknown): void {
		for (const line of this.#lines.values()) for (const waiter of line.splice(0)) waiter.sendAway(reason);
	}

	#place(key: string): Place {
		let left = false;
		return {
			leave: () => {
				if (left) return;
				left = true;
				const next = this.#lines.get(key)?.shift();
				if (next === undefined) this.#lines.delete(key);
				else next.admit(this.#place(key));
			},
		};
	}

	#count(change: 1 | -1): void {
		this.#waiting += change;
		this.#onWaiting(this.#waiting);
	}
}
