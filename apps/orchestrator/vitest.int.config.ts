import { sideBySideIntegrationTests } from '../../vitest.base.ts';

export default sideBySideIntegrationTests({
	workers: 3,
	alone: ['hot-request', 'large-requests', 'replicas-cost', 'robustness'],
	maxConcurrency: 30, // scenarios that go side by side mostly wait
	// What a busy machine held up is done again, a few times.
	testTimeout: 300_000,
});
