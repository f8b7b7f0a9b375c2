// How long a group stays open before it is written. While every turn of the event loop brings somebody, more are at the
// door, and one write for all is sooner done than two. Who comes alone waits for a few turns, which is nothing.

// Between the arrival of a body and its signal lie a few turns; a pause shorter than that is none.
const QUIET_TURNS = 3;
// A stream of signals that never pauses must not keep the first ones waiting.
const MOST_MS = 150;

export type GatherPorts = { readonly turn: () => Promise<void>; readonly now: () => number };

export function gatherWhileMoreCome({ turn, now }: GatherPorts): (size: () => number) => Promise<void> {
	return async (size) => {
		const endsAt = now() + MOST_MS;
		for (let quiet = 0, before = size(); quiet < QUIET_TURNS && now() < endsAt; ) {
			await turn();
			quiet = size() > before ? 0 : quiet + 1;
			before = size();
		}
	};
}

/** Requests that have arrived are read by then: each has a turn of the event loop of its own. */
export function nextTurn(): Promise<void> {
	return new Promise((resolve) => setImmediate(resolve));
}
