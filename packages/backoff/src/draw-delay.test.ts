// The jitter, judged by its draws. The same judgement is then passed on wrong ways to jitter, to see that it can fail.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arbitraryAttempt, arbitraryConfig } from '../test/arbitrary-config.ts';
import { seededRandom } from '../test/seeded-random.ts';
import { mostFrequent, type Objection, objectionsToUniformity } from '../test/uniformity.ts';
import { BACKOFF_DEFAULTS, type BackoffConfig } from './backoff-config.ts';
import { BACKOFF_PRESETS } from './backoff-presets.ts';
import { createBackoff } from './create-backoff.ts';
import { delayBounds } from './delay-bounds.ts';
import { drawDelay, type RandomSource } from './draw-delay.ts';

const DRAWS = 20_000;
const CONFIGS = { defaults: BACKOFF_DEFAULTS, ...BACKOFF_PRESETS };

type Draw = (config: BackoffConfig, attempt: number, random: RandomSource) => number;

function drawMany(draw: Draw, config: BackoffConfig, attempt: number, random: RandomSource): number[] {
	return Array.from({ length: DRAWS }, () => draw(config, attempt, random));
}

function judge(draw: Draw, config: BackoffConfig, attempt: number, random: RandomSource): Objection[] {
	const { minMs, maxMs } = delayBounds(config, attempt);
	return objectionsToUniformity(drawMany(draw, config, attempt, random), minMs, maxMs);
}

const ours: Draw = (config, attempt, random) => createBackoff(config, { random }).calculate(attempt);

// Each case has a seed of its own: 20,000 lucky numbers must not carry all of them.
const cases = Object.entries(CONFIGS).flatMap(([name, config]) =>
	[1, 2, 5, 10_000].map((attempt) => ({ name, config, attempt, seed: attempt * 31 + config.basePeriodMs })),
);

describe('waits are uniform over ± jitterPercent around the period', () => {
	it.each(cases)('$name, attempt $attempt, seeded', ({ config, attempt, seed }) => {
		expect(judge(ours, config, attempt, seededRandom(seed))).toEqual([]);
	});

	it.each(cases)('$name, attempt $attempt, Math.random', ({ config, attempt }) => {
		expect(judge(ours, config, attempt, Math.random)).toEqual([]);
	});

	it('the first wait is below the base as often as above it, and never the base again and again', () => {
		const { standard } = BACKOFF_PRESETS;
		const draws = drawMany(ours, standard, 1, seededRandom(1));
		const below = draws.filter((draw) => draw < standard.basePeriodMs).length;
		expect(below / DRAWS).toBeGreaterThan(0.48);
		expect(below / DRAWS).toBeLessThan(0.52);
		expect(draws.filter((draw) => draw === standard.basePeriodMs).length).toBeLessThanOrEqual(1);
	});
});

const clampedToConfig: Draw = (config, attempt, random) =>
	Math.max(config.basePeriodMs, Math.min(config.maxPeriodMs, ours(config, attempt, random)));

const cappedAfterJitter: Draw = (config, attempt, random) =>
	Math.min(config.maxPeriodMs, ours(config, attempt, random));

const onlyLonger: Draw = (config, attempt, random) => {
	const { periodMs, maxMs } = delayBounds(config, attempt);
	return periodMs + random() * (maxMs - periodMs);
};

const eitherEnd: Draw = (config, attempt, random) => {
	const { minMs, maxMs } = delayBounds(config, attempt);
	return random() < 0.5 ? minMs : maxMs;
};

const roundedToMilliseconds: Draw = (config, attempt, random) => Math.round(ours(config, attempt, random));

const twiceAsWide: Draw = (config, attempt, random) =>
	ours({ ...config, jitterPercent: config.jitterPercent * 2 }, attempt, random);

const noJitter: Draw = (config, attempt) => delayBounds(config, attempt).periodMs;

