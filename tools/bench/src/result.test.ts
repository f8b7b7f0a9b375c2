import { describe, expect, it } from 'vitest';
import { passes, type Result, toJson, toTable } from './result.ts';

const figure = (value: number, target?: Result['target']): Result => ({
	name: 'x',
	value,
	unit: 'ms',
	...(target ? { target } : {}),
});

describe('a figure', () => {
	it.each([
		{ result: figure(5), want: true },
		{ result: figure(5, { atMost: 5 }), want: true },
		{ result: figure(5.01, { atMost: 5 }), want: false },
		{ result: figure(5, { atLeast: 5 }), want: true },
		{ result: figure(4.99, { atLeast: 5 }), want: false },
		{ result: figure(3, { exactly: 3 }), want: true },
		{ result: figure(4, { exactly: 3 }), want: false },
		{ result: figure(Number.NaN, { atMost: 5 }), want: false },
	])('$result.value against $result.target passes: $want', ({ result, want }) => {
		expect(passes(result)).toBe(want);
	});

	it('is written with its target, its verdict and what it is compared with', () => {
		const [row] = (JSON.parse(toJson([{ ...figure(7, { atMost: 5 }), floor: 2 }])) as { results: unknown[] }).results;
		expect(row).toEqual({ name: 'x', value: 7, unit: 'ms', target: '<= 5', pass: false, floor: 2 });
		expect(toTable([figure(7, { atMost: 5 })])).toContain('MISSED');
	});
});
