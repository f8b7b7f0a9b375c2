// An image as a file, in the form that `docker load`, `ctr images import` and `kind load image-archive` take: one layer from
// a directory or a tar, and what to start. No engine is needed to make it.
import { createHash } from 'node:crypto';
import { createReadStream, linkSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { runProgram } from '../run-program.ts';

export type ImageSettings = {
	readonly entrypoint?: readonly string[];
	readonly env?: readonly string[];
	readonly user?: string;
	readonly stopSignal?: string;
	readonly labels?: Readonly<Record<string, string>>;
};

/** Node's name → that of images. */
export const ARCHITECTURES: Partial<Record<NodeJS.Architecture, string>> = { x64: 'amd64', arm64: 'arm64' };
const PATH = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
/** The same content gives the same image, whenever it was made. */
const MADE_AT = '2026-01-01T00:00:00Z';

/** Whole or not at all. `layer`: a tar, which is moved into the archive. */
export async function writeImageArchive(
	archive: string,
	name: string,
	layer: string,
	settings: ImageSettings,
): Promise<void> {
	mkdirSync(dirname(archive), { recursive: true });
	const work = mkdtempSync(`${archive}.draft-`);
	try {
		const digest = await sha256(layer);
		const layerName = `${digest}.tar`;
		linkSync(layer, join(work, layerName));
		rmSync(layer);
		const config = JSON.stringify(imageConfig(digest, settings));
		const configName = `${createHash('sha256').update(config).digest('hex')}.json`;
		writeFileSync(join(work, configName), config);
		const manifest = [{ Config: configName, RepoTags: [name], Layers: [layerName] }];
		writeFileSync(join(work, 'manifest.json'), JSON.stringify(manifest));
		const draft = `${work}.tar`;
		await runProgram(['tar', '-C', work, '-cf', draft, 'manifest.json', configName, layerName]);
		renameSync(draft, archive);
	} finally {
		rmSync(work, { recursive: true, force: true });
		rmSync(`${work}.tar`, { force: true });
	}
}

/** All files belong to root; times are dropped, so that the same files make the same layer. */
export async function layerOf(directory: string, layer: string): Promise<void> {
	const same = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner'];
	await runProgram(['tar', '-C', directory, ...same, '-cf', layer, '.']);
}

function imageConfig(digest: string, { entrypoint, env = [], user, stopSignal, labels }: ImageSettings) {
	return {
		architecture: ARCHITECTURES[process.arch] ?? process.arch,
		os: 'linux',
		created: MADE_AT,
		config: {
			Env: [PATH, ...env],
			...(entrypoint && { Entrypoint: entrypoint }),
			...(user && { User: user }),
			...(stopSignal && { StopSignal: stopSignal }),
			...(labels && { Labels: labels }),
		},
		rootfs: { type: 'layers', diff_ids: [`sha256:${digest}`] },
		history: [{ created: MADE_AT, created_by: 'kubernaut' }],
	};
}

async function sha256(file: string): Promise<string> {
	const hash = createHash('sha256');
	await pipeline(createReadStream(file), hash);
	return hash.digest('hex');
}
