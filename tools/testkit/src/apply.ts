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

/** Ours, and where Tekton is not installed a stand-in for its kinds: tests without Tekton play what it would write. */
export async function applyCrds(api: KubeApi): Promise<void> {
	const files = readdirSync(join(ROOT, 'deploy', 'crds')).filter((file) => file.endsWith('.yaml'));
	const ours = files.flatMap((file) => readManifests(join('deploy', 'crds', file)));
	const hasTekton = (await api.send('GET', '/apis/tekton.dev/v1')).status === 200;
	const crds = [...ours, ...(hasTekton ? [] : PLAYED_TEKTON_KINDS)];
	await Promise.all(crds.map((crd) => applyObject(api, crd)));
	await Promise.all(crds.map((crd) => waitUntilServed(api, crd)));
}
