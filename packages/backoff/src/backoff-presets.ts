import { type BackoffConfig, resolveBackoffConfig } from './backoff-config.ts';

/** For waits inside a request; `BACKOFF_DEFAULTS` are for waits between reconciles and deliveries. */
export const BACKOFF_PRESETS = Object.freeze({
	/** The gateway's: contention on a lock that is usually held for less than a second. */
	standard: resolveBackoffConfig({ basePeriodMs: 100, maxPeriodMs: 1_000, multiplier: 2, jitterPercent: 10 }),
	/** High volume: starts sooner, backs off faster, spreads wider. */
	aggressive: resolveBackoffConfig({ basePeriodMs: 50, maxPeriodMs: 500, multiplier: 3, jitterPercent: 20 }),
	/** Low priority: starts later and waits longer. */
	conservative: resolveBackoffConfig({ basePeriodMs: 200, maxPeriodMs: 5_000, multiplier: 1.5, jitterPercent: 10 }),
}) satisfies Readonly<Record<string, BackoffConfig>>;

export type BackoffPreset = keyof typeof BACKOFF_PRESETS;
