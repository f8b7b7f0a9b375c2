// A kustomization that installs the production overlay with the images that were just built: by their digests when they were
// pushed, else by their tag. It is the beginning of a site's own: channels, resources and the like are added to it, so that
// the images of a later version go into it, and the rest of it stays.
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { isMap, isSeq, parseDocument, YAMLSeq } from 'yaml';
import { localName } from './local-name.ts';
import { APPS } from './stage-app.ts';

export type InstalledImage = {
	readonly app: string;
	readonly repository: string;
	readonly version: { readonly digest: string } | { readonly newTag: string };
};

/** All that kustomize looks for; with two of them it stops. */
const NAMES = ['kustomization.yaml', 'kustomization.yml', 'Kustomization'] as const;

/** The one that is there, or the one to make. */
export function kustomizationFile(directory: string): string {
	return join(directory, NAMES.find((name) => existsSync(join(directory, name))) ?? NAMES[0]);
}

export function newKustomization(directory: string, overlay: string): string {
	return [
		'# Written by `npm run images`; yours from now on. Later versions change `images` only.',
		'apiVersion: kustomize.config.k8s.io/v1beta1',
		'kind: Kustomization',
		'resources:',
		`  - ${relative(directory, overlay)}`,
		'',
	].join('\n');
}

/** The same kustomization with these images. Throws when it cannot be read as one. */
export function withImages(kustomization: string, images: readonly InstalledImage[]): string {
	const document = parseDocument(kustomization);
	if (document.errors.length > 0 || !isMap(document.contents))
		throw new Error(`it is no kustomization: ${document.errors[0]?.message ?? 'not a map'}`);
	const there = document.get('images');
	const list = isSeq(there) ? there : new YAMLSeq();
	list.flow = false; // an empty one may stand there as []
	const entryOf = (name: string) => list.items.filter((item) => isMap(item)).find((item) => item.get('name') === name);
	for (const app of APPS) {
		// As the manifests named it before: an account on Docker Hub.
		const before = entryOf(`kubernaut/${app}`);
		if (before === undefined) continue;
		if (entryOf(localName(app)) === undefined) before.set('name', localName(app));
		else list.items.splice(list.items.indexOf(before), 1);
	}
	for (const { app, repository, version } of images) {
		const name = localName(app);
		const known = entryOf(name);
		const image = known ?? document.createNode({ name });
		if (known === undefined) list.add(image);
		for (const key of ['newName', 'digest', 'newTag']) image.delete(key);
		for (const [key, value] of Object.entries({ newName: repository, ...version })) image.set(key, value);
	}
	document.set('images', list);
	return document.toString({ lineWidth: 0 });
}
