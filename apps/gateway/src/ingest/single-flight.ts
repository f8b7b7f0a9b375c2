// One run per key at a time; whoever comes while it runs shares its result.
// A caller that leaves leaves alone: the run goes on for the others, and is told to end when nobody is left. It may take
// a while to do so; whoever comes meanwhile gets a run of its own.
import { orAborted } from '../process/abort.ts';

type Flight<T> = { readonly result: Promise<T>; readonly abandon: AbortController; passengers: number };

export class SingleFlight<T> {
	/** Those that can be boarded. */
	readonly #flights = new Map<string, Flight<T>>();

	/** `leads` tells whether this call started the run. Rejects with the signal's reason when the caller leaves. */
	async run(
		key: string,
		start: (signal: AbortSignal) => Promise<T>,
		signal: AbortSignal,
	): Promise<{ value: T; leads: boolean }> {
		signal.throwIfAborted();
		let flight = this.#flights.get(key);
		const leads = flight === undefined;
		flight ??= this.#start(key, start);
		flight.passengers++;
		try {
			return { value: await orAborted(flight.result, signal), leads };
		} finally {
			flight.passengers--;
			if (flight.passengers === 0 && this.#close(key, flight)) flight.abandon.abort(signal.reason);
		}
	}

	get keys(): number {
		return this.#flights.size;
	}

	#start(key: string, start: (signal: AbortSignal) => Promise<T>): Flight<T> {
		const abandon = new AbortController();
		const result = start(abandon.signal).finally(() => this.#close(key, flight));
		result.catch(() => {}); // told to the passengers; there may be none left
		const flight: Flight<T> = { result, abandon, passengers: 0 };
		this.#flights.set(key, flight);
		return flight;
	}

	/** Whether it was still open; the key may have another by now. */
	#close(key: string, flight: Flight<T>): boolean {
		return this.#flights.get(key) === flight && this.#flights.delete(key);
	}
}
