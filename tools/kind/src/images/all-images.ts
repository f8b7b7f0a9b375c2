// Every image that a cluster needs and that is not the platform's own: built, or taken from the cache.
import { existsSync } from 'node:fs';
import { buildAlertmanagerImage } from './alertmanager-image.ts';
import { buildNodeImage, type LocalImage, nodeImageOf } from './node-image.ts';
import { buildPrograms, builtPrograms, NODE_PARTS, TEKTON_IMAGE_PARTS } from './programs.ts';
import { buildBusyboxImage, buildTektonImages, busyboxImage } from './tekton-images.ts';

/** In place of what a registry has. */
export type LocalImages = {
	readonly node: LocalImage;
	readonly busybox: LocalImage;
};
type Options = { signal?: AbortSignal };

/** Of Tekton, where its released ones are not used, and of Alertmanager. They need Go alone. */
export async function buildProgramImages(
	options: Options & { withTekton?: boolean } = {},
): Promise<readonly LocalImage[]> {
	const tekton =
		options.withTekton === false ? [] : await buildTektonImages(await buildPrograms(TEKTON_IMAGE_PARTS, options));
	const { alertmanager } = await buildPrograms(['alertmanager'], options);
	return [...tekton, await buildAlertmanagerImage(alertmanager)];
}

/** The programs first: they take longest, and each is kept as soon as it is there. */
export async function buildLocalImages(options: Options = {}): Promise<LocalImages> {
	const busybox = await buildBusyboxImage(options);
	return { node: await buildNodeImage(await buildPrograms(NODE_PARTS, options), options), busybox };
}

/** Undefined when one of them is not there: then a registry is needed, or `npm run e2e:node-image`. */
export function findLocalImages(): LocalImages | undefined {
	const programs = builtPrograms(NODE_PARTS);
	if (!programs) return undefined;
	const images: LocalImages = { node: nodeImageOf(programs), busybox: busyboxImage() };
	return [images.node, images.busybox].every(({ archive }) => existsSync(archive)) ? images : undefined;
}
