// Exponential backoff with jitter.
//
// Guaranteed: the wait after attempt n is uniform over ± jitterPercent around
// min(maxPeriodMs, basePeriodMs × multiplier^(n − 1)), for every n, the first and the capped ones included.
// Not guaranteed: that a wait is at least basePeriodMs or at most maxPeriodMs. The cap holds for the period, before
// jitter; the longest wait is maxPeriodMs × (1 + jitterPercent / 100). `bounds` gives both ends.
import { type Attempt, type AttemptsOptions, attemptsWithDelays } from './attempts.ts';
import { type BackoffConfig, type BackoffOptions, resolveBackoffConfig } from './backoff-config.ts';
import { type DelayBounds, delayBounds, totalDelayBounds } from './delay-bounds.ts';
import { drawDelay, type RandomSource } from './draw-delay.ts';

export interface BackoffPorts {
	readonly random?: RandomSource | undefined;
}

/** Its functions need no `this`: they may be taken out and passed on. */
export interface Backoff {
	readonly config: BackoffConfig;
	/** Draws the wait after attempt `attempt` (the first is 1), in milliseconds, not rounded. */
	readonly calculate: (attempt: number) => number;
	/** Between which two values `calculate(attempt)` lies. */
	readonly bounds: (attempt: number) => DelayBounds;
	/** Between which two values all waits of `attempts` attempts lie together. */
	readonly totalBounds: (attempts: number) => DelayBounds;
	/** A retry loop: see `attempts.ts`. */
	readonly attempts: (options: AttemptsOptions) => AsyncGenerator<Attempt, void, undefined>;
}

export function createBackoff(options: BackoffOptions = {}, { random = Math.random }: BackoffPorts = {}): Backoff {
	const config = resolveBackoffConfig(options);
	const bounds = (attempt: number) => delayBounds(config, attempt);
	const calculate = (attempt: number) => drawDelay(bounds(attempt), random);
	return {
		config,
		calculate,
		bounds,
		totalBounds: (attempts) => totalDelayBounds(config, attempts),
		attempts: (loop) => attemptsWithDelays(calculate, loop),
	};
}

/** `BACKOFF_DEFAULTS` for callers that keep only an attempt counter, such as a controller that requeues. */
export function calculateWithDefaults(attempt: number, ports: BackoffPorts = {}): number {
	return createBackoff({}, ports).calculate(attempt);
}
