// Keys to reconcile, each at most once at a time.
// Guarantee: a key never runs twice at once; a key that is added while it runs, runs again afterwards; a key that failed
// is requeued after a growing wait, which nothing shortens; a key that is neither added, running nor failing takes no memory.
// Not guaranteed: order, or how often a key runs. Work reads the state of the world, not what happened to it.
import type { Backoff } from '@kubernaut/backoff';
import type { Clock } from '../process/clock.ts';

/** When the key must run again, without anything being added. */
export type Requeue = {
	readonly afterMs?: number;
	/** Nothing was tried, because another replica is at it: the failures before it count on. */
	readonly untried?: true;
};
export type Reconcile = (key: string) => Promise<Requeue>;
export type QueueObserver = {
	depth(ready: number, running: number): void;
	/** How long the key waited since it was due. */
	started(waitedSeconds: number): void;
	finished(seconds: number): void;
	failed(key: string, error: unknown, retryInMs: number): void;
};
export type WorkQueueOptions = {
	readonly concurrency: number;
	/** How long a key that is added waits before it is due. */
	readonly waitMs: (key: string) => number;
	readonly backoff: Pick<Backoff, 'calculate'>;
	readonly clock: Pick<Clock, 'now' | 'setTimer'>;
	readonly observer: QueueObserver;
};

type Delayed = { readonly dueAt: number; readonly cancel: () => void };

export class WorkQueue {
	readonly #options: WorkQueueOptions;
	/** Undefined until the start, and on hold. */
	#reconcile: Reconcile | undefined;
	/** Added before the start, or on hold. */
	readonly #early = new Set<string>();
	/** Due, in order, with the time since when. */
	readonly #ready = new Map<string, number>();
	readonly #delayed = new Map<string, Delayed>();
	/** Running; true when it must run again. */
	readonly #running = new Map<string, boolean>();
	/** Failures in a row, and when the next attempt may begin. */
	readonly #failures = new Map<string, { readonly count: number; readonly retryAt: number }>();
	#stopped = false;
	#onIdle: (() => void) | undefined;

	constructor(options: WorkQueueOptions) {
		this.#options = options;
	}

	/** Keys that are due, delayed, running or failing. */
	get keys(): number {
		const held = [this.#early, this.#ready, this.#delayed, this.#running, this.#failures];
		return new Set(held.flatMap((keys) => [...keys.keys()])).size;
	}

	/** Keys that were added before are added now. */
	start(reconcile: Reconcile): void {
		this.#reconcile = reconcile;
		for (const key of this.#early) this.add(key);
		this.#early.clear();
		this.#startNext();
	}

	/** Starts nothing until the next start; what runs goes on. */
	hold(): void {
		this.#reconcile = undefined;
	}

	/** Due after its wait; of several waits the one that ends first counts. */
	add(key: string): void {
		if (this.#stopped) return;
		if (this.#reconcile === undefined) this.#early.add(key);
		else this.#addAfter(key, this.#options.waitMs(key));
	}

	/** Starts nothing more; done when nothing runs. */
	async stop(): Promise<void> {
		this.#stopped = true;
		for (const { cancel } of this.#delayed.values()) cancel();
		this.#delayed.clear();
		this.#ready.clear();
		this.#early.clear();
		if (this.#running.size > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
	}

	#addNow(key: string): void {
		if (this.#stopped) return;
		this.#delayed.get(key)?.cancel();
		this.#delayed.delete(key);
		if (this.#running.has(key)) this.#running.set(key, true);
		else if (!this.#ready.has(key)) this.#ready.set(key, this.#options.clock.now());
		this.#startNext();
	}

	#addAfter(key: string, delayMs: number): void {
		if (this.#stopped || this.#ready.has(key)) return;
		const now = this.#options.clock.now();
		const dueAt = Math.max(now + delayMs, this.#failures.get(key)?.retryAt ?? 0);
		if (dueAt <= now) return this.#addNow(key);
		const known = this.#delayed.get(key);
		if (known !== undefined && known.dueAt <= dueAt) return undefined;
		known?.cancel();
		this.#delayed.set(key, { dueAt, cancel: this.#options.clock.setTimer(() => this.#addNow(key), dueAt - now) });
		return undefined;
	}

	#startNext(): void {
		const reconcile = this.#reconcile;
		if (reconcile === undefined) return;
		for (const [key, since] of this.#ready) {
			if (this.#running.size >= this.#options.concurrency) break;
			this.#ready.delete(key);
			this.#running.set(key, false);
			this.#options.observer.started((this.#options.clock.now() - since) / 1000);
			void this.#run(key, reconcile);
		}
		this.#options.observer.depth(this.#ready.size, this.#running.size);
	}

	async #run(key: string, reconcile: Reconcile): Promise<void> {
		const { clock, observer, backoff } = this.#options;
		const startedAt = clock.now();
		let afterMs: number | undefined;
		try {
			const requeue = await reconcile(key);
			({ afterMs } = requeue);
			if (requeue.untried !== true) this.#failures.delete(key);
		} catch (error) {
			const count = (this.#failures.get(key)?.count ?? 0) + 1;
			afterMs = backoff.calculate(count);
			this.#failures.set(key, { count, retryAt: clock.now() + afterMs });
			this.#delayed.get(key)?.cancel(); // it was due before the wait is over
			this.#delayed.delete(key);
			observer.failed(key, error, afterMs);
		}
		observer.finished((clock.now() - startedAt) / 1000);
		const dirty = this.#running.get(key) === true;
		this.#running.delete(key);
		// A change while it failed does not lift the wait: the failure is why it must wait.
		if (dirty) this.#addAfter(key, 0);
		else if (afterMs !== undefined) this.#addAfter(key, afterMs);
		this.#startNext();
		if (this.#running.size === 0) this.#onIdle?.();
	}
}
