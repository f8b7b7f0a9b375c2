// How many tests and checks passed and failed, from what vitest and turbo wrote down.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TaskResult } from './turbo.ts';

export type Counts = { passed: number; failed: number; skipped: number };
export type CountedTask = TaskResult & Counts;

export type TestKind = 'unit' | 'int';

const TEST_KINDS: Readonly<Record<string, TestKind>> = { test: 'unit', 'test:int': 'int' };

export function testKind(task: string): TestKind | undefined {
	return TEST_KINDS[task];
}

/** A task without tests (lint, types, build, format) is one check. */
export function countTask(task: TaskResult, resultsDirectory: string, root: string): CountedTask {
	const kind = testKind(task.task);
	const one = task.exitCode === 0 ? { passed: 1, failed: 0, skipped: 0 } : { passed: 0, failed: 1, skipped: 0 };
	if (kind === undefined) return { ...task, ...one };
	// A task that ran has written a file for this very run. What lies beside its package is of an earlier run, unless it
	// came out of the cache.
	const counts = task.cached
		? countsIn(join(root, task.directory, 'test-results', `${kind}.json`))
		: readCounts(resultsDirectory, task.package, kind);
	if (counts === undefined) return { ...task, passed: 0, failed: 1, skipped: 0 };
	// A test file that does not even load fails no test, but it fails.
	return { ...task, ...counts, failed: task.exitCode === 0 ? counts.failed : Math.max(1, counts.failed) };
}

export function total(tasks: readonly Counts[]): Counts {
	const sum = (key: keyof Counts) => tasks.reduce((so_far, task) => so_far + task[key], 0);
	return { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') };
}

/** What a task has written for this very run; undefined while it runs. */
export function readCounts(resultsDirectory: string, packageName: string, kind: TestKind): Counts | undefined {
	return countsIn(join(resultsDirectory, `${packageName}.${kind}.json`));
}

function countsIn(path: string): Counts | undefined {
	const report = readReport(path);
	if (report === undefined) return undefined;
	return { passed: report.numPassedTests, failed: report.numFailedTests, skipped: report.numPendingTests };
}

type Report = { numPassedTests: number; numFailedTests: number; numPendingTests: number };

/** Undefined when it is not there, or not whole: another run in this checkout may have been writing it. */
function readReport(path: string): Report | undefined {
	try {
		return JSON.parse(readFileSync(path, 'utf8')) as Report;
	} catch {
		return undefined;
	}
}
