// The keys of the HTTP side, and the relations between them.
import { AUTH_CONFIG_KEYS, impossibleAuth } from '../guard/auth-config.ts';
import { type ConfigOf, configKey } from '../process/config-loader.ts';
import { duration, durationAboveZero, oneOf, port as portNumber, wholeNumber } from '../process/config-values.ts';

export const HTTP_CONFIG_KEYS = {
	apiPort: configKey({
		path: 'server.api_port',
		env: 'API_PORT',
		value: portNumber,
		default: '8080',
		help: 'Port of the API: receives signals, serves /openapi.json and /docs.',
	}),
	...AUTH_CONFIG_KEYS,
	maxBodyBytes: configKey({
		path: 'server.max_body_bytes',
		env: 'MAX_BODY_BYTES',
		value: wholeNumber(1024, 16 * 1024 * 1024),
		default: '8388608',
		help: 'Maximum size of a body; a larger one is rejected with 413.',
	}),
	receiveTimeoutMs: configKey({
		path: 'server.receive_timeout',
		env: 'RECEIVE_TIMEOUT',
		value: duration,
		default: '15s',
		help: 'Maximum time for headers and body to arrive; a slower request is rejected with 408.',
	}),
	httpDeadlineMs: configKey({
		path: 'server.request_deadline',
		env: 'REQUEST_DEADLINE',
		value: duration,
		default: '10s',
		help: 'Maximum time from the arrival of a request to its answer; signals not handled by then are deferred with 504.',
	}),
	maxConcurrentRequests: configKey({
		path: 'overload.max_concurrent_requests',
		env: 'MAX_CONCURRENT_REQUESTS',
		value: wholeNumber(1, 100_000),
		default: '4000',
		help: 'Maximum number of requests that are not answered yet; more are rejected with 503.',
	}),
	maxBytesInWork: configKey({
		path: 'overload.max_bytes_in_work',
		env: 'MAX_BYTES_IN_WORK',
		value: wholeNumber(1024 * 1024, 4 * 1024 * 1024 * 1024),
		default: '67108864',
		help: 'Maximum memory for bodies that are read or handled at once, 1 KiB per alert included; more are rejected with 503.',
	}),
	maxEventLoopDelayMs: configKey({
		path: 'overload.max_event_loop_delay',
		env: 'MAX_EVENT_LOOP_DELAY',
		value: durationAboveZero,
		default: '2s',
		help: 'Maximum mean delay of the event loop; above it requests are rejected with 503.',
	}),
	resolvedAlerts: configKey({
		path: 'signals.resolved_alerts',
		env: 'RESOLVED_ALERTS',
		value: oneOf('mark', 'ignore'),
		default: 'mark',
		help: 'mark: a resolved alert is recorded on its RemediationRequest, which is cancelled if execution has not begun. ignore: it is not.',
	}),
	explain: configKey({
		path: 'server.explain',
		env: 'EXPLAIN',
		value: oneOf('on', 'off'),
		default: 'off',
		help: 'Whether POST /explain is served: it says what would become of a body, and so shows owners of pods in all namespaces to senders.',
	}),
	storePayload: configKey({
		path: 'signals.store_payload',
		env: 'STORE_PAYLOAD',
		value: oneOf('on', 'off'),
		default: 'off',
		help: 'Whether a RemediationRequest also holds its signal as it came, cut so that both together take at most 32 KiB.',
	}),
} as const;

/** Results of a batch with as many alerts as a body may have, and some small bodies beside it. */
const LARGEST_BATCH_BYTES = 56 * 1024 * 1024;

export type HttpConfig = ConfigOf<typeof HTTP_CONFIG_KEYS>;

export function impossibleHttpRelations(
	config: HttpConfig & {
		readonly listenAddress: string | undefined;
		readonly healthPort: number;
		readonly metricsPort: number;
		readonly shutdownDrainMs: number;
		readonly shutdownGraceMs: number;
	},
	environment: Readonly<Record<string, string | undefined>>,
): string[] {
	const problems: string[] = [];
	for (const [name, port] of Object.entries({ HEALTH_PORT: config.healthPort, METRICS_PORT: config.metricsPort }))
		if (port === config.apiPort) problems.push(`API_PORT and ${name} are both ${port}: they must differ`);
	problems.push(...impossibleAuth(config, environment));
	const needed = config.maxBodyBytes + LARGEST_BATCH_BYTES;
	if (config.maxBytesInWork < needed)
		problems.push(
			`MAX_BODY_BYTES is ${config.maxBodyBytes} and MAX_BYTES_IN_WORK ${config.maxBytesInWork}: the second must be at least ${needed}, or the largest body is never read`,
		);
	const forRequestsMs = config.shutdownGraceMs - config.shutdownDrainMs;
	if (forRequestsMs > 0 && config.httpDeadlineMs >= forRequestsMs)
		problems.push(
			`SHUTDOWN_DRAIN is ${config.shutdownDrainMs} ms, REQUEST_DEADLINE ${config.httpDeadlineMs} ms and SHUTDOWN_GRACE ${config.shutdownGraceMs} ms: the first two together must be shorter than the third, or requests are cut off`,
		);
	return problems;
}
