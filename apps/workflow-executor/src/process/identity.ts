// Name and namespace of this replica. Two replicas with one name would take each other's locks for their own, so in a
// cluster nothing is guessed.
import { hostname } from 'node:os';

export type Identity = { podName: string; podNamespace: string; warning?: string };

const DEFAULT_NAMESPACE = 'kubernaut-system';

export function identify(
	config: { podName?: string | undefined; podNamespace?: string | undefined },
	environment: Readonly<Record<string, string | undefined>>,
): Identity | { problem: string } {
	const { podName, podNamespace } = config;
	if (podName !== undefined && podNamespace !== undefined) return { podName, podNamespace };
	if (environment['KUBERNETES_SERVICE_HOST'] !== undefined) {
		const missing = [
			...(podName === undefined ? ['POD_NAME'] : []),
			...(podNamespace === undefined ? ['POD_NAMESPACE'] : []),
		];
		return {
			problem: `${missing.join(' and ')} must be set in a cluster: give the container metadata.name and metadata.namespace through fieldRef`,
		};
	}
	const guessed = {
		podName: podName ?? `${hostname()}-${process.pid}`,
		podNamespace: podNamespace ?? DEFAULT_NAMESPACE,
	};
	return {
		...guessed,
		warning: `outside a cluster: pod name ${guessed.podName}, namespace ${guessed.podNamespace}; set POD_NAME and POD_NAMESPACE to choose`,
	};
}
