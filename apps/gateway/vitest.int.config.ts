import { sideBySideIntegrationTests } from '../../vitest.base.ts';

export default sideBySideIntegrationTests({
	workers: 2,
	alone: [
		'api-outage',
		'api-silence',
		'batches',
		'bodies',
		'burst',
		'counting-beside-resolves',
		'fairness',
		'fuzz',
		'large-requests',
		'look-ups-under-strain',
		'replicas',
		'settled-count',
		'shutdown-under-load',
		'storm',
		'strangers',
	],
	exclude: ['test/default-rules.int.test.ts'], // `npm run default-rules`: it builds Prometheus
});
