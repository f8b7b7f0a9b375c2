import { describe, expect, it } from 'vitest';
import { seededRandom } from '../test/seeded-random.ts';
import { BACKOFF_DEFAULTS } from './backoff-config.ts';
import { BACKOFF_PRESETS } from './backoff-presets.ts';
import { calculateWithDefaults, createBackoff } from './create-backoff.ts';

function fiveWaits(seed: number): number[] {
	const { calculate } = createBackoff(BACKOFF_PRESETS.standard, { random: seededRandom(seed) });
	return [1, 2, 3, 4, 5].map(calculate);
}

describe('a backoff', () => {
	it('has the defaults when nothing is asked for', () => {
		expect(createBackoff().config).toEqual(BACKOFF_DEFAULTS);
	});

	it('is refused when its options are', () => {
		expect(() => createBackoff({ basePeriodMs: 0 })).toThrow('basePeriodMs is 0');
	});

	it('with the same source of randomness gives the same waits', () => {
		expect(fiveWaits(7)).toEqual(fiveWaits(7));
		expect(fiveWaits(7)).not.toEqual(fiveWaits(8));
	});

	it('gives the bounds of one wait and of all', () => {
		const backoff = createBackoff(BACKOFF_PRESETS.standard);
		expect(backoff.bounds(1)).toEqual({ minMs: 90, periodMs: 100, maxMs: 110 });
		expect(backoff.totalBounds(10)).toEqual({ minMs: 5_850, periodMs: 6_500, maxMs: 7_150 });
	});

	it('refuses an attempt that does not count from 1', () => {
		expect(() => createBackoff().calculate(0)).toThrow('attempt is 0: must be an integer from 1');
	});
});

describe('calculateWithDefaults', () => {
	it.each([
		{ attempt: 1, want: 30_000 },
		{ attempt: 2, want: 60_000 },
		{ attempt: 3, want: 120_000 },
		{ attempt: 4, want: 240_000 },
		{ attempt: 5, want: 300_000 },
		{ attempt: 10_000, want: 300_000 },
	])('is $want ms ± 10 % after attempt $attempt', ({ attempt, want }) => {
		expect(calculateWithDefaults(attempt, { random: () => 0 })).toBe(want * 0.9);
		expect(calculateWithDefaults(attempt, { random: () => 0.5 })).toBe(want);
		const drawn = calculateWithDefaults(attempt);
		expect(drawn).toBeGreaterThanOrEqual(want * 0.9);
		expect(drawn).toBeLessThanOrEqual((want * 110) / 100);
	});
});
