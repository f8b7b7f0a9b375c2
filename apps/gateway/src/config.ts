// Every key that this app reads, and the relations between them.
import { lockProblem } from './distributed-lock.ts';
import { HTTP_CONFIG_KEYS, impossibleHttpRelations } from './http/http-config.ts';
import { type ConfigOf, configKey, type Environment, type Loaded, loadConfig } from './process/config-loader.ts';
import { duration } from './process/config-values.ts';
import { impossibleProcessRelations, PROCESS_CONFIG_KEYS } from './process/process-config.ts';
import { impossibleSignalRelations, SIGNAL_CONFIG_KEYS } from './signal/signal-config.ts';

export const CONFIG_KEYS = {
	...PROCESS_CONFIG_KEYS,
	leaseDurationMs: configKey({
		path: 'lock.lease_duration',
		env: 'LOCK_LEASE_DURATION',
		value: duration,
		default: '30s',
		help: 'How long a key stays locked after its holder died; whole seconds.',
	}),
	...HTTP_CONFIG_KEYS,
	...SIGNAL_CONFIG_KEYS,
} as const;

/** Of the deadline of a request. */
const SHARE_FOR_THE_ANSWER = 0.1;

export type Config = ConfigOf<typeof CONFIG_KEYS>;

export function loadAppConfig(file: string | undefined, environment: Environment): Loaded<Config> {
	return loadConfig(CONFIG_KEYS, file, environment, (config) => [
		...impossibleProcessRelations(config),
		...impossibleLockRelations(config),
		...impossibleDeadline(config),
		...impossibleHttpRelations(config, environment),
		...impossibleSignalRelations(config),
	]);
}

function impossibleLockRelations({ leaseDurationMs, requestTimeoutMs }: Config): string[] {
	const problem = lockProblem({ leaseDurationMs, requestTimeoutMs });
	return problem === undefined ? [] : [`LOCK_LEASE_DURATION and KUBERNETES_REQUEST_TIMEOUT: ${problem}`];
}

/** A silent API server must not use up the time in which the caller can be answered. */
function impossibleDeadline({ requestTimeoutMs, httpDeadlineMs }: Config): string[] {
	const longestMs = httpDeadlineMs * (1 - SHARE_FOR_THE_ANSWER);
	return 2 * requestTimeoutMs < longestMs
		? []
		: [
				`KUBERNETES_REQUEST_TIMEOUT is ${requestTimeoutMs} ms and REQUEST_DEADLINE ${httpDeadlineMs} ms: a write without an answer and the read that resolves it take twice the first, which must be below ${longestMs} ms, or no time is left to answer the sender`,
			];
}
