import { integrationTests } from '../vitest.base.ts';

export default integrationTests({
	include: ['scenarios/**/*.e2e.test.ts'],
	fileParallelism: false,
	testTimeout: 120_000,
	reporters: ['default'],
});
