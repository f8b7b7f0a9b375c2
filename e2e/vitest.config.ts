import { integrationTests } from '../vitest.base.ts';

export default integrationTests({
	include: ['scenarios/**/*.e2e.test.ts'],
	globalSetup: ['./harness/set-up.ts'],
	setupFiles: ['./harness/failure/collect-on-failure.ts'],
	fileParallelism: false, // in a cluster they share one platform, and each takes a small machine whole
	testTimeout: 420_000, // only for what hangs
	hookTimeout: 600_000,
	reporters: ['default'],
});
