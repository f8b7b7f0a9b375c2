import { describe, expect, it } from 'vitest';
import { BACKOFF_DEFAULTS, type BackoffOptions, resolveBackoffConfig } from './backoff-config.ts';
import { BackoffError } from './backoff-error.ts';
import { BACKOFF_PRESETS } from './backoff-presets.ts';

const KEY_RULE = 'there is no such key; there are basePeriodMs, maxPeriodMs, multiplier, jitterPercent';
const BASE_RULE = 'must be a finite number greater than 0';
const MAX_RULE = 'must be a number from basePeriodMs (30000) to 9007199254740991';
const MULTIPLIER_RULE = 'must be a finite number of at least 1';
const JITTER_RULE = 'must be a number from 0 to below 100';

describe('the defaults and presets are those of the addendum', () => {
	it.each([
		{ name: 'defaults', config: BACKOFF_DEFAULTS, want: [30_000, 300_000, 2, 10] },
		{ name: 'standard', config: BACKOFF_PRESETS.standard, want: [100, 1_000, 2, 10] },
		{ name: 'aggressive', config: BACKOFF_PRESETS.aggressive, want: [50, 500, 3, 20] },
		{ name: 'conservative', config: BACKOFF_PRESETS.conservative, want: [200, 5_000, 1.5, 10] },
	])('$name', ({ config, want }) => {
		expect([config.basePeriodMs, config.maxPeriodMs, config.multiplier, config.jitterPercent]).toEqual(want);
		expect(resolveBackoffConfig(config)).toEqual(config);
	});
});

describe('resolving options', () => {
	it('fills what is missing from the defaults', () => {
		expect(resolveBackoffConfig()).toEqual(BACKOFF_DEFAULTS);
		expect(resolveBackoffConfig({ multiplier: 3 })).toEqual({ ...BACKOFF_DEFAULTS, multiplier: 3 });
	});

	it('a config cannot be changed, neither through the options it came from nor directly', () => {
		const options = { basePeriodMs: 100 };
		const config = resolveBackoffConfig(options);
		options.basePeriodMs = 1;
		expect(config.basePeriodMs).toBe(100);
		for (const complete of [config, BACKOFF_DEFAULTS, BACKOFF_PRESETS, ...Object.values(BACKOFF_PRESETS)])
			expect(Object.isFrozen(complete)).toBe(true);
	});

	it.each<{ options: BackoffOptions; why: string }>([
		{ options: { basePeriodMs: Number.MIN_VALUE }, why: 'any base above 0' },
		{ options: { basePeriodMs: 500, maxPeriodMs: 500 }, why: 'a cap at the base' },
		{ options: { maxPeriodMs: Number.MAX_SAFE_INTEGER }, why: 'the highest cap' },
		{ options: { multiplier: 1 }, why: 'no growth' },
		{ options: { jitterPercent: 0 }, why: 'no jitter' },
		{ options: { jitterPercent: 99.9 }, why: 'jitter just below 100' },
	])('takes $why', ({ options }) => {
		expect(resolveBackoffConfig(options)).toMatchObject(options);
	});
});

// What TypeScript refuses can still come from an environment variable or a custom resource.
const untyped = (options: unknown) => options as BackoffOptions;

describe('invalid options are refused with the rule', () => {
	it.each([
		{ options: untyped({ basePeriod: 100 }), want: `basePeriod is 100: ${KEY_RULE}` },
		{ options: { basePeriodMs: 0 }, want: `basePeriodMs is 0: ${BASE_RULE}` },
		{ options: { basePeriodMs: -5 }, want: `basePeriodMs is -5: ${BASE_RULE}` },
		{ options: { basePeriodMs: Number.NaN }, want: `basePeriodMs is NaN: ${BASE_RULE}` },
		{ options: { basePeriodMs: Infinity }, want: `basePeriodMs is Infinity: ${BASE_RULE}` },
		{ options: untyped({ basePeriodMs: '100' }), want: `basePeriodMs is '100': ${BASE_RULE}` },
		{ options: untyped({ basePeriodMs: undefined }), want: `basePeriodMs is undefined: ${BASE_RULE}` },
		{ options: { maxPeriodMs: 29_999 }, want: `maxPeriodMs is 29999: ${MAX_RULE}` },
		{ options: { maxPeriodMs: Number.NaN }, want: `maxPeriodMs is NaN: ${MAX_RULE}` },
		{ options: { maxPeriodMs: Infinity }, want: `maxPeriodMs is Infinity: ${MAX_RULE}` },
		{ options: { maxPeriodMs: 2 ** 53 }, want: `maxPeriodMs is 9007199254740992: ${MAX_RULE}` },
		{ options: untyped({ maxPeriodMs: '300000' }), want: `maxPeriodMs is '300000': ${MAX_RULE}` },
		{
			options: { basePeriodMs: 600_000 },
			want: 'maxPeriodMs is 300000: must be a number from basePeriodMs (600000) to 9007199254740991',
		},
		{ options: { multiplier: 0.99 }, want: `multiplier is 0.99: ${MULTIPLIER_RULE}` },
		{ options: { multiplier: -2 }, want: `multiplier is -2: ${MULTIPLIER_RULE}` },
		{ options: { multiplier: Number.NaN }, want: `multiplier is NaN: ${MULTIPLIER_RULE}` },
		{ options: { multiplier: Infinity }, want: `multiplier is Infinity: ${MULTIPLIER_RULE}` },
		{ options: untyped({ multiplier: '2' }), want: `multiplier is '2': ${MULTIPLIER_RULE}` },
		{ options: { jitterPercent: -1 }, want: `jitterPercent is -1: ${JITTER_RULE}` },
		{ options: { jitterPercent: 100 }, want: `jitterPercent is 100: ${JITTER_RULE}` },
		{ options: { jitterPercent: Number.NaN }, want: `jitterPercent is NaN: ${JITTER_RULE}` },
		{ options: untyped({ jitterPercent: null }), want: `jitterPercent is null: ${JITTER_RULE}` },
	])('$want', ({ options, want }) => {
		expect(() => resolveBackoffConfig(options)).toThrow(want);
	});

	it('as a typed error with the key and the value', () => {
		let error: unknown;
		try {
			resolveBackoffConfig({ multiplier: 0.5 });
		} catch (caught) {
			error = caught;
		}
		expect(error).toBeInstanceOf(BackoffError);
		expect(error).toMatchObject({
			name: 'BackoffError',
			code: 'BACKOFF_CONFIG_INVALID',
			key: 'multiplier',
			value: 0.5,
		});
	});
});
