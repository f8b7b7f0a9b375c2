import { describe, expect, it } from 'vitest';
import { CONFIG_KEYS, loadAppConfig } from './config.ts';

describe('the configuration', () => {
	it('starts with nothing set', () => {
		expect(loadAppConfig(undefined, {})).toEqual({
			config: {
				requestTimeoutMs: 5000,
				listenAddress: '0.0.0.0',
				healthPort: 8081,
				metricsPort: 9090,
				logLevel: 'info',
				shutdownDrainMs: 5000,
				shutdownGraceMs: 25_000,
			},
		});
	});

	it.each([
		{ environment: { HEALTH_PORT: '9090' }, want: 'HEALTH_PORT and METRICS_PORT are both 9090: they must differ' },
		{
			environment: { SHUTDOWN_DRAIN: '25s' },
			want: 'SHUTDOWN_DRAIN is 25000 ms and SHUTDOWN_GRACE 25000 ms: the drain must be shorter than the whole shutdown',
		},
	])('refuses relations that cannot work: $environment', ({ environment, want }) => {
		expect(loadAppConfig(undefined, environment)).toEqual({ problems: [want] });
	});

	it('gives every key a place of its own in the file and in the environment', () => {
		const keys = Object.values(CONFIG_KEYS);
		expect(new Set(keys.map((key) => key.env)).size).toBe(keys.length);
		expect(new Set(keys.map((key) => key.path)).size).toBe(keys.length);
	});
});
