import { describe, expect, it } from 'vitest';
import { loadConfig } from './config-loader.ts';
import { impossibleProcessRelations, PROCESS_CONFIG_KEYS } from './process-config.ts';

function load(environment: Readonly<Record<string, string>>) {
	return loadConfig(PROCESS_CONFIG_KEYS, undefined, environment, impossibleProcessRelations);
}

describe('the configuration of a process', () => {
	it('has a default for every key that a pod need not set', () => {
		expect(load({})).toEqual({
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

	it.each([
		{ environment: { HEALTH_PORT: '9090' }, want: 'HEALTH_PORT and METRICS_PORT are both 9090: they must differ' },
		{
			environment: { SHUTDOWN_DRAIN: '25s' },
			want: 'SHUTDOWN_DRAIN is 25000 ms and SHUTDOWN_GRACE 25000 ms: the drain must be shorter than the whole shutdown',
		},
	])('rejects relations that cannot work: $environment', ({ environment, want }) => {
		expect(load(environment)).toEqual({ problems: [want] });
	});
});
