// lock-queue.ts as a map of mutexes that never shrinks.
export type Place = { leave(): void };

export class LockQueue {
	readonly #tails = new Map<string, Promise<void>>();
	readonly #held = new Set<string>();
	readonly #onWaiting: (count: number) => void;
	#waiting = 0;

	constructor(onWaiting: (count: number) => void = () => {}) {
		this.#onWaiting = onWaiting;
	}

	get keys(): number {
		return this.#tails.size;
	}

	tryEnter(key: string): Place | undefined {
		if (this.#held.has(key)) return undefined;
		return this.#take(key);
	}

	async enter(key: string, signal?: AbortSignal): Promise<Place> {
		signal?.throwIfAborted();
		this.#onWaiting(++this.#waiting);
		while (this.#held.has(key)) await this.#tails.get(key);
		this.#onWaiting(--this.#waiting);
		return this.#take(key);
	}

	sendAllAway(): void {}

	#take(key: string): Place {
		this.#held.add(key);
		const { promise, resolve } = Promise.withResolvers<void>();
		this.#tails.set(key, promise);
		return {
			leave: () => {
				this.#held.delete(key);
				resolve();
			},
		};
	}
}
