import { sideBySideIntegrationTests } from '../../vitest.base.ts';

export default sideBySideIntegrationTests({
	workers: 2,
	alone: [
		'api-outage',
		'api-silence',
		'batches',
		'bodies',
		'burst',
		'fairness',
		'fuzz',
		'large-requests',
		'replicas',
		'shutdown-under-load',
		'storm',
		'strangers',
	],
	// What a busy machine held up is done again, a few times.
	testTimeout: 180_000,
	hookTimeout: 240_000,
});
