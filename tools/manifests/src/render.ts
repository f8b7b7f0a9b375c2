// A kustomization as the objects that it stands for.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type KubeObject, obtainPart } from '@kubernaut/control-plane';
import { parseAllDocuments, stringify } from 'yaml';

const DEPLOY = resolve(import.meta.dirname, '..', '..', '..', 'deploy');
export const OVERLAYS = ['dev', 'e2e', 'production'] as const;
export type Overlay = (typeof OVERLAYS)[number];
export const COMPONENTS = ['monitoring', 'alertmanager-example'] as const;
export type Component = (typeof COMPONENTS)[number];

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const run = promisify(execFile);

/** A directory with a kustomization.yaml. */
export async function render(directory: string): Promise<KubeObject[]> {
	const kustomize = await obtainPart('kustomize');
	const { stdout } = await run(kustomize, ['build', directory], { maxBuffer: MAX_OUTPUT_BYTES });
	return parseAllDocuments(stdout)
		.map((document) => document.toJS() as KubeObject | null)
		.filter((object) => object !== null);
}

/** An overlay, with components on top as a site of its own would add them. */
export async function renderOverlay(overlay: Overlay, components: readonly Component[] = []): Promise<KubeObject[]> {
	if (components.length === 0) return render(join(DEPLOY, 'overlays', overlay));
	const site = mkdtempSync(join(tmpdir(), 'kubernaut-site-'));
	try {
		const path = (...names: string[]) => relative(site, join(DEPLOY, ...names));
		const kustomization = {
			resources: [path('overlays', overlay)],
			components: components.map((component) => path('components', component)),
		};
		writeFileSync(join(site, 'kustomization.yaml'), stringify(kustomization));
		return await render(site);
	} finally {
		rmSync(site, { recursive: true });
	}
}

/** What it is called in messages: `Deployment kubernaut-system/gateway`. */
export function describeObject({ kind, metadata }: KubeObject): string {
	return `${kind} ${metadata.namespace === undefined ? '' : `${metadata.namespace}/`}${metadata.name}`;
}
