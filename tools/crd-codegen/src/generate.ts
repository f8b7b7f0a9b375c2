// Keeps the generated files of all apps as the YAML says. All paths are relative to the root of the repository.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { KINDS_BY_APP, type KindsByApp } from './apps.ts';
import { readCrds } from './crd.ts';
import { kebabCase } from './names.ts';
import { BANNER, renderKind, renderObjectMeta } from './render.ts';

export const CRD_DIRECTORY = 'deploy/crds';

interface Difference {
	path: string;
	/** `extra`: a file of ours that nothing generates any more. */
	state: 'missing' | 'stale' | 'extra';
}

interface Generated {
	/** Path to content. */
	files: ReadonlyMap<string, string>;
	differences: readonly Difference[];
}

/** What should be there, and where the tree at `root` differs from it. */
export async function compare(root: string, kindsByApp: KindsByApp = KINDS_BY_APP): Promise<Generated> {
	const files = await wantedFiles(root, kindsByApp);
	const differences: Difference[] = [];
	for (const [path, content] of files) {
		const present = await readIfPresent(join(root, path));
		if (present === undefined) differences.push({ path, state: 'missing' });
		else if (present !== content) differences.push({ path, state: 'stale' });
	}
	// Of every app that is there, not only of those in the table: one that left it may have left files behind.
	for (const app of (await namesIfPresent(join(root, 'apps'))).toSorted())
		for (const path of await ownFiles(root, generatedDirectory(app)))
			if (!files.has(path)) differences.push({ path, state: 'extra' });
	return { files, differences };
}

/** Makes the tree at `root` as it should be; returns what had to change. */
export async function generate(root: string, kindsByApp: KindsByApp = KINDS_BY_APP): Promise<readonly Difference[]> {
	const { files, differences } = await compare(root, kindsByApp);
	for (const { path, state } of differences) {
		const file = join(root, path);
		if (state === 'extra') {
			await rm(file);
			continue;
		}
		await mkdir(dirname(file), { recursive: true });
		await writeFile(file, files.get(path) ?? '');
	}
	return differences;
}

async function wantedFiles(root: string, kindsByApp: KindsByApp): Promise<Map<string, string>> {
	const crds = await readCrds(join(root, CRD_DIRECTORY));
	const texts = new Map<string, string>();
	for (const crd of crds) texts.set(crd.kind, await renderKind(crd, `${CRD_DIRECTORY}/${crd.file}`));

	const files = new Map<string, string>();
	for (const [app, kinds] of Object.entries(kindsByApp)) {
		files.set(`${generatedDirectory(app)}/object-meta.ts`, renderObjectMeta());
		for (const kind of kinds) {
			const text = texts.get(kind);
			if (text === undefined)
				throw new Error(`${app} uses ${kind}, but ${CRD_DIRECTORY} has only ${[...texts.keys()].join(', ')}`);
			files.set(`${generatedDirectory(app)}/${kebabCase(kind)}.ts`, text);
		}
	}
	return files;
}

function generatedDirectory(app: string): string {
	return `apps/${app}/src/generated`;
}

/** Files that this generator wrote, known by their first line: others may generate into the same directory. */
async function ownFiles(root: string, directory: string): Promise<string[]> {
	const own: string[] = [];
	for (const name of await namesIfPresent(join(root, directory))) {
		const path = `${directory}/${name}`;
		if ((await readIfPresent(join(root, path)))?.startsWith(BANNER)) own.push(path);
	}
	return own;
}

async function readIfPresent(file: string): Promise<string | undefined> {
	return readFile(file, 'utf8').catch(undefinedIfAbsent);
}

async function namesIfPresent(directory: string): Promise<string[]> {
	return (await readdir(directory).catch(undefinedIfAbsent)) ?? [];
}

function undefinedIfAbsent(error: NodeJS.ErrnoException): undefined {
	if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
	return undefined;
}
