// `npm run default-rules`.
import { integrationTests } from '../../vitest.base.ts';

export default integrationTests({
	include: ['test/default-rules.int.test.ts'],
	testTimeout: 1_800_000, // only for what hangs: on a new machine Prometheus is built first
	hookTimeout: 1_800_000,
});
