// A kustomization that installs the production overlay with the images that were just pushed, by their digests. It is the
// beginning of a site's own: channels, resources and the like are added to it.
import { relative } from 'node:path';

export type PushedImage = { readonly app: string; readonly repository: string; readonly digest: string };

export function installKustomization(directory: string, overlay: string, images: readonly PushedImage[]): string {
	const lines = images.flatMap(({ app, repository, digest }) => [
		`  - name: kubernaut/${app}`,
		`    newName: ${repository}`,
		`    digest: ${digest}`,
	]);
	return [
		'# Written by `npm run images -- --push`; yours from now on.',
		'apiVersion: kustomize.config.k8s.io/v1beta1',
		'kind: Kustomization',
		'resources:',
		`  - ${relative(directory, overlay)}`,
		'images:',
		...lines,
		'',
	].join('\n');
}
