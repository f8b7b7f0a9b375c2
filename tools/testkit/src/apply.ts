// `kubectl apply` for YAML of this repository.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { applyObject, type KubeApi, type KubeObject, waitUntilServed } from '@kubernaut/control-plane';
import { parseAllDocuments } from 'yaml';
import { PLAYED_TEKTON_KINDS } from './played-tekton-kinds.ts';

export { applyObject };

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');

/** Path below the repository's root. */
export function readManifests(path: string): KubeObject[] {
	return parseAllDocuments(readFileSync(join(ROOT, path), 'utf8'))
		.map((document) => document.toJS() as KubeObject | null)
		.filter((object) => object !== null);
}

export async function applyCrds(api: KubeApi): Promise<void> {
	const files = readdirSync(join(ROOT, 'deploy', 'crds')).filter((file) => file.endsWith('.yaml'));
	const objects = files.flatMap((file) => readManifests(join('deploy', 'crds', file)));
	await applyKinds(
		api,
		objects.filter(({ kind }) => kind === 'CustomResourceDefinition'), // not the kustomization
	);
}

/** For a control plane without Tekton, where tests play what Tekton would write. */
export async function applyCrdsWithoutTekton(api: KubeApi): Promise<void> {
	await applyCrds(api);
	// A cluster that was named may have it.
	if ((await api.send('GET', '/apis/tekton.dev/v1')).status !== 200) await applyKinds(api, PLAYED_TEKTON_KINDS);
}

async function applyKinds(api: KubeApi, crds: readonly KubeObject[]): Promise<void> {
	await Promise.all(crds.map((crd) => applyObject(api, crd)));
	await Promise.all(crds.map((crd) => waitUntilServed(api, crd)));
}
