import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arbitraryAttempt, arbitraryConfig } from '../test/arbitrary-config.ts';
import { BACKOFF_DEFAULTS, resolveBackoffConfig } from './backoff-config.ts';
import { BACKOFF_PRESETS } from './backoff-presets.ts';
import { delayBounds, totalDelayBounds } from './delay-bounds.ts';

const { standard, aggressive, conservative } = BACKOFF_PRESETS;

describe('the bounds of one wait', () => {
	it.each([
		{ name: 'standard', config: standard, attempt: 1, want: [90, 100, 110] },
		{ name: 'standard', config: standard, attempt: 2, want: [180, 200, 220] },
		{ name: 'standard', config: standard, attempt: 3, want: [360, 400, 440] },
		{ name: 'standard', config: standard, attempt: 4, want: [720, 800, 880] },
		{ name: 'standard', config: standard, attempt: 5, want: [900, 1_000, 1_100] },
		{ name: 'standard', config: standard, attempt: 10_000, want: [900, 1_000, 1_100] },
		{ name: 'aggressive', config: aggressive, attempt: 3, want: [360, 450, 540] },
		{ name: 'aggressive', config: aggressive, attempt: 4, want: [400, 500, 600] },
		{ name: 'conservative', config: conservative, attempt: 3, want: [405, 450, 495] },
		{ name: 'defaults', config: BACKOFF_DEFAULTS, attempt: 4, want: [216_000, 240_000, 264_000] },
		{ name: 'defaults', config: BACKOFF_DEFAULTS, attempt: 5, want: [270_000, 300_000, 330_000] },
	])('$name, attempt $attempt', ({ config, attempt, want }) => {
		const { minMs, periodMs, maxMs } = delayBounds(config, attempt);
		expect([minMs, periodMs, maxMs]).toEqual(want);
	});

	it('start at the base and never pass the cap by more than the jitter', () => {
		expect.hasAssertions();
		fc.assert(
			fc.property(arbitraryConfig, arbitraryAttempt, (config, attempt) => {
				const { minMs, periodMs, maxMs } = delayBounds(config, attempt);
				expect(delayBounds(config, 1).periodMs).toBe(config.basePeriodMs);
				expect(minMs).toBeGreaterThanOrEqual(0);
				expect(minMs).toBeLessThanOrEqual(periodMs);
				expect(periodMs).toBeLessThanOrEqual(maxMs);
				expect(periodMs).toBeLessThanOrEqual(config.maxPeriodMs);
				expect(maxMs).toBeLessThanOrEqual(config.maxPeriodMs + (config.maxPeriodMs * config.jitterPercent) / 100);
			}),
		);
	});

	it('without jitter are the period itself', () => {
		expect.hasAssertions();
		fc.assert(
			fc.property(arbitraryConfig, arbitraryAttempt, (config, attempt) => {
				const { minMs, periodMs, maxMs } = delayBounds({ ...config, jitterPercent: 0 }, attempt);
				expect([minMs, maxMs]).toEqual([periodMs, periodMs]);
			}),
		);
	});

	it('grow with the attempt by the multiplier until the cap', () => {
		expect.hasAssertions();
		fc.assert(
			fc.property(arbitraryConfig, arbitraryAttempt, (config, attempt) => {
				const { periodMs } = delayBounds(config, attempt);
				const next = delayBounds(config, attempt + 1).periodMs;
				const want = Math.min(config.maxPeriodMs, periodMs * config.multiplier);
				expect(Math.abs(next - want)).toBeLessThanOrEqual(want * 1e-12);
			}),
		);
	});

	it('stay finite for every config and any attempt', () => {
		const steepest = resolveBackoffConfig({
			basePeriodMs: Number.MAX_SAFE_INTEGER,
			maxPeriodMs: Number.MAX_SAFE_INTEGER,
			multiplier: Number.MAX_VALUE,
			jitterPercent: 99,
		});
		for (const attempt of [1, 2, 10_000, Number.MAX_SAFE_INTEGER])
			expect(Number.isFinite(delayBounds(steepest, attempt).maxMs)).toBe(true);
	});

	it.each([
		{ attempt: 0 },
		{ attempt: -1 },
		{ attempt: 1.5 },
		{ attempt: Number.NaN },
		{ attempt: Infinity },
		{ attempt: 2 ** 53 },
	])('attempt $attempt is refused', ({ attempt }) => {
		const wantMessage = `is ${attempt}: must be an integer from 1 to 9007199254740991`;
		const wantCode = { code: 'BACKOFF_ATTEMPT_INVALID' };
		expect(() => delayBounds(standard, attempt)).toThrow(`attempt ${wantMessage}`);
		expect(() => totalDelayBounds(standard, attempt)).toThrow(`attempts ${wantMessage}`);
		expect(() => delayBounds(standard, attempt)).toThrow(expect.objectContaining(wantCode));
	});
});

describe('the bounds of all waits', () => {
	it.each([
		{ name: 'standard', config: standard, attempts: 1, want: [0, 0, 0] },
		{ name: 'standard', config: standard, attempts: 2, want: [90, 100, 110] },
		{ name: 'standard', config: standard, attempts: 10, want: [5_850, 6_500, 7_150] },
		{ name: 'aggressive', config: aggressive, attempts: 10, want: [2_920, 3_650, 4_380] },
		{ name: 'defaults', config: BACKOFF_DEFAULTS, attempts: 6, want: [675_000, 750_000, 825_000] },
		{
			name: 'standard, without an end',
			config: standard,
			attempts: 1e12,
			want: [9e14 - 3_150, 1e15 - 3_500, 1.1e15 - 3_850],
		},
		{
			name: 'no growth, without an end',
			config: resolveBackoffConfig({ multiplier: 1, jitterPercent: 0 }),
			attempts: 1e9 + 1,
			want: [3e13, 3e13, 3e13],
		},
	])('$name, $attempts attempts', ({ config, attempts, want }) => {
		const { minMs, periodMs, maxMs } = totalDelayBounds(config, attempts);
		expect([minMs, periodMs, maxMs]).toEqual(want);
	});

	it('are the sums of the single bounds', () => {
		expect.hasAssertions();
		fc.assert(
			fc.property(arbitraryConfig, fc.integer({ min: 1, max: 30 }), (config, attempts) => {
				const waits = Array.from({ length: attempts - 1 }, (_, index) => delayBounds(config, index + 1));
				const total = totalDelayBounds(config, attempts);
				for (const key of ['minMs', 'periodMs', 'maxMs'] as const) {
					const sum = waits.reduce((soFar, wait) => soFar + wait[key], 0);
					expect(Math.abs(total[key] - sum)).toBeLessThanOrEqual(total.periodMs * 1e-12);
				}
			}),
		);
	});
});
