// For every scenario: when a test fails, its platform is described before anything of it goes.
import { join } from 'node:path';
import { afterEach } from 'vitest';
import { openedPlatforms } from '../open-platform.ts';
import { collect } from './collect.ts';

afterEach(async ({ task }) => {
	if (task.result?.state !== 'fail') return;
	const root = process.env['KUBERNAUT_E2E_RESULTS'] ?? join(import.meta.dirname, '..', '..', 'test-results');
	for (const platform of openedPlatforms) {
		const directory = join(root, `${platform.environment}-${task.name.replaceAll(/[^a-z0-9]+/gi, '-').slice(0, 80)}`);
		await collect(platform, directory);
		console.info(`Objects, Events, logs, metrics and a timeline of the failure: ${directory}`);
	}
});
