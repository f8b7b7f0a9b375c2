import { describe, expect, it } from 'vitest';
import { parseSpecDuration, toSpecDuration } from './spec-duration.ts';

describe('parseSpecDuration', () => {
	it.each([
		{ text: '0s', want: 0 },
		{ text: '500ms', want: 500 },
		{ text: '30s', want: 30_000 },
		{ text: '5m', want: 300_000 },
		{ text: '5m30s', want: 330_000 },
		{ text: '1h30m', want: 5_400_000 },
		{ text: '1h1m1s1ms', want: 3_661_001 },
		// A minute and a millisecond begin with the same letter.
		{ text: '1m1ms', want: 60_001 },
		{ text: '1ms1m', want: 60_001 },
		{ text: '00030s', want: 30_000 },
		{ text: '1s1s', want: 2000 },
		{ text: '99999h', want: 359_996_400_000 },
	])('$text is $want ms', ({ text, want }) => {
		expect(parseSpecDuration(text)).toBe(want);
	});

	it.each(['', '5', 's', '-5s', '1.5s', '5 s', '5S', '1d', '100000s', '1h1m1s1ms1h', '5m\n'])(
		'refuses "%s"',
		(text) => {
			expect(parseSpecDuration(text)).toBeUndefined();
		},
	);
});

describe('toSpecDuration', () => {
	it.each([
		{ milliseconds: 0, want: '0s' },
		{ milliseconds: 1, want: '1ms' },
		{ milliseconds: 1000, want: '1s' },
		{ milliseconds: 300_000, want: '5m' },
		{ milliseconds: 3_661_001, want: '1h1m1s1ms' },
		{ milliseconds: 90 * 60_000, want: '1h30m' },
	])('$milliseconds ms are $want, and lead back', ({ milliseconds, want }) => {
		expect(toSpecDuration(milliseconds)).toBe(want);
		expect(parseSpecDuration(want)).toBe(milliseconds);
	});

	it('has no negative and no fraction', () => {
		expect(toSpecDuration(-5)).toBe('0s');
		expect(toSpecDuration(1000.4)).toBe('1s');
	});
});
