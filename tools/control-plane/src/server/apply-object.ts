// `kubectl apply`, server-side, for one object; and the wait until the API server serves a new kind.
import { setTimeout as delay } from 'node:timers/promises';
import { APPLY, type KubeApi, type KubeObject } from './kube-api.ts';

const FIELD_MANAGER = 'kubernaut-tools';
const SERVED_TIMEOUT_MS = 30_000;
const POLL_MS = 50;

/** Namespaced objects go to the namespace that they name, else to the one given. */
export async function applyObject(api: KubeApi, object: KubeObject, namespace?: string): Promise<KubeObject> {
	const path = await objectPath(api, object, namespace);
	return api.call('PATCH', `${path}?fieldManager=${FIELD_MANAGER}&force=true`, { body: object, contentType: APPLY });
}

/** A CRD's own versions, each of them. */
export async function waitUntilServed(api: KubeApi, crd: KubeObject): Promise<void> {
	const { group, names, versions } = crd['spec'];
	const served = (versions as { name: string; served: boolean }[]).filter((version) => version.served);
	const deadline = performance.now() + SERVED_TIMEOUT_MS;
	for (const { name } of served)
		while ((await api.send('GET', `/apis/${group}/${name}/${names.plural}?limit=1`)).status !== 200) {
			if (performance.now() > deadline) throw new Error(`the API server does not serve ${names.plural}.${group}`);
			await delay(POLL_MS);
		}
}

/** Its own path, by the names that the API server has for its kind. */
export async function objectPath(api: KubeApi, object: KubeObject, namespace?: string): Promise<string> {
	const apiVersion = String(object['apiVersion']);
	const base = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
	const { resources } = await api.call('GET', base);
	const resource = (resources as { name: string; kind: string; namespaced: boolean }[]).find(
		(candidate) => candidate.kind === object['kind'] && !candidate.name.includes('/'),
	);
	if (resource === undefined) throw new Error(`${apiVersion} has no kind ${object['kind']}`);
	const { name } = object['metadata'];
	if (!resource.namespaced) return `${base}/${resource.name}/${name}`;
	const where = object['metadata'].namespace ?? namespace;
	if (where === undefined) throw new Error(`${object['kind']} ${name} names no namespace`);
	return `${base}/namespaces/${where}/${resource.name}/${name}`;
}
