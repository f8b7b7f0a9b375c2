// A green run is green: vitest itself is run with the swallowing of ../vitest.int.config.ts.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { scratchDirectory } from '@kubernaut/testkit';
import { expect, it } from 'vitest';
import { isThrownByMutant, mutantFolder } from '../src/mutants/mutant-errors.ts';

const VITEST = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
const MUTANT_ERRORS = new URL('../src/mutants/mutant-errors.ts', import.meta.url);

/** Runs a test that passes, and leaves a rejection behind that a function in `folder` made. */
async function runWithRejectionFrom(folder: (directory: string) => string) {
	const directory = await scratchDirectory();
	mkdirSync(folder(directory), { recursive: true });
	writeFileSync(join(folder(directory), 'broken.mjs'), `export const failure = () => new Error('left unhandled');`);
	writeFileSync(
		join(directory, 'vitest.config.mjs'),
		`import { swallowMutantErrors } from ${JSON.stringify(MUTANT_ERRORS.href)};
		export default { test: { globals: true, include: ['*.test.mjs'], onUnhandledError: swallowMutantErrors() } };`,
	);
	writeFileSync(
		join(directory, 'leaves-a-rejection.test.mjs'),
		`import { failure } from ${JSON.stringify(join(folder(directory), 'broken.mjs'))};
		it('passes', async () => {
			void Promise.reject(failure());
			await new Promise((resolve) => setTimeout(resolve, 50));
		});`,
	);
	const { status, stdout, stderr } = spawnSync(process.execPath, [VITEST, 'run', '--root', directory], {
		encoding: 'utf8',
	});
	return { status, output: stdout + stderr };
}

it('an unhandled rejection of the suite itself fails the run, although every test passes', async () => {
	const { status, output } = await runWithRejectionFrom((directory) => join(directory, 'suite'));
	expect(output).toContain('left unhandled');
	expect(output).not.toContain('swallowed');
	expect(status).toBe(1);
});

it('an unhandled rejection of a mutant does not fail the run, and one line says so', async () => {
	const { status, output } = await runWithRejectionFrom(mutantFolder);
	expect(output).toContain('1 unhandled errors swallowed');
	expect(output).not.toContain('left unhandled');
	expect(status).toBe(0);
});

it.each([
	{ words: 'a mutant', stack: 'Error: x\n    at f (/tmp/a/bred-mutant/src/lock/lease-lock.ts:1:1)', want: true },
	{
		words: 'the suite, called by a mutant',
		stack: 'Error: x\n    at g (/repo/src/rule.ts:1:1)\n    at f (/tmp/a/bred-mutant/src/lock/lease-lock.ts:1:1)',
		want: false,
	},
	{
		words: 'a lock that was bred without a change',
		stack: 'Error: x\n    at f (/tmp/a/src/lock/lease-lock.ts:1:1)',
		want: false,
	},
	{ words: 'a function that left no stack', stack: undefined, want: false },
])("an error of $words is a mutant's: $want", ({ stack, want }) => {
	expect(isThrownByMutant({ stack })).toBe(want);
});
