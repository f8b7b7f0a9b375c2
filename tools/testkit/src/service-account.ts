// An identity with just the rights that an app has in a cluster: nothing is tested as administrator by accident.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type KubeApi, type KubeObject, kubeconfigText } from '@kubernaut/control-plane';
import { KubeConfig } from '@kubernetes/client-node';
import { applyObject, readManifests } from './apply.ts';
import { scratchDirectory } from './scratch.ts';

const TOKEN_SECONDS = 3600;

const SYSTEM_NAMESPACE = 'kubernaut-system';
const WORKFLOWS_NAMESPACE = 'kubernaut-workflows';

/** Where the runs of the executor of a namespace are; an app that is started in a namespace gets it as its own. */
export function workflowsNamespaceOf(namespace: string): string {
	return `${namespace}-workflows`;
}

/**
 * The app's own manifests (deploy/apps/<app>/rbac.yaml) applied to a namespace, and to the namespace of its runs where the
 * app has rights there; returns a kubeconfig's path.
 */
export async function appKubeconfig(
	api: KubeApi,
	app: string,
	namespace: string,
	adminKubeconfig: string,
): Promise<string> {
	const { metadata: owner } = await api.call('GET', `/api/v1/namespaces/${namespace}`);
	const ownerReferences = [{ apiVersion: 'v1', kind: 'Namespace', name: namespace, uid: owner.uid }];
	const manifests = readManifests(join('deploy', 'apps', app, 'rbac.yaml'));
	if (manifests.some(({ metadata }) => metadata.namespace === WORKFLOWS_NAMESPACE)) {
		const metadata = { name: workflowsNamespaceOf(namespace), ownerReferences };
		await applyObject(api, { apiVersion: 'v1', kind: 'Namespace', metadata });
	}
	for (const manifest of manifests) {
		const object = inNamespace(manifest, namespace);
		// In a cluster that outlives the test, what is not in the namespace must go with it.
		if (object['metadata'].namespace === undefined) object['metadata'].ownerReferences = ownerReferences;
		await applyObject(api, object);
	}
	return serviceAccountKubeconfig(api, namespace, app, adminKubeconfig);
}

/** A kubeconfig for a ServiceAccount, which is created when it is not there. */
export async function serviceAccountKubeconfig(
	api: KubeApi,
	namespace: string,
	name: string,
	adminKubeconfig: string,
): Promise<string> {
	const token = await serviceAccountToken(api, namespace, name);
	const config = new KubeConfig();
	config.loadFromFile(adminKubeconfig);
	const ca = Buffer.from(config.getCurrentCluster()?.caData ?? '', 'base64').toString();
	const file = join(await scratchDirectory(), `${name}.kubeconfig`);
	writeFileSync(file, kubeconfigText(api.server, ca, { token }, namespace), { mode: 0o600 });
	return file;
}

/** The ServiceAccount is created when it is not there. */
export async function serviceAccountToken(api: KubeApi, namespace: string, name: string): Promise<string> {
	const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } };
	await applyObject(api, account);
	const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
	const { status } = await api.call('POST', path, { body: { spec: { expirationSeconds: TOKEN_SECONDS } } });
	return status.token as string;
}

/** The manifests are written for kubernaut-system; a test has a namespace of its own. */
function inNamespace(object: KubeObject, namespace: string): KubeObject {
	const text = JSON.stringify(object)
		.replaceAll(SYSTEM_NAMESPACE, namespace)
		.replaceAll(WORKFLOWS_NAMESPACE, workflowsNamespaceOf(namespace));
	return JSON.parse(text) as KubeObject;
}
