// How every package of the workspace runs vitest. Two kinds of tests, by their file names:
//   src/**/*.test.ts       unit, no server (`test`)
//   test/**/*.int.test.ts  against a real API server (`test:int`)
// The counts go to test-results/<kind>.json: an output of the turbo task, so that a cached task still has its
// counts, and to the directory of this very run when there is one, so that two runs at once keep theirs apart.
import { join } from 'node:path';
import type { ViteUserConfig } from 'vitest/config';
import { defineConfig } from 'vitest/config';

// Time limits end what hangs. They measure nothing, so they are long enough for a small machine that is busy.
const UNIT_LIMIT_MS = 60_000;
const INTEGRATION_LIMIT_MS = 180_000;
const INTEGRATION_HOOK_LIMIT_MS = 240_000;
const INTEGRATION_FILES = ['test/**/*.int.test.ts', 'test/**/*.contract.test.ts'];
const POLL = { timeout: 30_000, interval: 50 };

type TestOptions = NonNullable<ViteUserConfig['test']>;

function reporters(kind: 'unit' | 'int'): NonNullable<TestOptions['reporters']> {
	const outputs = [`test-results/${kind}.json`];
	const runDirectory = process.env['KUBERNAUT_TEST_RESULTS'];
	const packageName = process.env['npm_package_name'];
	if (runDirectory && packageName)
		outputs.push(join(runDirectory, `${packageName.replace('@kubernaut/', '')}.${kind}.json`));
	return ['default', ...outputs.map((outputFile) => ['json', { outputFile }] as ['json', { outputFile: string }])];
}

export function unitTests(options: TestOptions = {}): ViteUserConfig {
	return defineConfig({
		test: {
			include: ['src/**/*.test.ts', 'src/**/*.test.mjs', 'test/**/*.test.ts'],
			exclude: ['test/**/*.int.test.ts', 'test/**/*.contract.test.ts'],
			testTimeout: UNIT_LIMIT_MS,
			hookTimeout: UNIT_LIMIT_MS,
			expect: { poll: POLL },
			reporters: reporters('unit'),
			...options,
		},
	});
}

/** `globalSetup` defaults to the testkit's: one control plane for the whole run. */
export function integrationTests(options: TestOptions = {}): ViteUserConfig {
	return defineConfig({
		test: {
			include: INTEGRATION_FILES,
			globalSetup: ['@kubernaut/testkit/global-setup'],
			testTimeout: INTEGRATION_LIMIT_MS,
			hookTimeout: INTEGRATION_HOOK_LIMIT_MS,
			expect: { poll: POLL },
			reporters: reporters('int'),
			...options,
		},
	});
}

/**
 * Files that mostly wait go side by side; those that measure, or take the whole machine, follow one after the other.
 * The control plane and the reporters are of the run, not of a project.
 */
export function sideBySideIntegrationTests({
	workers,
	alone,
	...options
}: TestOptions & { workers: number; alone: readonly string[] }): ViteUserConfig {
	const {
		globalSetup = [],
		reporters = [],
		include = INTEGRATION_FILES,
		exclude = [],
		...every
	} = integrationTests(options).test ?? {};
	const files = alone.map((name) => `test/${name}.int.test.ts`);
	const together = { ...every, include, exclude: [...files, ...exclude], maxWorkers: workers };
	const after = { ...every, include: files, maxWorkers: 1 };
	return defineConfig({
		test: {
			globalSetup,
			reporters,
			projects: [
				{ test: { ...together, name: 'together', sequence: { groupOrder: 1 } } },
				{ test: { ...after, name: 'alone', sequence: { groupOrder: 2 } } },
			],
		},
	});
}
