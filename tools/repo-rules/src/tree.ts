// The repository as the rules see it: the files that people wrote, without what tools leave beside them.
// A walk and not git, so that it works in a checkout without .git and sees files that are not committed yet.
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');

const LEFT_BY_TOOLS = new Set(['.git', '.turbo', 'dist', 'node_modules', 'test-results']);

/** Sorted paths from the root, with slashes. */
export function filesUnder(root: string, directory = ''): string[] {
	const absolute = join(root, directory);
	if (!existsSync(absolute)) return [];
	return readdirSync(absolute, { withFileTypes: true })
		.filter((entry) => !LEFT_BY_TOOLS.has(entry.name))
		.flatMap((entry) => {
			const path = directory === '' ? entry.name : `${directory}/${entry.name}`;
			if (entry.isDirectory()) return filesUnder(root, path);
			return entry.isFile() ? [path] : [];
		})
		.toSorted();
}

/** What stands directly in a directory. A folder that holds no file of ours (a leftover node_modules) does not. */
export function namesIn(root: string, directory: string): string[] {
	const names = filesUnder(root, directory).map((path) => path.slice(directory.length + 1).split('/')[0] ?? '');
	return [...new Set(names)];
}

export function sourcesUnder(root: string, directory: string): string[] {
	return filesUnder(root, directory).filter((path) => /\.(?:ts|mts|mjs|js)$/.test(path));
}

export function isTest(path: string): boolean {
	return /\.test\.[a-z]+$/.test(path);
}

export function exists(root: string, path: string): boolean {
	return existsSync(join(root, path));
}

export function readText(root: string, path: string): string {
	return readFileSync(join(root, path), 'utf8');
}

export function copyTree(root: string, target: string): void {
	for (const path of filesUnder(root)) {
		mkdirSync(dirname(join(target, path)), { recursive: true });
		try {
			copyFileSync(join(root, path), join(target, path));
		} catch (error) {
			// An editor's or a tool's file that is gone already was never part of the tree.
			if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
		}
	}
}
