import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { layerOf, writeImageArchive } from './image-archive.ts';

let directory: string;
beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'image-archive-'))));
afterEach(() => rmSync(directory, { recursive: true }));

async function makeArchive(name: string): Promise<string> {
	const root = join(directory, name);
	mkdirSync(root);
	writeFileSync(join(root, 'program'), 'bytes');
	const layer = join(directory, `${name}.layer`);
	await layerOf(root, layer);
	const archive = join(directory, `${name}.tar`);
	await writeImageArchive(archive, 'example/program:1', layer, { entrypoint: ['/program'], user: '65532:65532' });
	return archive;
}

it('an archive names its image, its start and its one layer by the digests of their bytes', async () => {
	const archive = await makeArchive('one');
	const read = (file: string) => execFileSync('tar', ['-xOf', archive, file]);
	const [manifest] = JSON.parse(read('manifest.json').toString());
	expect(manifest.RepoTags).toEqual(['example/program:1']);
	const config = read(manifest.Config);
	expect(manifest.Config).toBe(`${createHash('sha256').update(config).digest('hex')}.json`);
	const layer = createHash('sha256').update(read(manifest.Layers[0])).digest('hex');
	expect(JSON.parse(config.toString())).toMatchObject({
		os: 'linux',
		config: { Entrypoint: ['/program'], User: '65532:65532' },
		rootfs: { diff_ids: [`sha256:${layer}`] },
	});
});

it('the same files make the same image, and no draft is left', async () => {
	const [one, two] = [await makeArchive('one'), await makeArchive('two')].map((archive) =>
		execFileSync('tar', ['-xOf', archive, 'manifest.json']).toString(),
	);
	expect(one).toBe(two);
	expect(readdirSync(directory).toSorted()).toEqual(['one', 'one.tar', 'two', 'two.tar']);
	expect(readFileSync(join(directory, 'one', 'program'), 'utf8')).toBe('bytes');
});
