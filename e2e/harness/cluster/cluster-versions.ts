// The apps of a cluster in the version before this one, and back, with the commands of docs/install.md.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { localName } from '@kubernaut/images';
import { APPS } from '@kubernaut/testkit';
import { stringify } from 'yaml';
import { type ClusterDescription, PREVIOUS_TAG, type PreviousVersion } from '../environment.ts';
import { commandsBelow, runCommand } from '../install-page.ts';
import type { Versions } from '../platform.ts';
import type { PodReplicas } from './pod-replicas.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');

export function clusterVersions(
	{ commit, directory }: PreviousVersion,
	{ kubectl, kubeconfigPath }: ClusterDescription,
	pods: PodReplicas,
): Versions {
	const allUpdated = async () => void (await Promise.all(APPS.map((app) => pods.updated(app))));
	return {
		previousCommit: commit,
		async toPrevious() {
			const site = mkdtempSync(join(tmpdir(), 'kubernaut-previous-'));
			try {
				writeFileSync(join(site, 'kustomization.yaml'), stringify(previousKustomization(site, directory)));
				await runCommand(`kubectl apply -k ${site}`, kubectl, kubeconfigPath);
			} finally {
				rmSync(site, { recursive: true });
			}
			await allUpdated();
			for (const app of APPS) {
				const image = await pods.image(app);
				if (!image.endsWith(`:${PREVIOUS_TAG}`)) throw new Error(`${app} is still ${image}`);
			}
		},
		async toCurrent() {
			const [upgrade = []] = commandsBelow('Upgrade');
			for (const line of upgrade) await runCommand(line, kubectl, kubeconfigPath);
			await allUpdated();
		},
	};
}

/**
 * Its manifests with its images; this tree's when it had none. The receivers and the Alertmanager stay: what they recorded
 * is in their memory.
 */
function previousKustomization(site: string, tree: string): object {
	const manifests = [tree, ROOT].map((root) => join(root, 'e2e', 'cluster')).find((path) => existsSync(path)) ?? '';
	const removed = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'any' }, $patch: 'delete' };
	return {
		apiVersion: 'kustomize.config.k8s.io/v1beta1',
		kind: 'Kustomization',
		resources: [relative(site, manifests)],
		images: APPS.flatMap((app) =>
			// Its manifests may have the names of before.
			[`kubernaut/${app}`, localName(app)].map((name) => ({ name, newName: localName(app), newTag: PREVIOUS_TAG })),
		),
		patches: [{ target: { kind: 'Deployment', namespace: 'kubernaut-e2e' }, patch: stringify(removed) }],
	};
}
