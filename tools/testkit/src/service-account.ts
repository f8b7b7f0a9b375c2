// An identity with just the rights that an app has in a cluster: nothing is tested as administrator by accident.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type KubeApi, type KubeObject, kubeconfigText } from '@kubernaut/control-plane';
import { KubeConfig } from '@kubernetes/client-node';
import { applyObject, readManifests } from './apply.ts';
import { scratchDirectory } from './scratch.ts';

const TOKEN_SECONDS = 3600;
// As the manifests name them.
const HOME = 'kubernaut-system';
const WORKFLOWS = 'kubernaut-workflows';

/** Where the PipelineRuns of a test run that has this namespace for its apps. */
export function executionNamespaceOf(namespace: string): string {
	return `${namespace}-workflows`;
}

/**
 * The app's own manifests (deploy/apps/<app>/rbac.yaml) applied to a namespace, and to its execution namespace, which is
 * created, when they name one. Returns a kubeconfig's path.
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
	if (manifests.some(({ metadata }) => metadata.namespace === WORKFLOWS)) {
		const metadata = { name: executionNamespaceOf(namespace), ownerReferences };
		await applyObject(api, { apiVersion: 'v1', kind: 'Namespace', metadata });
	}
	for (const manifest of manifests) {
		const object = inNamespaceOfTest(manifest, namespace);
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

/** The manifests are written for two namespaces of the product; a test has its own. */
export function inNamespaceOfTest(object: KubeObject, namespace: string): KubeObject {
	const text = JSON.stringify(object)
		.replaceAll(HOME, namespace)
		.replaceAll(WORKFLOWS, executionNamespaceOf(namespace));
	return JSON.parse(text) as KubeObject;
}
