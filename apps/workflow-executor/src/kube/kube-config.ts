// Where the API server is: a kubeconfig file, or the files of the pod.
import { KubeConfig } from '@kubernetes/client-node';
import { reasonOf } from './kube-errors.ts';

export function loadKubeConfig(path: string | undefined): KubeConfig {
	const config = new KubeConfig();
	if (path === undefined) config.loadFromCluster();
	else config.loadFromFile(path);
	return config;
}

/** A sentence when no API server can be found; trying again would not help. */
export function kubeConfigProblem(
	path: string | undefined,
	environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
	if (path === undefined)
		return environment['KUBERNETES_SERVICE_HOST']
			? undefined
			: 'KUBECONFIG is not set, and this is not a pod of a cluster: set it to a kubeconfig file';
	try {
		return loadKubeConfig(path).getCurrentCluster()?.server
			? undefined
			: `KUBECONFIG: ${path} names no cluster: its current-context must be one of its contexts`;
	} catch (error) {
		return `KUBECONFIG: ${path} cannot be read: ${reasonOf(error)}`;
	}
}
