import { describe, expect, it } from 'vitest';
import { loadAppConfig } from '../config.ts';

const problems = (environment: Record<string, string>) => {
	const loaded = loadAppConfig(undefined, environment);
	return 'problems' in loaded ? loaded.problems : [];
};

describe('the configuration of the HTTP side', () => {
	it('the defaults are valid', () => {
		expect(loadAppConfig(undefined, {})).toMatchObject({
			config: {
				apiPort: 8080,
				auth: 'on',
				maxBodyBytes: 8 * 1024 * 1024,
				receiveTimeoutMs: 15_000,
				httpDeadlineMs: 10_000,
				maxConcurrentRequests: 4000,
				maxBytesInWork: 64 * 1024 * 1024,
				maxEventLoopDelayMs: 2000,
				resolvedAlerts: 'mark',
				storePayload: 'off',
			},
		});
	});

	it.each([
		{ environment: { API_PORT: '8081' }, want: 'API_PORT and HEALTH_PORT are both 8081: they must differ' },
		{ environment: { API_PORT: '9090' }, want: 'API_PORT and METRICS_PORT are both 9090: they must differ' },
		{
			environment: { AUTH: 'off', KUBERNETES_SERVICE_HOST: '10.0.0.1' },
			want: 'AUTH is off in a cluster: every client that reaches the port could start remediations; set it to on',
		},
		...['0.0.0.0', '10.1.2.3', '::', 'example.org', '127.0.0.1.example.org'].map((address) => ({
			environment: { AUTH: 'off', LISTEN_ADDRESS: address },
			want: `AUTH is off and LISTEN_ADDRESS is ${address}: every client that reaches the port could start remediations; set LISTEN_ADDRESS to 127.0.0.1, or AUTH to on`,
		})),
		{
			environment: { AUTH_ISSUERS: 'a,,b' },
			want: 'AUTH_ISSUERS: "a,,b" is not one or more texts, separated by commas',
		},
		{
			environment: { MAX_BODY_BYTES: '16777216' },
			want: /^MAX_BODY_BYTES is 16777216 and MAX_BYTES_IN_WORK 67108864: the second must be at least 75497472/,
		},
		{
			environment: { REQUEST_DEADLINE: '20s' },
			want: /^SHUTDOWN_DRAIN is 5000 ms, REQUEST_DEADLINE 20000 ms and SHUTDOWN_GRACE 25000 ms/,
		},
		{ environment: { MAX_EVENT_LOOP_DELAY: '0s' }, want: /^MAX_EVENT_LOOP_DELAY: "0s" is not .* above zero/ },
		{ environment: { AUTH: 'no' }, want: 'AUTH: "no" is not one of on, off' },
		{ environment: { AUTH: '' }, want: 'AUTH: "" is not one of on, off' },
		{ environment: { MAX_BODY_BYTES: '1023' }, want: /^MAX_BODY_BYTES: "1023" is not a whole number, 1024 to/ },
		{ environment: { MAX_CONCURRENT_REQUESTS: '0' }, want: /^MAX_CONCURRENT_REQUESTS: "0" is not a whole number/ },
	])('the configuration $environment is refused', ({ environment, want }) => {
		expect(problems(environment)).toEqual([expect.stringMatching(want)]);
	});

	it.each([
		{ AUTH: 'off' },
		{ AUTH: 'off', LISTEN_ADDRESS: '127.0.0.1' },
		{ AUTH: 'off', LISTEN_ADDRESS: '::1' },
		{ LISTEN_ADDRESS: '0.0.0.0', AUTH_ISSUERS: 'https://a, https://b', AUTH_AUDIENCES: 'c' },
		{ AUTH: 'on', KUBERNETES_SERVICE_HOST: '10.0.0.1' },
		{ MAX_BODY_BYTES: '16777216', MAX_BYTES_IN_WORK: '75497472' },
	])('the configuration %o is accepted', (environment) => {
		expect(problems(environment)).toEqual([]);
	});
});
