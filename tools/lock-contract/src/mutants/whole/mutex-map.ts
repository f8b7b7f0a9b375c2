// lock-queue.ts as a map of mutexes that never shrinks.
export type Slot = { release(): void };

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

	tryEnter(key: string): Slot | undefined {
		if (this.#held.has(key)) return undefined;
		return this.#take(key);
	}

	async enter(key: string, signal?: AbortSignal): Promise<Slot> {
		signal?.throwIfAborted();
		this.#onWaiting(++this.#waiting);
		while (this.#held.has(key)) await this.#tails.get(key);
		this.#onWaiting(--this.#waiting);
		return this.#take(key);
	}

	rejectAll(): void {}

	#take(key: string): Slot {
		this.#held.add(key);
		const { promise, resolve } = Promise.withResolvers<void>();
		this.#tails.set(key, promise);
		return {
			release: () => {
				this.#held.delete(key);
				resolve();
			},
		};
	}
}
