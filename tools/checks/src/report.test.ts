import { describe, expect, it } from 'vitest';
import { describeDuration, reportLines, verdict } from './report.ts';
import type { CountedTask } from './test-counts.ts';

function task(name: string, counts: Partial<CountedTask> = {}): CountedTask {
	return {
		task: name,
		package: 'gateway',
		directory: 'apps/gateway',
		exitCode: 0,
		cached: false,
		passed: 1,
		failed: 0,
		skipped: 0,
		...counts,
	};
}

describe('the last line', () => {
	const green = [task('test', { passed: 12 }), task('lint')];
	const red = [task('test', { passed: 11, failed: 2, exitCode: 1 }), task('lint')];
	it.each([
		{ what: 'all is well', tasks: green, run: {}, want: { line: '13 passed, 0 failed', exitCode: 0 } },
		{ what: 'tests fail', tasks: red, run: { turboFailed: true }, want: { line: '12 passed, 2 failed', exitCode: 1 } },
		{
			what: 'turbo fails and no task failed',
			tasks: green,
			run: { turboFailed: true },
			want: { line: '13 passed, 1 failed', exitCode: 1 },
		},
		{
			what: 'there is no control plane',
			tasks: green,
			run: { turboFailed: true, problem: 'none' },
			want: { line: '13 passed, 1 failed', exitCode: 1 },
		},
		{
			what: 'there is no control plane and tests fail as well',
			tasks: red,
			run: { turboFailed: true, problem: 'none' },
			want: { line: '12 passed, 3 failed', exitCode: 1 },
		},
		{ what: 'nothing ran', tasks: [], run: { turboFailed: true }, want: { line: '0 passed, 1 failed', exitCode: 1 } },
		{
			what: 'tests were skipped',
			tasks: [task('test', { skipped: 3 })],
			run: {},
			want: { line: '1 passed, 0 failed, 3 skipped', exitCode: 0 },
		},
	])('when $what', ({ tasks, run, want }) => {
		expect(verdict(tasks, { turboFailed: false, problem: undefined, ...run })).toEqual(want);
	});
});

it.each([
	{ milliseconds: 2_400, want: '2 s' },
	{ milliseconds: 59_600, want: '1 min 0 s' },
	{ milliseconds: 1_243_000, want: '20 min 43 s' },
])('$milliseconds ms are $want', ({ milliseconds, want }) => {
	expect(describeDuration(milliseconds)).toBe(want);
});

it('the report has a line for each package with tests, one for each kind of check, and names what failed', () => {
	const tasks = [
		task('lint'),
		task('lint', { package: 'backoff', passed: 0, failed: 1, exitCode: 2 }),
		task('test', { passed: 12, cached: true }),
		task('test:int', { passed: 3, failed: 1, exitCode: 1 }),
	];
	expect(reportLines(tasks)).toEqual([
		'  gateway test                      12 passed    0 failed  (cached)',
		'  gateway test:int                   3 passed    1 failed',
		'  lint                               1 passed    1 failed',
		'  FAILED: backoff lint',
		'  FAILED: gateway test:int',
	]);
});
