// Objects that look-ups of the default alerts find: a Node with its exporter's pod, and a Deployment with a pod.
import type { KubeApi, KubeObject } from '@kubernaut/control-plane';
import { MERGE_PATCH } from '@kubernaut/control-plane';
import { applyObject } from '@kubernaut/testkit';

const containers = [{ name: 'main', image: 'main' }];

export async function createObjects(api: KubeApi): Promise<void> {
	for (const name of ['monitoring', 'shop', 'logging'])
		await applyObject(api, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
	// Where no controller manager makes it; without it no pod is admitted.
	const account = { name: 'default', namespace: 'shop' };
	await applyObject(api, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: account });
	await applyObject(api, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'worker-3' } });
	const status = { addresses: [{ type: 'InternalIP', address: '10.0.0.33' }] };
	await api.call('PATCH', '/api/v1/nodes/worker-3/status', { body: { status }, contentType: MERGE_PATCH });

	const labels = { app: 'cart' };
	const template = { metadata: { labels }, spec: { containers } };
	const workload = (kind: string, name: string, owners: readonly object[] = []): KubeObject => ({
		apiVersion: 'apps/v1',
		kind,
		metadata: { name, namespace: 'shop', ownerReferences: owners },
		spec: { selector: { matchLabels: labels }, template },
	});
	const deployment = await applied(api, workload('Deployment', 'cart'));
	const replicaSet = await applied(api, workload('ReplicaSet', 'cart-7d4b9c8f6', [ownerOf(deployment)]));
	await applyObject(api, {
		apiVersion: 'v1',
		kind: 'Pod',
		metadata: { name: 'cart-7d4b9c8f6-x2x8p', namespace: 'shop', labels, ownerReferences: [ownerOf(replicaSet)] },
		spec: { containers },
	});
}

async function applied(api: KubeApi, object: KubeObject): Promise<KubeObject> {
	await applyObject(api, object);
	const { kind, metadata } = object;
	return api.call('GET', `/apis/apps/v1/namespaces/shop/${String(kind).toLowerCase()}s/${metadata.name}`);
}

function ownerOf({ apiVersion, kind, metadata }: KubeObject): object {
	return { apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true };
}
