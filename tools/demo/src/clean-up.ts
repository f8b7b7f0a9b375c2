// What was started is stopped, the last first, exactly once, however the demo ends.
// Guarantee: everything that was handed over here is stopped before the process exits, also what is still starting.
// A second Ctrl-C does not wait for that: the processes' watchdog does it then.

export class CleanUp {
	readonly #stops: (() => Promise<unknown>)[] = [];
	readonly #abort = new AbortController();
	#ending: Promise<never> | undefined;
	readonly #exit: (code: number) => never;

	constructor(exit: (code: number) => never = (code) => process.exit(code)) {
		this.#exit = exit;
	}

	/** Aborts when the end has begun. */
	get signal(): AbortSignal {
		return this.#abort.signal;
	}

	/** In time for what is still starting: if it comes up after all, it is stopped. */
	async starting<T>(start: Promise<T>, stop: (started: T) => Promise<unknown>): Promise<T> {
		this.#stops.push(async () => {
			const started = await start.catch(() => undefined); // the caller of start gets the error
			if (started !== undefined) await stop(started);
		});
		const started = await start;
		this.signal.throwIfAborted();
		return started;
	}

	add(stop: () => Promise<unknown>): void {
		this.#stops.push(stop);
	}

	end(exitCode: number): Promise<never> {
		this.#ending ??= this.#stopAll(exitCode);
		return this.#ending;
	}

	async #stopAll(exitCode: number): Promise<never> {
		this.#abort.abort();
		let code = exitCode;
		for (const stop of this.#stops.toReversed())
			await stop().catch((error: unknown) => {
				console.error(`While cleaning up: ${error instanceof Error ? error.message : String(error)}`);
				code ||= 1;
			});
		return this.#exit(code);
	}
}
