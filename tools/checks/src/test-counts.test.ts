import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { countTask, total } from './test-counts.ts';
import type { TaskResult } from './turbo.ts';

const UNIT: TaskResult = {
	task: 'test',
	package: 'gateway',
	directory: 'apps/gateway',
	exitCode: 0,
	cached: false,
};
const OF_THIS_RUN = 'results/gateway.unit.json';
const BESIDE_THE_PACKAGE = 'apps/gateway/test-results/unit.json';

let root: string;
beforeEach(() => {
	root = mkdtempSync(join(tmpdir(), 'test-counts-'));
});
afterEach(() => rmSync(root, { recursive: true }));

function writeResults(path: string, counts: { passed: number; failed?: number; skipped?: number }): void {
	mkdirSync(dirname(join(root, path)), { recursive: true });
	const { passed, failed = 0, skipped = 0 } = counts;
	const report = { numPassedTests: passed, numFailedTests: failed, numPendingTests: skipped };
	writeFileSync(join(root, path), JSON.stringify(report));
}

function count(task: Partial<TaskResult> = {}) {
	const { passed, failed, skipped } = countTask({ ...UNIT, ...task }, join(root, 'results'), root);
	return { passed, failed, skipped };
}

describe('a task with tests', () => {
	it('counts what vitest wrote for this run', () => {
		writeResults(OF_THIS_RUN, { passed: 7, failed: 2, skipped: 1 });
		expect(count({ exitCode: 1 })).toEqual({ passed: 7, failed: 2, skipped: 1 });
	});

	it('that is cached counts what came out of the cache', () => {
		writeResults(BESIDE_THE_PACKAGE, { passed: 5 });
		expect(count({ cached: true })).toEqual({ passed: 5, failed: 0, skipped: 0 });
	});

	it('whose counts cannot be read counts as one failure', () => {
		writeResults(BESIDE_THE_PACKAGE, { passed: 5 });
		writeFileSync(join(root, BESIDE_THE_PACKAGE), '{"numPassed');
		expect(count({ cached: true })).toEqual({ passed: 0, failed: 1, skipped: 0 });
	});

	it('has its own file for each of its kinds', () => {
		writeResults(OF_THIS_RUN, { passed: 7 });
		writeResults('results/gateway.int.json', { passed: 3 });
		expect(count({ task: 'test:int' }).passed).toBe(3);
	});

	it('that ended before it wrote anything failed once, whatever an earlier run has left', () => {
		writeResults(BESIDE_THE_PACKAGE, { passed: 5 });
		expect(count({ exitCode: 1 })).toEqual({ passed: 0, failed: 1, skipped: 0 });
	});

	it('fails although no test did, when a file of it does not load', () => {
		writeResults(OF_THIS_RUN, { passed: 7 });
		expect(count({ exitCode: 1 })).toEqual({ passed: 7, failed: 1, skipped: 0 });
	});
});

it.each([
	{ exitCode: 0, want: { passed: 1, failed: 0, skipped: 0 } },
	{ exitCode: 2, want: { passed: 0, failed: 1, skipped: 0 } },
])('a task without tests that ends with $exitCode is one check', ({ exitCode, want }) => {
	expect(count({ task: 'lint', exitCode })).toEqual(want);
});

it('a total is the sum', () => {
	expect(
		total([
			{ passed: 1, failed: 2, skipped: 3 },
			{ passed: 10, failed: 20, skipped: 30 },
		]),
	).toEqual({ passed: 11, failed: 22, skipped: 33 });
	expect(total([])).toEqual({ passed: 0, failed: 0, skipped: 0 });
});
