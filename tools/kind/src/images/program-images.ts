// Images that are one program on an empty file system: Kubernetes' own components, Tekton's, what tests need.
import { chmodSync, copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type ImageSettings, layerOf, writeImageArchive } from './image-archive.ts';

export type ProgramImage = {
	readonly name: string;
	/** Path in the image → path here. */
	readonly files: Readonly<Record<string, string>>;
	/** A directory whose content is copied first. */
	readonly settings: ImageSettings;
	/** More work on the directory that becomes the image. */
	readonly prepare?: (root: string) => void | Promise<void>;
};

export async function writeProgramImage(archive: string, image: ProgramImage, work: string): Promise<void> {
	const root = join(work, basename(archive, '.tar'));
	for (const directory of ['etc', 'tmp', 'var/run']) mkdirSync(join(root, directory), { recursive: true });
	chmodSync(join(root, 'tmp'), 0o1777);
	writeFileSync(
		join(root, 'etc/passwd'),
		'root:x:0:0:root:/:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/:/sbin/nologin\n',
	);
	writeFileSync(join(root, 'etc/group'), 'root:x:0:\nnonroot:x:65532:\n');
	for (const [path, source] of Object.entries(image.files)) {
		mkdirSync(dirname(join(root, path)), { recursive: true });
		copyFileSync(source, join(root, path));
		chmodSync(join(root, path), 0o755);
	}
	await image.prepare?.(root);
	const layer = `${root}.layer`;
	await layerOf(root, layer);
	rmSync(root, { recursive: true });
	await writeImageArchive(archive, image.name, layer, image.settings);
}
