// Exclusion inside one process: callers of one key wait in line, and the first has the slot.
// Guarantee: slots of one key are handed out one at a time, in order; an aborted caller never gets one; a key without
// callers takes no memory.

export type Slot = { release(): void };
type Waiter = { admit(slot: Slot): void; reject(reason: unknown): void };

export class LockQueue {
	/** By key: the callers behind the one that has the slot. */
	readonly #waiters = new Map<string, Waiter[]>();
	readonly #onWaiting: (count: number) => void;
	#waiting = 0;

	constructor(onWaiting: (count: number) => void = () => {}) {
		this.#onWaiting = onWaiting;
	}

	/** Keys that have a caller. */
	get keys(): number {
		return this.#waiters.size;
	}

	tryEnter(key: string): Slot | undefined {
		if (this.#waiters.has(key)) return undefined;
		this.#waiters.set(key, []);
		return this.#slot(key);
	}

	/** Rejects with the signal's reason when the caller aborts while it waits. */
	enter(key: string, signal?: AbortSignal): Promise<Slot> {
		if (signal?.aborted) return Promise.reject(signal.reason);
		const slot = this.tryEnter(key);
		if (slot !== undefined) return Promise.resolve(slot);
		return new Promise((resolve, reject) => {
			const waiters = this.#waiters.get(key) ?? [];
			const onAbort = () => {
				waiters.splice(waiters.indexOf(waiter), 1);
				waiter.reject(signal?.reason);
			};
			const settled = () => {
				signal?.removeEventListener('abort', onAbort);
				this.#count(-1);
			};
			const waiter: Waiter = {
				admit(admitted) {
					settled();
					resolve(admitted);
				},
				reject(reason) {
					settled();
					reject(reason);
				},
			};
			signal?.addEventListener('abort', onAbort, { once: true });
			waiters.push(waiter);
			this.#count(1);
		});
	}

	/** Rejects all waiters; callers that have a slot keep it. */
	rejectAll(reason: unknown): void {
		for (const waiters of this.#waiters.values()) for (const waiter of waiters.splice(0)) waiter.reject(reason);
	}

	#slot(key: string): Slot {
		let released = false;
		return {
			release: () => {
				if (released) return;
				released = true;
				const next = this.#waiters.get(key)?.shift();
				if (next === undefined) this.#waiters.delete(key);
				else next.admit(this.#slot(key));
			},
		};
	}

	#count(change: 1 | -1): void {
		this.#waiting += change;
		this.#onWaiting(this.#waiting);
	}
}
