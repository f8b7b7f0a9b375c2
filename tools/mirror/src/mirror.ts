// Mirrored folders: byte for byte the same in every app that has them (docs/adr/0002).
// Guarantee: a byte, a file too few, a file too many and an exception that is not needed are found.
// Not compared: tests and examples, which exist in the reference only.
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isCommitted } from './committed.ts';
import type { MirroredFolder } from './table.ts';

export type Drift = {
	readonly path: string;
	readonly what: string;
	/** What `generate` does about it; absent when the table must change. */
	readonly mend?: { readonly copyOf: string } | 'remove';
};
export type Written = { readonly done: readonly string[]; readonly left: readonly Drift[] };

export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
const HOW_TO_MEND =
	'Change the reference, not the copy; then `npm run generate` writes the copies. See tools/mirror/README.md.';
const TABLE_FILE = 'tools/mirror/src/table.ts';

export function findDrift(root: string, table: readonly MirroredFolder[]): Drift[] {
	return table.flatMap((mirrored) => [
		...mirrored.copies.flatMap((app) => driftOf(root, mirrored, app)),
		...missingReference(root, mirrored),
		...exceptionsOfOtherApps(mirrored),
		...unlistedApps(root, mirrored),
	]);
}

/** Writes and removes what differs. A file that git could not bring back stays. */
export function writeCopies(root: string, table: readonly MirroredFolder[]): Written {
	const done: string[] = [];
	const left: Drift[] = [];
	for (const drift of findDrift(root, table)) {
		const { path, mend } = drift;
		if (mend === undefined) left.push(drift);
		else if (mend !== 'remove') {
			mkdirSync(dirname(join(root, path)), { recursive: true });
			copyFileSync(join(root, mend.copyOf), join(root, path));
			done.push(`${path} written`);
		} else if (isCommitted(root, path)) {
			rmSync(join(root, path));
			done.push(`${path} removed`);
		} else left.push({ path, what: `${drift.what}. It stays, because git does not hold it as it is` });
	}
	return { done, left };
}

export function describeDrift(drifts: readonly Drift[]): string {
	return drifts.length === 0 ? '' : [...drifts.map(({ path, what }) => `${path} ${what}`), '', HOW_TO_MEND].join('\n');
}

function driftOf(root: string, mirrored: MirroredFolder, app: string): Drift[] {
	const exceptions = mirrored.exceptions[app] ?? {};
	const files = new Set([
		...filesIn(root, folderOf(mirrored.reference, mirrored)),
		...filesIn(root, folderOf(app, mirrored)),
		...Object.keys(exceptions),
	]);
	return [...files].toSorted().flatMap((file) => {
		const path = `${folderOf(app, mirrored)}/${file}`;
		const referencePath = `${folderOf(mirrored.reference, mirrored)}/${file}`;
		const drift = compare(path, referencePath, read(root, path), read(root, referencePath));
		const reason = exceptions[file];
		if (reason === undefined) return drift;
		if (drift.length === 0)
			return [{ path, what: `is the same as ${referencePath}: take its exception out of ${TABLE_FILE}` }];
		return reason.trim() === ''
			? [{ path, what: `leaves the mirror without a reason: give one in ${TABLE_FILE}` }]
			: [];
	});
}

function compare(
	path: string,
	referencePath: string,
	copy: Buffer | undefined,
	reference: Buffer | undefined,
): Drift[] {
	if (reference === undefined && copy === undefined) return [];
	if (reference === undefined)
		return [{ path, what: `has no reference ${referencePath}: move it there, or out of the folder`, mend: 'remove' }];
	if (copy === undefined)
		return [{ path, what: `is missing: ${referencePath} has no copy`, mend: { copyOf: referencePath } }];
	return reference.equals(copy)
		? []
		: [
				{
					path,
					what: `differs from ${referencePath} in ${firstDifference(reference, copy)}`,
					mend: { copyOf: referencePath },
				},
			];
}

function firstDifference(reference: Buffer, copy: Buffer): string {
	const [want, is] = [reference, copy].map((bytes) => bytes.toString('utf8').split('\n')) as [string[], string[]];
	const index = want.findIndex((line, at) => line !== is[at]);
	const line = index === -1 ? want.length : index;
	const shown = (text: string | undefined) => (text === undefined ? '(no such line)' : JSON.stringify(text));
	return `line ${line + 1}:\n    reference ${shown(want[line])}\n    copy      ${shown(is[line])}`;
}

function missingReference(root: string, mirrored: MirroredFolder): Drift[] {
	const path = folderOf(mirrored.reference, mirrored);
	return existsSync(join(root, path)) ? [] : [{ path, what: `is missing: it is a reference in ${TABLE_FILE}` }];
}

function exceptionsOfOtherApps(mirrored: MirroredFolder): Drift[] {
	return Object.keys(mirrored.exceptions)
		.filter((app) => !mirrored.copies.includes(app))
		.map((app) => ({
			path: folderOf(app, mirrored),
			what: `is no copy, but has exceptions in ${TABLE_FILE}: take them out`,
		}));
}

/** A folder of that name elsewhere would be a copy that is never compared. */
function unlistedApps(root: string, mirrored: MirroredFolder): Drift[] {
	return readdirSync(join(root, 'apps'))
		.filter((app) => app !== mirrored.reference && !mirrored.copies.includes(app))
		.map((app) => folderOf(app, mirrored))
		.filter((path) => existsSync(join(root, path)))
		.map((path) => ({ path, what: `is not in ${TABLE_FILE}: add its app to the copies of "${mirrored.folder}"` }));
}

function folderOf(app: string, { folder }: MirroredFolder): string {
	return `apps/${app}/src/${folder}`;
}

function filesIn(root: string, folder: string): string[] {
	if (!existsSync(join(root, folder))) return [];
	return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile() && !/\.(?:test|example)\.ts$/.test(entry.name))
		.map((entry) =>
			join(entry.parentPath, entry.name)
				.slice(join(root, folder).length + 1)
				.replaceAll('\\', '/'),
		);
}

function read(root: string, path: string): Buffer | undefined {
	return existsSync(join(root, path)) ? readFileSync(join(root, path)) : undefined;
}
