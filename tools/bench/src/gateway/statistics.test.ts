import { describe, expect, it } from 'vitest';
import { median, medianRatio, percentile } from './statistics.ts';

describe('percentile', () => {
	it.each([
		{ values: [5], share: 0.5, want: 5 },
		{ values: [4, 1, 3, 2], share: 0.5, want: 2 },
		{ values: [4, 1, 3, 2], share: 0.51, want: 3 },
		{ values: [4, 1, 3, 2], share: 1, want: 4 },
		{ values: [4, 1, 3, 2], share: 0, want: 1 },
		{ values: [10, 9], share: 0.99, want: 10 },
		{ values: [], share: 0.5, want: Number.NaN },
	])('$share of $values is $want', ({ values, share, want }) => {
		expect(percentile(values, share)).toBe(want);
	});
});

describe('median', () => {
	it.each([
		{ values: [3, 1, 2], want: 2 },
		{ values: [4, 1, 3, 2], want: 2.5 },
		{ values: [100, 20, 3], want: 20 },
		{ values: [], want: Number.NaN },
	])('of $values is $want', ({ values, want }) => {
		expect(median(values)).toBe(want);
	});

	it('leaves the values in their order', () => {
		const values = [3, 1, 2];
		median(values);
		expect(values).toEqual([3, 1, 2]);
	});
});

describe('the ratio of rounds', () => {
	it('is that of the middle round, however far out one is', () => {
		const rounds = [
			{ ours: 12, floor: 10 },
			{ ours: 500, floor: 10 },
			{ ours: 26, floor: 20 },
		];
		const want = 1.3;
		expect(
			medianRatio(
				rounds,
				(round) => round.ours,
				(round) => round.floor,
			),
		).toBeCloseTo(want);
	});
});
