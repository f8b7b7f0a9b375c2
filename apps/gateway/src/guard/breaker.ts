// Circuit breaker for the API server: after some failures in a row nobody is kept waiting for another one. It never
// turns locking off; it only says no sooner. Contention and refusals are answers, not failures: they do not open it.
// It closes by itself: after a while it is half open, one call may try, and its success closes the breaker.
import type { Backoff, Clock } from '@kubernaut/backoff';

export type BreakerState =
	| { readonly name: 'closed'; readonly failures: number }
	| { readonly name: 'open'; readonly untilMs: number }
	| { readonly name: 'half-open'; readonly trying: boolean };
export const BREAKER_STATES = ['closed', 'half-open', 'open'] as const;
export type BreakerStateName = BreakerState['name'];

/** One call that was let through; only the first of the three counts, and only while the breaker still listens. */
export type Pass = { succeeded(): void; failed(): void /** It ended without telling anything. */; abandoned(): void };
export type Refused = { readonly retryAfterMs: number };

export type Breaker = {
	state(): BreakerStateName;
	tryPass(): Pass | Refused;
	/** Undefined when there is reason to try; does not take the one try of a half-open breaker. */
	refusal(): Refused | undefined;
};
/** `now` is monotonic. */
export type BreakerClock = Clock & { now(): number };
export type BreakerObserver = { breakerChanged(state: BreakerStateName): void };

export const BREAKER_DEFAULTS = { failuresToOpen: 5 } as const;

const HALF_OPEN_RETRY_MS = 1000;

/** `backoff` gives the time that it stays open, by how often in a row it opened. */
export function createBreaker(
	backoff: Pick<Backoff, 'calculate'>,
	clock: BreakerClock,
	observer: BreakerObserver,
	{ failuresToOpen }: { failuresToOpen: number } = BREAKER_DEFAULTS,
): Breaker {
	let current: BreakerState = { name: 'closed', failures: 0 };
	let openings = 0;
	// A pass from before a change knows nothing of the time after it.
	let era = 0;

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
	}
	function pass(): Pass {
		const issuedIn = era;
		let told = false;
		const once = (tell: () => void) => () => {
			if (told || issuedIn !== era) return;
			told = true;
			tell();
		};
		return {
			succeeded: once(() => {
				openings = 0;
				become({ name: 'closed', failures: 0 });
			}),
			failed: once(() => {
				const failures = current.name === 'closed' ? current.failures + 1 : failuresToOpen;
				if (failures >= failuresToOpen) open();
				else become({ name: 'closed', failures });
			}),
			abandoned: once(() => {
				if (current.name === 'half-open') become({ name: 'half-open', trying: false });
			}),
		};
	}
	function refusal(): Refused | undefined {
		if (current.name === 'open') return { retryAfterMs: Math.max(0, current.untilMs - clock.now()) };
		return current.name === 'half-open' && current.trying ? { retryAfterMs: HALF_OPEN_RETRY_MS } : undefined;
	}
	return {
		state: () => current.name,
		refusal,
		tryPass() {
			const refused = refusal();
			if (refused !== undefined) return refused;
			if (current.name === 'half-open') become({ name: 'half-open', trying: true });
			return pass();
		},
	};
}
