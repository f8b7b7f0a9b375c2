// `npm test` itself, as people and CI meet it: what it runs, what it says last and how it ends.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { madeUpWorkspace, type Workspace } from './made-up-workspace.ts';

// Several programs that start one after the other, on a machine that is busy with others.
const SOON = { timeout: 90_000, interval: 100 };
vi.setConfig({ testTimeout: 240_000 });

let workspace: Workspace;
beforeEach(() => {
	workspace = madeUpWorkspace();
});
afterEach(() => workspace.remove());

function lastLine(output: string): string | undefined {
	return output.trimEnd().split('\n').at(-1);
}

describe('a run', () => {
	it('counts tests and checks; the second runs nothing and says the same; --force runs it all again', async () => {
		workspace.addPackage('a', { passed: 3, failed: 0 }, { test: 'unit', lint: 'good' });
		workspace.addPackage('b', { passed: 4, failed: 0 });
		const first = await workspace.run();
		expect(first, first.output).toMatchObject({ code: 0 });
		expect(lastLine(first.output)).toBe('9 passed, 0 failed'); // with a lint and the formatting
		expect(workspace.ran()).toEqual(['a unit', 'b unit']);

		const second = await workspace.run();
		expect(second).toMatchObject({ code: 0 });
		expect(lastLine(second.output)).toBe('9 passed, 0 failed');
		expect(second.output).toMatch(/^ {2}a test +3 passed +0 failed {2}\(cached\)$/m);
		expect(workspace.ran()).toEqual([]);

		expect((await workspace.run(['--force', '--filter=@kubernaut/b'])).output).toMatch(/\n4 passed, 0 failed\n$/);
		expect(workspace.ran()).toEqual(['b unit']);
		await expect.poll(() => workspace.left(), SOON).toEqual([]);
	});

	it('goes on after a failure, names what failed, and ends with 1', async () => {
		workspace.addPackage('broken', { passed: 2, failed: 1 }, { test: 'unit', lint: 'good' });
		workspace.addPackage('lawless', { passed: 5, failed: 0 }, { test: 'unit', lint: 'bad' });
		workspace.addPackage('unloadable', { passed: 9, failed: 0 }, { test: 'bad' });
		const { code, output } = await workspace.run();
		expect(code, output).toBe(1);
		for (const failed of ['broken test', 'lawless lint', 'unloadable test'])
			expect(output).toContain(`FAILED: ${failed}\n`);
		expect(lastLine(output)).toBe('9 passed, 3 failed'); // 2 + 5 tests, a lint and the formatting
		expect(workspace.ran()).toEqual(['broken unit', 'lawless unit']);
	});

	it('that is green prints nothing that looks like an error, and keeps the whole output in a file', async () => {
		workspace.addPackage('a', { passed: 3, failed: 0 }, { test: 'unit', lint: 'good' });
		const { code, output } = await workspace.run();
		expect(code, output).toBe(0);
		const shown = output.replaceAll(' 0 failed', '');
		expect(shown).not.toMatch(/\berr|warn|\bat \w+ \(|provoked|\bFAIL|\d failed/i);
		expect(shown).not.toContain('\x1b');
		const [, log = ''] = /^The whole output: (test-results\/.*\.log)$/m.exec(output) ?? [];
		const whole = readFileSync(join(workspace.root, log), 'utf8');
		expect(whole).toContain('a test: Error: provoked by a test of a');
		expect(whole).toMatch(/^a lint: cache miss/m);
	});

	it('that is red shows the whole output of what failed, and nothing of what passed', async () => {
		workspace.addPackage('broken', { passed: 2, failed: 1 });
		workspace.addPackage('whole', { passed: 2, failed: 0 });
		const { code, output } = await workspace.run();
		expect(code, output).toBe(1);
		expect(output).toMatch(/^broken test failed:$/m);
		expect(output).toContain('AssertionError: expected broken to be whole');
		expect(output).toContain('provoked by a test of broken');
		expect(output).not.toContain('provoked by a test of whole');
		expect(output.match(/^broken test failed:$/gm)).toHaveLength(1);
	});

	it('that is asked for a package which is not there fails, in turbo’s words', async () => {
		workspace.addPackage('a', { passed: 1, failed: 0 });
		const { code, output } = await workspace.run(['--filter=@kubernaut/missing']);
		expect(code).toBe(1);
		expect(output).toContain('@kubernaut/missing');
		expect(lastLine(output)).toBe('0 passed, 1 failed');
	});

	it('without a control plane does everything else, says why at the end, and fails', async () => {
		workspace.addPackage('a', { passed: 3, failed: 0 }, { test: 'unit', 'test:int': 'int' });
		const { code, output } = await workspace.run([], { KUBERNAUT_TEST_KUBECONFIG: '/nowhere' });
		expect(code).toBe(1);
		expect(output).toContain(
			'The integration tests did not run. The API server that /nowhere names cannot be asked: ENOENT',
		);
		expect(lastLine(output)).toBe('4 passed, 1 failed');
		expect(workspace.ran()).toEqual(['a unit']);
	});
});

describe('a run that is ended by', () => {
	it.each([
		{ signal: 'SIGINT', want: 130 },
		{ signal: 'SIGTERM', want: 143 },
		{ signal: 'SIGKILL', want: 'SIGKILL' },
	] as const)('$signal leaves no process and no directory', async ({ signal, want }) => {
		workspace.addPackage('a', { passed: 1, failed: 0, hang: true });
		const run = workspace.start();
		await expect.poll(() => workspace.hanging(), SOON).toHaveLength(1);
		expect(workspace.left()).toContainEqual(expect.stringContaining('test.mjs'));
		run.child.kill(signal);
		expect(await run.exited).toBe(want);
		await expect.poll(() => workspace.left(), SOON).toEqual([]);
	});
});

it('two runs at once in one checkout both end well, with the whole count', async () => {
	workspace.addPackage('a', { passed: 3, failed: 0, hang: true });
	const runs = [workspace.start(), workspace.start()];
	await expect.poll(() => workspace.hanging(), SOON).toHaveLength(2);
	workspace.goOn();
	expect(await Promise.all(runs.map(({ exited }) => exited))).toEqual([0, 0]);
	for (const run of runs) expect(lastLine(run.output())).toBe('4 passed, 0 failed');
	await expect.poll(() => workspace.left(), SOON).toEqual([]); // the watchdog goes a moment later
});
