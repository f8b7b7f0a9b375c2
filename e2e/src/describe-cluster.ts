// After a failure: the objects, Events and logs of all pods of a cluster, Tekton's and the control plane's among them.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { tryProgram } from '@kubernaut/kind';

export async function describeCluster(kubectl: string, kubeconfigPath: string): Promise<void> {
	const root = process.env['KUBERNAUT_E2E_RESULTS'] ?? join(import.meta.dirname, '..', 'test-results');
	const directory = join(root, 'cluster');
	rmSync(directory, { recursive: true, force: true });
	const dump = ['cluster-info', 'dump', '--all-namespaces', `--output-directory=${directory}`];
	const done = await tryProgram([kubectl, '--kubeconfig', kubeconfigPath, '--request-timeout=30s', ...dump]);
	console.log(
		done === undefined
			? 'The cluster could not be described: its API server does not answer.'
			: `All pods of the cluster, with Events and logs: ${directory}`,
	);
}
