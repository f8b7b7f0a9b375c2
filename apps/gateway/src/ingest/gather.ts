// How long a group of signals stays open before it is written. While every turn of the event loop brings another signal,
// more are about to come, and one write for all is sooner done than two. A single signal waits for a few turns only.

// Between the arrival of a body and its signal lie a few turns; a shorter pause is none.
const QUIET_TURNS = 3;
// A stream of signals that never pauses must not keep the first ones waiting.
const MAX_GATHER_MS = 150;

export type GatherPorts = { readonly turn: () => Promise<void>; readonly now: () => number };

export function gatherWhileMoreCome({ turn, now }: GatherPorts): (size: () => number) => Promise<void> {
	return async (size) => {
		const endsAt = now() + MAX_GATHER_MS;
		for (let quiet = 0, before = size(); quiet < QUIET_TURNS && now() < endsAt; ) {
			await turn();
			quiet = size() > before ? 0 : quiet + 1;
			before = size();
		}
	};
}

/** HTTP requests that have arrived are read by then: each has a turn of the event loop of its own. */
export function nextTurn(): Promise<void> {
	return new Promise((resolve) => setImmediate(resolve));
}
