// Readiness of the watches: a replica whose view stands still decides from what was, and people must see that. A watch that
// reconnects is no news; one that is rejected, or cannot connect for a while, makes the replica not ready.
import type { Clock } from '../process/clock.ts';
import type { Check } from '../process/health-server.ts';

/** A watch that the API server or a proxy ended is back within this time. */
export const RECONNECT_MS = 10_000;

type OutOfSync = { readonly since: number; readonly reason: string };

export class SyncCheck {
	readonly #clock: Pick<Clock, 'now'>;
	readonly #outOfSync = new Map<string, OutOfSync>();

	/** `watched`: not ready before each of them was in sync once. */
	constructor(clock: Pick<Clock, 'now'>, watched: readonly string[]) {
		this.#clock = clock;
		for (const what of watched) this.#outOfSync.set(what, { since: -Infinity, reason: 'not listed yet' });
	}

	changed(what: string, inSync: boolean, reason: string): void {
		const since = this.#outOfSync.get(what)?.since ?? this.#clock.now();
		if (inSync) this.#outOfSync.delete(what);
		else this.#outOfSync.set(what, { since, reason });
	}

	check(): Check {
		const lost = [...this.#outOfSync].filter(([, { since }]) => this.#clock.now() - since >= RECONNECT_MS);
		return {
			name: 'watches',
			ok: lost.length === 0,
			message:
				lost.length === 0
					? 'every watch is in sync'
					: `out of sync: ${lost.map(([what, { reason }]) => `${what} (${reason})`).join('; ')}`,
		};
	}
}
