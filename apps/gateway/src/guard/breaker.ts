// Circuit breaker for the API server: after some failures in a row calls are rejected at once instead of waiting for the
// next failure. It never turns locking off. Contention and refusals are answers, not failures: they do not open it.
// Silence opens it at once: a single call may stand for hundreds of callers.
// It closes by itself: after a while it is half open, one call may try, and its success closes the breaker.
import type { Backoff, Clock } from '@kubernaut/backoff';

type BreakerState =
	| { readonly name: 'closed'; readonly failures: number }
	| { readonly name: 'open'; readonly untilMs: number }
	| { readonly name: 'half-open'; readonly trying: boolean };
export const BREAKER_STATES = ['closed', 'half-open', 'open'] as const;
export type BreakerStateName = BreakerState['name'];

/** One call that was let through. Only the first report counts, and only until the state changes. */
export type Pass = {
	succeeded(): void;
	/** The API server answered, which may show less than a success: only what is half open closes. */
	answered(): void;
	failed(): void;
	/** No answer in time. An API server that is only slow answers others: `silent` is reported when it answers none. */
	unanswered(): void;
	/** Its end says nothing about the API server. */
	abandoned(): void;
};
export type Rejection = { readonly retryAfterMs: number };

export type Breaker = {
	state(): BreakerStateName;
	tryPass(): Pass | Rejection;
	/** Undefined when a call may be tried; does not take the one try of a half-open breaker. */
	rejection(): Rejection | undefined;
	/** The API server has answered nothing for too long. */
	silent(): void;
	/** For those that wait for the API server: there is nothing to wait for. Until the returned function is called. */
	onOpen(listener: () => void): () => void;
};
/** `now` is monotonic. */
export type BreakerClock = Clock & { now(): number };
export type BreakerObserver = { breakerChanged(state: BreakerStateName): void };

const BREAKER_DEFAULTS = { failuresToOpen: 5 } as const;

const HALF_OPEN_RETRY_MS = 1000;

/** `backoff` gives the time that the breaker stays open, by the number of openings in a row. */
export function createBreaker(
	backoff: Pick<Backoff, 'calculate'>,
	clock: BreakerClock,
	observer: BreakerObserver,
	{ failuresToOpen }: { failuresToOpen: number } = BREAKER_DEFAULTS,
): Breaker {
	let current: BreakerState = { name: 'closed', failures: 0 };
	let openings = 0;
	// A pass that was issued before a change of state says nothing about the time after it.
	let era = 0;
	const openListeners = new Set<() => void>();

	function become(next: BreakerState): void {
		const changed = next.name !== current.name;
		current = next;
		if (!changed) return;
		era++;
		observer.breakerChanged(next.name);
	}
	function open(): void {
		openings++;
		const openMs = backoff.calculate(openings);
		become({ name: 'open', untilMs: clock.now() + openMs });
		clock.setTimer(() => become({ name: 'half-open', trying: false }), openMs);
		for (const listener of openListeners) listener();
	}
	function close(): void {
		openings = 0;
		become({ name: 'closed', failures: 0 });
	}
	function pass(): Pass {
		const issuedIn = era;
		let reported = false;
		const once = (report: () => void) => () => {
			if (reported || issuedIn !== era) return;
			reported = true;
			report();
		};
		return {
			succeeded: once(close),
			answered: once(() => {
				if (current.name === 'half-open') close();
			}),
			failed: once(() => {
				const failures = current.name === 'closed' ? current.failures + 1 : failuresToOpen;
				if (failures >= failuresToOpen) open();
				else become({ name: 'closed', failures });
			}),
			unanswered: once(() => {
				if (current.name === 'half-open') open();
			}),
			abandoned: once(() => {
				if (current.name === 'half-open') become({ name: 'half-open', trying: false });
			}),
		};
	}
	function rejection(): Rejection | undefined {
		if (current.name === 'open') return { retryAfterMs: Math.max(0, current.untilMs - clock.now()) };
		return current.name === 'half-open' && current.trying ? { retryAfterMs: HALF_OPEN_RETRY_MS } : undefined;
	}
	return {
		state: () => current.name,
		rejection,
		tryPass() {
			const rejected = rejection();
			if (rejected !== undefined) return rejected;
			if (current.name === 'half-open') become({ name: 'half-open', trying: true });
			return pass();
		},
		silent() {
			if (current.name !== 'open') open();
		},
		onOpen(listener) {
			openListeners.add(listener);
			return () => void openListeners.delete(listener);
		},
	};
}
