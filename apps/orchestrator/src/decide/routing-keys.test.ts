import { describe, expect, it } from 'vitest';
import { loadAppConfig } from '../config.ts';

describe('the configuration keys of the decisions', () => {
	it.each([
		{
			environment: { RESOURCE_LOCKING_COOLDOWN_PERIOD: '4h' },
			want: 'RESOURCE_LOCKING_COOLDOWN_PERIOD is 14400000 ms and ROUTING_DEADLINE 14400000 ms: a request that waits for the cooldown would time out',
		},
		{
			environment: { ROUTING_FAILURE_WINDOW: '5h' },
			want: 'ROUTING_FAILURE_WINDOW is 18000000 ms and ROUTING_DEADLINE 14400000 ms: a request that waits for the end of a block would time out',
		},
		{
			environment: { ROUTING_FAILURE_BACKOFF: '5h' },
			want: 'ROUTING_FAILURE_BACKOFF is 18000000 ms and ROUTING_DEADLINE 14400000 ms: a request that waits after a failure would time out',
		},
		{
			environment: {
				REQUESTS_RETENTION: '0s',
				ROUTING_FAILURE_WINDOW: '1m',
				RESOURCE_LOCKING_COOLDOWN_PERIOD: '2m',
				ROUTING_FAILURE_BACKOFF: '1m',
			},
			want: 'REQUESTS_RETENTION, ROUTING_FAILURE_WINDOW and RESOURCE_LOCKING_COOLDOWN_PERIOD are at most 120000 ms: one of them must be 180000 ms or more, because a replica may learn so late what has run',
		},
		{
			environment: { CONTROLLER_TURN: '1001ms' },
			want: 'CONTROLLER_TURN is 1001 ms: at most 1000 ms, because every remediation waits for it',
		},
	])('$environment is rejected, with the reason', ({ environment, want }) => {
		expect(loadAppConfig(undefined, environment)).toEqual({ problems: [want] });
	});

	it.each([
		{ environment: { ROUTING_CONSECUTIVE_FAILURES: '0' }, want: 'ROUTING_CONSECUTIVE_FAILURES' },
		{ environment: { ROUTING_DEADLINE: '4 hours' }, want: 'ROUTING_DEADLINE' },
		...['ROUTING_FAILURE_BACKOFF', 'EXECUTIONS_TIMEOUT', 'ROUTING_DEADLINE'].map((key) => ({
			environment: { [key]: '0s' },
			want: `${key}: "0s" is not a duration like 250ms, 30s, 5m or 1h, above zero`,
		})),
		{ environment: { ROUTING_CANCEL_RESOLVED: 'yes' }, want: 'ROUTING_CANCEL_RESOLVED' },
		{ environment: { NOTIFICATIONS_CHANNELS: 'log,pigeon' }, want: 'NOTIFICATIONS_CHANNELS' },
		{ environment: { PAUSE_CONFIG_MAP: ' ' }, want: 'PAUSE_CONFIG_MAP' },
		{ environment: { CONTROLLER_CONCURRENCY: '0' }, want: 'CONTROLLER_CONCURRENCY' },
	])('$environment is rejected, with the name of the key', ({ environment, want }) => {
		expect(loadAppConfig(undefined, environment)).toEqual({ problems: [expect.stringContaining(want)] });
	});

	it('a cooldown of zero, several channels and a retention of zero are accepted', () => {
		const environment = {
			RESOURCE_LOCKING_COOLDOWN_PERIOD: '0s',
			NOTIFICATIONS_CHANNELS: 'slack, log',
			REQUESTS_RETENTION: '0s',
			ROUTING_CANCEL_RESOLVED: 'off',
		};
		expect(loadAppConfig(undefined, environment)).toMatchObject({
			config: { cooldownMs: 0, channels: ['slack', 'log'], retentionMs: 0, cancelResolved: 'off' },
		});
	});
});
