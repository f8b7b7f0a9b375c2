import { describe, expect, it } from 'vitest';
import { CONFIG_KEYS, loadAppConfig } from './config.ts';

describe('the configuration', () => {
	it('starts with nothing set', () => {
		expect(loadAppConfig(undefined, {})).toMatchObject({
			config: {
				requestTimeoutMs: 3000,
				healthPort: 8081,
				metricsPort: 9090,
				logLevel: 'info',
				shutdownDrainMs: 5000,
				shutdownGraceMs: 25_000,
			},
		});
	});

	it('rejects relations of the process that cannot work', () => {
		expect(loadAppConfig(undefined, { HEALTH_PORT: '9090' })).toEqual({
			problems: ['HEALTH_PORT and METRICS_PORT are both 9090: they must differ'],
		});
	});

	it('no two keys share a path in the file, an environment name or a flag', () => {
		const keys = Object.values(CONFIG_KEYS);
		const names = keys.map(({ env }) => env.toLowerCase());
		expect(new Set([...names, 'config', 'help']).size).toBe(keys.length + 2);
		expect(new Set(keys.map(({ path }) => path)).size).toBe(keys.length);
	});
});
