import { integrationTests } from '../vitest.base.ts';
import { QUICK } from './quick-scenarios.ts';

// In `npm test`: processes, and the quick scenarios. `npm run e2e` has all of them, and the cluster.
export default integrationTests({
	include: QUICK.map((name) => `scenarios/${name}.e2e.test.ts`),
	globalSetup: ['./harness/set-up.ts'],
	setupFiles: ['./harness/failure/collect-on-failure.ts'],
	fileParallelism: false,
	testTimeout: 420_000, // only for what hangs
	hookTimeout: 600_000,
});
