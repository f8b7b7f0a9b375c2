import type { BackoffConfig } from './backoff-config.ts';
import { BackoffError } from './backoff-error.ts';

export interface DelayBounds {
	readonly minMs: number;
	/** The middle, without jitter: exponential, then capped. */
	readonly periodMs: number;
	readonly maxMs: number;
}

/** The bounds of the wait after attempt `attempt` (the first is 1). */
export function delayBounds(config: BackoffConfig, attempt: number): DelayBounds {
	requireAttempt('attempt', attempt);
	return spread(periodAfter(config, attempt), config.jitterPercent);
}

/** The bounds of all waits of a loop with `attempts` attempts: one wait fewer, because nothing follows the last. */
export function totalDelayBounds(config: BackoffConfig, attempts: number): DelayBounds {
	requireAttempt('attempts', attempts);
	let totalMs = 0;
	for (let attempt = 1; attempt < attempts; attempt++) {
		const periodMs = periodAfter(config, attempt);
		// From here on all are alike: a loop that goes on for ever is added up in no time too.
		if (periodMs === config.maxPeriodMs || config.multiplier === 1)
			return spread(totalMs + periodMs * (attempts - attempt), config.jitterPercent);
		totalMs += periodMs;
	}
	return spread(totalMs, config.jitterPercent);
}

// A power, not a loop of multiplications: late attempts overflow to Infinity, and the cap brings that back.
function periodAfter(config: BackoffConfig, attempt: number): number {
	return Math.min(config.maxPeriodMs, config.basePeriodMs * config.multiplier ** (attempt - 1));
}

// In these steps, because floating point rounds each: 100 ms + 10 % is 110 (100 × 1.1 is 110.00000000000001),
// and without jitter both ends are the period itself (period × 100 / 100 is not always).
function spread(periodMs: number, jitterPercent: number): DelayBounds {
	const jitterMs = (periodMs * jitterPercent) / 100;
	return { minMs: periodMs - jitterMs, periodMs, maxMs: periodMs + jitterMs };
}

function requireAttempt(key: string, value: number): void {
	if (!Number.isSafeInteger(value) || value < 1)
		throw new BackoffError(
			'BACKOFF_ATTEMPT_INVALID',
			key,
			value,
			`must be an integer from 1 to ${Number.MAX_SAFE_INTEGER}`,
		);
}
