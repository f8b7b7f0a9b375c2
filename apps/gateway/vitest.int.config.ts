import { sideBySideIntegrationTests } from '../../vitest.base.ts';

export default sideBySideIntegrationTests({
	workers: 2,
	alone: ['api-outage', 'batches', 'bodies', 'burst', 'fairness', 'fuzz', 'shutdown-under-load', 'storm'],
	// What a busy machine held up is done again, a few times.
	testTimeout: 180_000,
	hookTimeout: 240_000,
});
