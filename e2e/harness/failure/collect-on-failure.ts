// For every scenario: when a test or its set-up fails, its platform is described before anything of it goes.
import { join } from 'node:path';
import { afterAll, afterEach } from 'vitest';
import { openedPlatforms } from '../open-platform.ts';
import { collect } from './collect.ts';

let ran = 0;

afterEach(async ({ task }) => {
	ran++;
	if (task.result?.state === 'fail') await collectAll(task.name);
});

afterAll(async () => {
	if (ran === 0) await collectAll('set-up'); // it failed: no test was begun
});

async function collectAll(name: string): Promise<void> {
	const root = process.env['KUBERNAUT_E2E_RESULTS'] ?? join(import.meta.dirname, '..', '..', 'test-results');
	for (const platform of openedPlatforms) {
		const directory = join(root, `${platform.environment}-${name.replaceAll(/[^a-z0-9]+/gi, '-').slice(0, 80)}`);
		await collect(platform, directory);
		console.info(`Objects, Events, logs, metrics and a timeline of the failure: ${directory}`);
	}
}
