import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openRunScreen, type RunScreen } from './run-screen.ts';
import type { TaskName } from './turbo.ts';

const TEST: TaskName = { package: 'gateway', task: 'test' };
const LINT: TaskName = { package: 'gateway', task: 'lint' };
const BUILD: TaskName = { package: 'gateway', task: 'build' };

let results: string;
let written: string;
let screen: RunScreen;
beforeEach(() => {
	vi.useFakeTimers();
	results = mkdtempSync(join(tmpdir(), 'run-screen-'));
	written = '';
	const stream = { write: (text: string) => (written += text), isTTY: true, columns: 200 };
	const planned = [TEST, LINT, BUILD].map((task) => ({ ...task, cached: false }));
	screen = openRunScreen(planned, results, stream);
	screen.begin({ slots: 2 });
});
afterEach(() => {
	screen.close();
	vi.useRealTimers();
	rmSync(results, { recursive: true });
});

function start(...tasks: TaskName[]): void {
	for (const of of tasks) screen.line({ of, text: 'cache miss, executing 1234' });
}

/** The last line that a terminal would show. */
function lastShown(): string | undefined {
	vi.advanceTimersByTime(4000);
	return written.split('\r\x1b[K').at(-1);
}

function writeCounts(counts: { passed: number; failed: number }): void {
	const report = { numPassedTests: counts.passed, numFailedTests: counts.failed, numPendingTests: 0 };
	writeFileSync(join(results, 'gateway.unit.json'), JSON.stringify(report));
}

it('a terminal shows what runs, how much is done and for how long', () => {
	start(TEST, LINT);
	expect(lastShown()).toMatch(/^Checks: 0 of 3 done; gateway test, gateway lint \(\d s\)$/);
});

it('a check is done when the next one takes its slot; a test when its counts are there', () => {
	start(TEST, LINT, BUILD);
	expect(lastShown()).toContain('1 of 3 done; gateway test, gateway build');
	writeCounts({ passed: 1, failed: 0 });
	expect(lastShown()).toContain('2 of 3 done; gateway build');
});

it('a cached task is done at once', () => {
	screen.line({ of: LINT, text: 'cache hit, replaying logs 1234' });
	expect(lastShown()).toContain('1 of 3 done; starting');
});

it('tests that fail are shown while others still run, and not a second time at the end', () => {
	start(TEST, LINT);
	screen.line({ of: TEST, text: 'AssertionError: expected 1 to be 2' });
	writeCounts({ passed: 1, failed: 1 });
	vi.advanceTimersByTime(4000);
	expect(written).toContain(
		'gateway test failed:\n  cache miss, executing 1234\n  AssertionError: expected 1 to be 2\n',
	);
	screen.end({ exitCode: 1, tasks: [{ ...TEST, directory: '', exitCode: 1, cached: false }] });
	expect(written.match(/gateway test failed:/g)).toHaveLength(1);
});

it('a failure of turbo itself is shown in its own words', () => {
	screen.line({ of: undefined, text: 'No package found' });
	screen.end({ exitCode: 1, tasks: [] });
	expect(written).toContain('No package found');
});
