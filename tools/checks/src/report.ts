// The last lines of a run: what ran, what failed, and the sum that people and CI read.
import { type CountedTask, total } from './test-counts.ts';

type Verdict = { line: string; exitCode: 0 | 1 };

/**
 * `turboFailed`: a failure that is not one of a task counts as one. `problem`: why the integration tests did not run at
 * all, which is a failure beside all others.
 */
export function verdict(
	tasks: readonly CountedTask[],
	{ turboFailed, problem }: { turboFailed: boolean; problem: string | undefined },
): Verdict {
	const { passed, failed, skipped } = total(tasks);
	const withoutTask = problem !== undefined || (turboFailed && failed === 0) ? 1 : 0;
	const failures = failed + withoutTask;
	return {
		line: `${passed} passed, ${failures} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`,
		exitCode: failures > 0 ? 1 : 0,
	};
}

export function describeDuration(milliseconds: number): string {
	const seconds = Math.round(milliseconds / 1000);
	return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** A line for each task with tests, one for each other kind of check, and the names of what failed. */
export function reportLines(tasks: readonly CountedTask[]): string[] {
	const tests = tasks.filter(isTest);
	const checks = tasks.filter((task) => !isTest(task));
	return [
		...tests.map((task) => `${countsLine(`${task.package} ${task.task}`, task)}${task.cached ? '  (cached)' : ''}`),
		...[...new Set(checks.map(({ task }) => task))].map((name) =>
			countsLine(name, total(checks.filter(({ task }) => task === name))),
		),
		...tasks.filter(({ exitCode }) => exitCode !== 0).map((task) => `  FAILED: ${task.package} ${task.task}`),
	];
}

function isTest({ task }: CountedTask): boolean {
	return task.startsWith('test');
}

function countsLine(what: string, { passed, failed }: { passed: number; failed: number }): string {
	return `  ${what.padEnd(30)} ${String(passed).padStart(5)} passed ${String(failed).padStart(4)} failed`;
}
