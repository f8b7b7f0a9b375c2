import { BackoffError } from './backoff-error.ts';

export interface BackoffConfig {
	/** The wait after the first attempt, before jitter. */
	readonly basePeriodMs: number;
	/** Where the growth stops, before jitter. */
	readonly maxPeriodMs: number;
	/** Each wait is this many times the one before. */
	readonly multiplier: number;
	/** Every wait is spread evenly over ± this share of itself. */
	readonly jitterPercent: number;
}

export type BackoffOptions = Partial<BackoffConfig>;

export const BACKOFF_DEFAULTS: BackoffConfig = Object.freeze({
	basePeriodMs: 30_000,
	maxPeriodMs: 300_000,
	multiplier: 2,
	jitterPercent: 10,
});

// Values may come from the environment or a custom resource, so types alone are not trusted:
// Number.isFinite also refuses numeric strings and NaN, which plain comparisons would let through.
export function resolveBackoffConfig(options: BackoffOptions = {}): BackoffConfig {
	const { basePeriodMs, maxPeriodMs, multiplier, jitterPercent, ...unknown } = { ...BACKOFF_DEFAULTS, ...options };

	for (const [key, value] of Object.entries(unknown))
		throw refused(key, value, `there is no such key; there are ${Object.keys(BACKOFF_DEFAULTS).join(', ')}`);

	if (!Number.isFinite(basePeriodMs) || basePeriodMs <= 0)
		throw refused('basePeriodMs', basePeriodMs, 'must be a finite number greater than 0');

	// The upper limit keeps the largest wait finite when jitter is added.
	if (!Number.isFinite(maxPeriodMs) || maxPeriodMs < basePeriodMs || maxPeriodMs > Number.MAX_SAFE_INTEGER)
		throw refused(
			'maxPeriodMs',
			maxPeriodMs,
			`must be a number from basePeriodMs (${basePeriodMs}) to ${Number.MAX_SAFE_INTEGER}`,
		);

	if (!Number.isFinite(multiplier) || multiplier < 1)
		throw refused('multiplier', multiplier, 'must be a finite number of at least 1');

	// At 100 a wait could be zero: a retry loop without a pause.
	if (!Number.isFinite(jitterPercent) || jitterPercent < 0 || jitterPercent >= 100)
		throw refused('jitterPercent', jitterPercent, 'must be a number from 0 to below 100');

	return Object.freeze({ basePeriodMs, maxPeriodMs, multiplier, jitterPercent });
}

function refused(key: string, value: unknown, rule: string): BackoffError {
	return new BackoffError('BACKOFF_CONFIG_INVALID', key, value, rule);
}