describe('the same judgement rejects', () => {
	const MEAN = 'mean is off';
	const BUCKETS = 'buckets are uneven';
	const POINT = 'one value keeps coming back';
	const OUTSIDE = 'outside the interval';

	it.each<{ name: string; draw: Draw; attempt: number; want: Objection[] }>([
		{ name: 'clamping to base and cap, first wait', draw: clampedToConfig, attempt: 1, want: [MEAN, BUCKETS, POINT] },
		{ name: 'clamping to base and cap, at the cap', draw: clampedToConfig, attempt: 5, want: [MEAN, BUCKETS, POINT] },
		{ name: 'the cap after the jitter', draw: cappedAfterJitter, attempt: 5, want: [MEAN, BUCKETS, POINT] },
		{ name: 'jitter that only lengthens', draw: onlyLonger, attempt: 1, want: [MEAN, BUCKETS] },
		{ name: 'either end and nothing between', draw: eitherEnd, attempt: 1, want: [BUCKETS, POINT] },
		{ name: 'whole milliseconds', draw: roundedToMilliseconds, attempt: 1, want: [BUCKETS, POINT] },
		{ name: 'twice the jitter', draw: twiceAsWide, attempt: 1, want: [OUTSIDE, BUCKETS] },
		{ name: 'no jitter', draw: noJitter, attempt: 1, want: [BUCKETS, POINT] },
	])('$name', ({ draw, attempt, want }) => {
		expect(judge(draw, BACKOFF_PRESETS.standard, attempt, seededRandom(attempt))).toEqual(want);
	});

	it('clamping, because half of the first waits are exactly the base', () => {
		const { standard } = BACKOFF_PRESETS;
		const { value, count } = mostFrequent(drawMany(clampedToConfig, standard, 1, seededRandom(1)));
		expect(value).toBe(standard.basePeriodMs);
		expect(count / DRAWS).toBeGreaterThan(0.48);
	});
});

describe('a drawn delay', () => {
	it('lies within the bounds, whatever the config, the attempt and the draw', () => {
		expect.hasAssertions();
		const fraction = fc.double({ min: 0, max: 1, noNaN: true });
		fc.assert(
			fc.property(arbitraryConfig, arbitraryAttempt, fraction, (config, attempt, drawn) => {
				const { minMs, maxMs } = delayBounds(config, attempt);
				const delayMs = ours(config, attempt, () => drawn);
				expect(delayMs).toBeGreaterThanOrEqual(minMs);
				expect(delayMs).toBeLessThanOrEqual(maxMs);
			}),
		);
	});

	it('does not pass the upper bound by the last bit', () => {
		const minMs = 0.5 + 1.5 * 2 ** -52;
		const maxMs = 1.75 + 2 ** -52;
		expect(minMs + (maxMs - minMs)).toBeGreaterThan(maxMs);
		expect(drawDelay({ minMs, periodMs: 1, maxMs }, () => 1)).toBe(maxMs);
	});

	it.each([
		{ fraction: 0, want: 90 },
		{ fraction: 0.25, want: 95 },
		{ fraction: 0.5, want: 100 },
		{ fraction: 1, want: 110 },
	])('follows the random source: $fraction gives $want ms', ({ fraction, want }) => {
		expect(drawDelay({ minMs: 90, periodMs: 100, maxMs: 110 }, () => fraction)).toBe(want);
	});

	it('is exactly the period without jitter', () => {
		const backoff = createBackoff({ basePeriodMs: 0.1, maxPeriodMs: 0.7, multiplier: 3, jitterPercent: 0 });
		for (const attempt of [1, 2, 3, 10_000]) expect(backoff.calculate(attempt)).toBe(backoff.bounds(attempt).periodMs);
	});

	it.each([{ drawn: -0.1 }, { drawn: 1.1 }, { drawn: Number.NaN }])(
		'a source that gives $drawn is refused',
		({ drawn }) => {
			const draw = () => drawDelay({ minMs: 90, periodMs: 100, maxMs: 110 }, () => drawn);
			expect(draw).toThrow(`random() is ${drawn}: must be a number from 0 to 1`);
			expect(draw).toThrow(expect.objectContaining({ code: 'BACKOFF_RANDOM_INVALID' }));
		},
	);
});
