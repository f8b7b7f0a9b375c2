// Every key that this app reads, and the relations between them.

import { impossibleRoutingRelations, ROUTING_KEYS } from './decide/routing-keys.ts';
import { lockProblem } from './distributed-lock.ts';
import { type ConfigOf, configKey, type Loaded, loadConfig } from './process/config-loader.ts';
import { duration, durationAboveZero, oneOf, port, text } from './process/config-values.ts';

export const CONFIG_KEYS = {
	podName: configKey({
		path: 'pod.name',
		env: 'POD_NAME',
		value: text,
		default: undefined,
		help: 'Who holds a lock; required in a cluster.',
	}),
	podNamespace: configKey({
		path: 'pod.namespace',
		env: 'POD_NAMESPACE',
		value: text,
		default: undefined,
		help: 'Where the locks live; required in a cluster.',
	}),
	resourceNamespace: configKey({
		path: 'resources.namespace',
		env: 'RESOURCE_NAMESPACE',
		value: text,
		default: undefined,
		help: "Where the kubernaut.ai objects live; the pod's namespace when absent.",
	}),
	kubeconfig: configKey({
		path: 'kubernetes.kubeconfig',
		env: 'KUBECONFIG',
		value: text,
		default: undefined,
		help: "The API server; the cluster's own ServiceAccount when absent.",
	}),
	requestTimeoutMs: configKey({
		path: 'kubernetes.request_timeout',
		env: 'KUBERNETES_REQUEST_TIMEOUT',
		value: durationAboveZero,
		default: '5s',
		help: 'No call to the API server takes longer.',
	}),
	leaseDurationMs: configKey({
		path: 'lock.lease_duration',
		env: 'LOCK_LEASE_DURATION',
		value: duration,
		default: '30s',
		help: 'How long a target stays shut after its holder died; whole seconds.',
	}),
	...ROUTING_KEYS,
	listenAddress: configKey({
		path: 'server.listen_address',
		env: 'LISTEN_ADDRESS',
		value: text,
		default: '0.0.0.0',
		help: 'The interface to listen on.',
	}),
	healthPort: configKey({
		path: 'server.health_port',
		env: 'HEALTH_PORT',
		value: port,
		default: '8081',
		help: 'Serves /healthz and /readyz.',
	}),
	metricsPort: configKey({
		path: 'server.metrics_port',
		env: 'METRICS_PORT',
		value: port,
		default: '9090',
		help: 'Serves /metrics.',
	}),
	logLevel: configKey({
		path: 'log.level',
		env: 'LOG_LEVEL',
		value: oneOf('debug', 'info', 'warn', 'error'),
		default: 'info',
		help: 'How much it tells.',
	}),
	shutdownDrainMs: configKey({
		path: 'shutdown.drain',
		env: 'SHUTDOWN_DRAIN',
		value: duration,
		default: '5s',
		help: 'Not ready but still serving, until the load balancer has noticed.',
	}),
	shutdownGraceMs: configKey({
		path: 'shutdown.grace',
		env: 'SHUTDOWN_GRACE',
		value: duration,
		default: '25s',
		help: "The whole shutdown; below the pod's terminationGracePeriodSeconds.",
	}),
} as const;

export type Config = ConfigOf<typeof CONFIG_KEYS>;

export function loadAppConfig(
	file: string | undefined,
	environment: Readonly<Record<string, string | undefined>>,
): Loaded<Config> {
	const loaded = loadConfig(CONFIG_KEYS, file, environment);
	if ('problems' in loaded) return loaded;
	const problems = [...impossibleRelations(loaded.config), ...impossibleRoutingRelations(loaded.config)];
	return problems.length > 0 ? { problems } : loaded;
}

function impossibleRelations(config: Config): string[] {
	const problems: string[] = [];
	if (config.shutdownDrainMs >= config.shutdownGraceMs)
		problems.push(
			`SHUTDOWN_DRAIN is ${config.shutdownDrainMs} ms and SHUTDOWN_GRACE ${config.shutdownGraceMs} ms: the drain must be shorter than the whole shutdown`,
		);
	const ports = [config.healthPort, config.metricsPort];
	if (new Set(ports).size < ports.length)
		problems.push(`HEALTH_PORT and METRICS_PORT are both ${config.healthPort}: they must differ`);
	const lock = lockProblem({ leaseDurationMs: config.leaseDurationMs, requestTimeoutMs: config.requestTimeoutMs });
	if (lock !== undefined) problems.push(`LOCK_LEASE_DURATION and KUBERNETES_REQUEST_TIMEOUT: ${lock}`);
	return problems;
}
