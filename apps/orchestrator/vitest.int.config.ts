import type { UserWorkspaceConfig } from 'vitest/config';
import { integrationTests } from '../../vitest.base.ts';

// These take all of a small machine, and one of them counts what a busy machine adds to.
const ALONE = ['test/replicas-cost.int.test.ts', 'test/robustness.int.test.ts'];
const OPTIONS = { maxConcurrency: 30, testTimeout: 300_000 };

// Scenarios that go side by side mostly wait, and so do the files.
export default integrationTests({
	...OPTIONS,
	projects: [
		part({ name: 'together', exclude: ALONE, maxWorkers: 3, sequence: { groupOrder: 0 } }),
		part({ name: 'alone', include: ALONE, maxWorkers: 1, sequence: { groupOrder: 1 } }),
	],
});

/** Of the one run, with the control plane of the whole. */
function part(options: NonNullable<UserWorkspaceConfig['test']>) {
	return { ...integrationTests({ ...OPTIONS, globalSetup: [], ...options }), extends: false as const };
}
