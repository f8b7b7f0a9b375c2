import { unitTests } from '../../vitest.base.ts';

/** Written by a command, and tested where they come from. */
const NOT_OWN = ['generated', 'process', 'kube', 'lock', 'controller'];

export default unitTests({
	// Counted by `npm run coverage -- notification`.
	coverage: {
		provider: 'v8',
		include: ['src/**/*.ts'],
		exclude: ['src/**/*.test.ts', ...NOT_OWN.map((folder) => `src/${folder}/**`)],
		reporter: ['text'],
		reportsDirectory: 'test-results/coverage',
		reportOnFailure: true,
		thresholds: { lines: 90 },
	},
});
