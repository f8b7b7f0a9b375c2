// When a sender that is sent away should come back: after the backlog of now is done, and not with all the others.

const MIN_SECONDS = 1;
const MAX_SECONDS = 30;

/** Whole seconds, between the wait and twice the wait; `random` is from 0 up to 1. */
export function retryAfterMs(waitMs: number, random: () => number = Math.random): number {
	const seconds = Math.min(Math.max(waitMs / 1000, MIN_SECONDS), MAX_SECONDS);
	return Math.round(seconds * (1 + random())) * 1000;
}
