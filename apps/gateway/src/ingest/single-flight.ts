// One run per key at a time; callers that come while it runs share its result.
// An abort ends the wait of its caller only: the run goes on for the others, and is aborted when none is left. Its end may
// take a while; a caller that comes meanwhile gets a run of its own.
import { orAborted } from '../process/abort.ts';

type Flight<T> = { readonly result: Promise<T>; readonly abandon: AbortController; callers: number };

export class SingleFlight<T> {
	/** Those that can be joined. */
	readonly #flights = new Map<string, Flight<T>>();

	/** `leads`: this call started the run. Rejects with the reason of the caller's abort. */
	async run(
		key: string,
		start: (abandoned: AbortSignal) => Promise<T>,
		abort: AbortSignal,
	): Promise<{ value: T; leads: boolean }> {
		abort.throwIfAborted();
		let flight = this.#flights.get(key);
		const leads = flight === undefined;
		flight ??= this.#start(key, start);
		flight.callers++;
		try {
			return { value: await orAborted(flight.result, abort), leads };
		} finally {
			flight.callers--;
			if (flight.callers === 0 && this.#close(key, flight)) flight.abandon.abort(abort.reason);
		}
	}

	get keys(): number {
		return this.#flights.size;
	}

	#start(key: string, start: (abandoned: AbortSignal) => Promise<T>): Flight<T> {
		const abandon = new AbortController();
		const result = start(abandon.signal).finally(() => this.#close(key, flight));
		result.catch(() => {}); // the callers get it; there may be none left
		const flight: Flight<T> = { result, abandon, callers: 0 };
		this.#flights.set(key, flight);
		return flight;
	}

	/** Whether it was still open; the key may have another flight by now. */
	#close(key: string, flight: Flight<T>): boolean {
		return this.#flights.get(key) === flight && this.#flights.delete(key);
	}
}
