// Keys that need a look, each at most once at a time.
// Guarantee: a key never runs twice at once; one that is added while it runs, runs again afterwards; a key whose work
// failed comes again after a growing wait; a key that nobody added takes no memory.
// Not guaranteed: order, or how often a key runs. Work looks at the state of the world, not at what happened.
import type { Backoff } from '@kubernaut/backoff';

export type Again = { readonly againAfterMs?: number };
export type QueueClock = { now(): number; setTimer(onElapsed: () => void, delayMs: number): () => void };
export type QueueObserver = {
	depth(ready: number, running: number): void;
	/** How long the key waited since it was due. */
	started(waitedSeconds: number): void;
	finished(seconds: number): void;
	failed(key: string, error: unknown, retryInMs: number): void;
};
export type WorkQueueOptions = {
	readonly concurrency: number;
	readonly backoff: Pick<Backoff, 'calculate'>;
	readonly clock: QueueClock;
	readonly observer: QueueObserver;
};

type Delayed = { readonly dueAt: number; readonly cancel: () => void };

export class WorkQueue {
	readonly #work: (key: string) => Promise<Again>;
	readonly #options: WorkQueueOptions;
	/** Due, in order, with the time since when. */
	readonly #ready = new Map<string, number>();
	readonly #delayed = new Map<string, Delayed>();
	/** Running; true when it must run again. */
	readonly #running = new Map<string, boolean>();
	readonly #failures = new Map<string, number>();
	#stopped = false;
	#onIdle: (() => void) | undefined;

	constructor(work: (key: string) => Promise<Again>, options: WorkQueueOptions) {
		this.#work = work;
		this.#options = options;
	}

	/** Keys that are due, delayed, running or failing. */
	get keys(): number {
		return new Set([...this.#ready.keys(), ...this.#delayed.keys(), ...this.#running.keys(), ...this.#failures.keys()])
			.size;
	}

	add(key: string): void {
		if (this.#stopped) return;
		this.#delayed.get(key)?.cancel();
		this.#delayed.delete(key);
		if (this.#running.has(key)) this.#running.set(key, true);
		else if (!this.#ready.has(key)) this.#ready.set(key, this.#options.clock.now());
		this.#startNext();
	}

	/** The earliest of several wins. */
	addAfter(key: string, delayMs: number): void {
		if (this.#stopped || this.#ready.has(key)) return;
		if (delayMs <= 0) return this.add(key);
		const dueAt = this.#options.clock.now() + delayMs;
		const known = this.#delayed.get(key);
		if (known !== undefined && known.dueAt <= dueAt) return undefined;
		known?.cancel();
		this.#delayed.set(key, { dueAt, cancel: this.#options.clock.setTimer(() => this.add(key), delayMs) });
		return undefined;
	}

	/** Starts nothing more; done when nothing runs. */
	async stop(): Promise<void> {
		this.#stopped = true;
		for (const { cancel } of this.#delayed.values()) cancel();
		this.#delayed.clear();
		this.#ready.clear();
		if (this.#running.size > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
	}

	#startNext(): void {
		for (const [key, since] of this.#ready) {
			if (this.#running.size >= this.#options.concurrency) break;
			this.#ready.delete(key);
			this.#running.set(key, false);
			this.#options.observer.started((this.#options.clock.now() - since) / 1000);
			void this.#run(key);
		}
		this.#options.observer.depth(this.#ready.size, this.#running.size);
	}

	async #run(key: string): Promise<void> {
		const { clock, observer, backoff } = this.#options;
		const startedAt = clock.now();
		let againAfterMs: number | undefined;
		try {
			({ againAfterMs } = await this.#work(key));
			this.#failures.delete(key);
		} catch (error) {
			const failures = (this.#failures.get(key) ?? 0) + 1;
			this.#failures.set(key, failures);
			againAfterMs = backoff.calculate(failures);
			observer.failed(key, error, againAfterMs);
		}
		observer.finished((clock.now() - startedAt) / 1000);
		const dirty = this.#running.get(key) === true;
		this.#running.delete(key);
		// What changed while it failed does not lift the wait: the failure is why it must wait.
		if (dirty && !this.#failures.has(key)) this.add(key);
		else if (againAfterMs !== undefined) this.addAfter(key, againAfterMs);
		this.#startNext();
		if (this.#running.size === 0) this.#onIdle?.();
	}
}
