import { describe, expect, it } from 'vitest';
import { CONFIG_KEYS, loadAppConfig } from './config.ts';
import { parseCommandLine } from './process/command-line.ts';

describe('the configuration', () => {
	it('starts with nothing set', () => {
		expect(loadAppConfig(undefined, {})).toMatchObject({
			config: {
				requestTimeoutMs: 3000,
				leaseDurationMs: 30_000,
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
			environment: { KUBERNETES_REQUEST_TIMEOUT: '10s', REQUEST_DEADLINE: '30s', SHUTDOWN_GRACE: '40s' },
			want: 'LOCK_LEASE_DURATION and KUBERNETES_REQUEST_TIMEOUT: renew interval + 2 × request timeout + margin is 31000 ms and must be below the lease duration of 30000 ms, or one lost answer loses the lock',
		},
		{
			environment: { LOCK_LEASE_DURATION: '1500ms', KUBERNETES_REQUEST_TIMEOUT: '100ms' },
			want: 'LOCK_LEASE_DURATION and KUBERNETES_REQUEST_TIMEOUT: the lease duration is 1500 ms; a Lease takes whole seconds, at least one',
		},
		{
			environment: { KUBERNETES_REQUEST_TIMEOUT: '4500ms' },
			want: 'KUBERNETES_REQUEST_TIMEOUT is 4500 ms and REQUEST_DEADLINE 10000 ms: a write without an answer and the read that resolves it take twice the first, which must be below 9000 ms, or no time is left to answer the sender',
		},
	])('rejects relations that cannot work: $environment', ({ environment, want }) => {
		expect(loadAppConfig(undefined, environment)).toEqual({ problems: [want] });
	});

	it('no two keys share a path in the file, an environment name or a flag', () => {
		const keys = Object.values(CONFIG_KEYS);
		const names = keys.map(({ env }) => env.toLowerCase());
		expect(new Set([...names, 'config', 'help']).size).toBe(keys.length + 2);
		expect(new Set(keys.map(({ path }) => path)).size).toBe(keys.length);
	});
});

describe('--auth=off', () => {
	const { settings } = parseCommandLine(['--auth=off'], CONFIG_KEYS) as { settings: Record<string, string> };

	it('takes precedence over the environment', () => {
		expect(loadAppConfig(undefined, { AUTH: 'on', ...settings })).toMatchObject({ config: { auth: 'off' } });
	});

	it('is rejected in a cluster', () => {
		expect(loadAppConfig(undefined, { KUBERNETES_SERVICE_HOST: '10.0.0.1', ...settings })).toEqual({
			problems: [expect.stringContaining('AUTH is off in a cluster')],
		});
	});
});
