import { integrationTests } from '../../vitest.base.ts';

// Only for what hangs: a test may wait for several facts, each as long as `eventually` does.
export default integrationTests({ testTimeout: 240_000 });
