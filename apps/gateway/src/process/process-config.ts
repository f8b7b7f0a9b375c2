// The configuration keys that every app has, and the relations between them.
import { type ConfigOf, configKey } from './config-loader.ts';
import { duration, durationAboveZero, oneOf, port, text } from './config-values.ts';

export const PROCESS_CONFIG_KEYS = {
	podName: configKey({
		path: 'pod.name',
		env: 'POD_NAME',
		value: text,
		default: undefined,
		help: 'Name of this replica, and of the holder in its locks; required in a cluster.',
	}),
	podNamespace: configKey({
		path: 'pod.namespace',
		env: 'POD_NAMESPACE',
		value: text,
		default: undefined,
		help: 'Namespace of this pod and of its locks; required in a cluster.',
	}),
	resourceNamespace: configKey({
		path: 'resources.namespace',
		env: 'RESOURCE_NAMESPACE',
		value: text,
		default: undefined,
		help: "Namespace of the kubernaut.ai objects; the pod's namespace when absent.",
	}),
	kubeconfig: configKey({
		path: 'kubernetes.kubeconfig',
		env: 'KUBECONFIG',
		value: text,
		default: undefined,
		help: "Kubeconfig file; the pod's ServiceAccount when absent.",
	}),
	requestTimeoutMs: configKey({
		path: 'kubernetes.request_timeout',
		env: 'KUBERNETES_REQUEST_TIMEOUT',
		value: durationAboveZero,
		default: '3s',
		help: 'Time limit of each call to the API server, waits while it throttles included.',
	}),
	listenAddress: configKey({
		path: 'server.listen_address',
		env: 'LISTEN_ADDRESS',
		value: text,
		default: undefined,
		help: 'Address to listen on; all of this machine when absent.',
	}),
	healthPort: configKey({
		path: 'server.health_port',
		env: 'HEALTH_PORT',
		value: port,
		default: '8081',
		help: 'Port of /healthz and /readyz.',
	}),
	metricsPort: configKey({
		path: 'server.metrics_port',
		env: 'METRICS_PORT',
		value: port,
		default: '9090',
		help: 'Port of /metrics.',
	}),
	logLevel: configKey({
		path: 'log.level',
		env: 'LOG_LEVEL',
		value: oneOf('debug', 'info', 'warn', 'error'),
		default: 'info',
		help: 'Log verbosity.',
	}),
	shutdownDrainMs: configKey({
		path: 'shutdown.drain',
		env: 'SHUTDOWN_DRAIN',
		value: duration,
		default: '5s',
		help: 'Time not ready but still serving, until load balancers have noticed.',
	}),
	shutdownGraceMs: configKey({
		path: 'shutdown.grace',
		env: 'SHUTDOWN_GRACE',
		value: duration,
		default: '25s',
		help: "Time limit of the whole shutdown; below the pod's terminationGracePeriodSeconds.",
	}),
} as const;

export type ProcessConfig = ConfigOf<typeof PROCESS_CONFIG_KEYS>;

/** A sentence for each relation that cannot work. */
export function impossibleProcessRelations(
	config: Pick<ProcessConfig, 'shutdownDrainMs' | 'shutdownGraceMs' | 'healthPort' | 'metricsPort'>,
): string[] {
	const problems: string[] = [];
	if (config.shutdownDrainMs >= config.shutdownGraceMs)
		problems.push(
			`SHUTDOWN_DRAIN is ${config.shutdownDrainMs} ms and SHUTDOWN_GRACE ${config.shutdownGraceMs} ms: the drain must be shorter than the whole shutdown`,
		);
	if (config.healthPort === config.metricsPort)
		problems.push(`HEALTH_PORT and METRICS_PORT are both ${config.healthPort}: they must differ`);
	return problems;
}
