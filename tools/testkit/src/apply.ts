// `kubectl apply` for YAML of this repository: server-side, then waits until the API server serves new kinds.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { APPLY, type KubeApi, type KubeObject } from '@kubernaut/control-plane';
import { parseAllDocuments } from 'yaml';
import { PLAYED_TEKTON_KINDS } from './played-tekton-kinds.ts';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
const FIELD_MANAGER = 'kubernaut-tools';
const SERVED_TIMEOUT_MS = 30_000;
const POLL_MS = 50;

/** Path below the repository's root. */
export function readManifests(path: string): KubeObject[] {
	return parseAllDocuments(readFileSync(join(ROOT, path), 'utf8'))
		.map((document) => document.toJS() as KubeObject | null)
		.filter((object) => object !== null);
}

/** Ours, and where Tekton is not installed a stand-in for its kinds: tests without Tekton play what it would write. */
export async function applyCrds(api: KubeApi): Promise<void> {
	const files = readdirSync(join(ROOT, 'deploy', 'crds')).filter((file) => file.endsWith('.yaml'));
	const ours = files.flatMap((file) => readManifests(join('deploy', 'crds', file)));
	const hasTekton = (await api.send('GET', '/apis/tekton.dev/v1')).status === 200;
	const crds = [...ours, ...(hasTekton ? [] : PLAYED_TEKTON_KINDS)];
	await Promise.all(crds.map((crd) => applyObject(api, crd)));
	await Promise.all(crds.map((crd) => waitUntilServed(api, crd)));
}

/** Namespaced objects go to the namespace that they name, else to the one given. */
export async function applyObject(api: KubeApi, object: KubeObject, namespace?: string): Promise<KubeObject> {
	const path = await objectPath(api, object, namespace);
	return api.call('PATCH', `${path}?fieldManager=${FIELD_MANAGER}&force=true`, { body: object, contentType: APPLY });
}

async function objectPath(api: KubeApi, object: KubeObject, namespace: string | undefined): Promise<string> {
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

async function waitUntilServed(api: KubeApi, crd: KubeObject): Promise<void> {
	const { group, names, versions } = crd['spec'];
	const path = `/apis/${group}/${versions[0].name}/${names.plural}?limit=1`;
	const deadline = performance.now() + SERVED_TIMEOUT_MS;
	while ((await api.send('GET', path)).status !== 200) {
		if (performance.now() > deadline) throw new Error(`the API server does not serve ${names.plural}.${group}`);
		await delay(POLL_MS);
	}
}
