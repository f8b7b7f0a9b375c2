import { integrationTests } from '../../vitest.base.ts';

// Scenarios that go side by side mostly wait.
export default integrationTests({ maxConcurrency: 30 });
