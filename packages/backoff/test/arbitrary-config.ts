import * as fc from 'fast-check';
import type { BackoffConfig } from '../src/backoff-config.ts';

const MAX_PERIOD_MS = 1e12;

/** Any config that is allowed, up to periods of thirty years. */
export const arbitraryConfig: fc.Arbitrary<BackoffConfig> = fc
	.record({
		basePeriodMs: fc.double({ min: 1e-3, max: MAX_PERIOD_MS, noNaN: true }),
		maxPeriodMs: fc.double({ min: 1e-3, max: MAX_PERIOD_MS, noNaN: true }),
		multiplier: fc.oneof(
			fc.double({ min: 1, max: 10, noNaN: true }),
			fc.double({ min: 1, max: Number.MAX_VALUE, noNaN: true }),
		),
		jitterPercent: fc.double({ min: 0, max: 100, maxExcluded: true, noNaN: true }),
	})
	.map(({ basePeriodMs, maxPeriodMs, ...rest }) => ({
		...rest,
		basePeriodMs: Math.min(basePeriodMs, maxPeriodMs),
		maxPeriodMs: Math.max(basePeriodMs, maxPeriodMs),
	}));

export const arbitraryAttempt = fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 10_000 }));
