import { BackoffError } from './backoff-error.ts';
import type { DelayBounds } from './delay-bounds.ts';

/** Uniform over [0, 1) like `Math.random`; exactly 1 is taken too, so that a test can ask for the longest wait. */
export type RandomSource = () => number;

// Uniform between the bounds, and nothing after that: clamping a drawn delay to the base or to the cap would put
// half of the draws on one point, and the waiters that jitter should part would return together.
// The result is not rounded, because whole milliseconds would do the same to short periods.
export function drawDelay({ minMs, maxMs }: DelayBounds, random: RandomSource): number {
	const fraction = random();
	if (!Number.isFinite(fraction) || fraction < 0 || fraction > 1)
		throw new BackoffError('BACKOFF_RANDOM_INVALID', 'random()', fraction, 'must be a number from 0 to 1');
	// The minimum only removes the last bit that floating-point addition may add.
	return Math.min(maxMs, minMs + fraction * (maxMs - minMs));
}
