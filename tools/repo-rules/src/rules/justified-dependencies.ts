// Every dependency has one line in docs/dependencies.md that says why it is there and who uses it, and no line is
// left of one that went.
import { posix } from 'node:path';
import { exists, namesIn, readText } from '../tree.ts';
import type { Violation } from '../violation.ts';
import { allDependencies, workspacePackages } from '../workspace-packages.ts';
import { readWorkspace } from './pinned-versions.ts';

const PAGE = 'docs/dependencies.md';
const GO_MODULES = 'tools/control-plane/go';

type Row = { name: string; why: string; usedBy: string };

export function justifiedDependencies(root: string): Violation[] {
	if (!exists(root, PAGE)) return [{ where: PAGE, what: 'is missing: one line for each dependency' }];
	const page = readText(root, PAGE);
	const packages = packageUsers(root);
	const packageRows = rowsOf(page, 'Packages');
	const programs = new Map(namesIn(root, GO_MODULES).map((name) => [name, undefined]));
	return [
		...compare(packageRows, packages, 'Packages'),
		...compare(rowsOf(page, 'Programs'), programs, 'Programs'),
		...packageRows.flatMap(({ name, usedBy }) => {
			const want = packages.get(name);
			return want === undefined || want === usedBy
				? []
				: [{ where: PAGE, what: `${name} is used by "${want}", the page says "${usedBy}": write the former` }];
		}),
	];
}

function compare(rows: readonly Row[], wanted: ReadonlyMap<string, unknown>, section: string): Violation[] {
	const what = (name: string): string | undefined => {
		const mine = rows.filter((row) => row.name === name);
		if (!wanted.has(name)) return `${name} is not used any more: remove its line`;
		if (mine.length === 0) return `${name} has no line under "${section}": say in one why it is there`;
		if (mine.length > 1) return `${name} has ${mine.length} lines under "${section}": keep one`;
		return mine[0]?.why === '' ? `${name} is not justified: say why it is there` : undefined;
	};
	const names = new Set([...wanted.keys(), ...rows.map((row) => row.name)]);
	return [...names].flatMap((name) => {
		const problem = what(name);
		return problem === undefined ? [] : [{ where: PAGE, what: problem }];
	});
}

/** External packages, and in the page's words who uses them. */
function packageUsers(root: string): Map<string, string> {
	const packages = workspacePackages(root);
	const ours = new Set(packages.map(({ name }) => name));
	const directories = new Map<string, string[]>();
	for (const workspacePackage of packages)
		for (const [name] of allDependencies(workspacePackage))
			if (!ours.has(name)) directories.set(name, [...(directories.get(name) ?? []), workspacePackage.directory]);
	// Chosen for all of us at the root, without a package.json that lists them.
	const { packageManager } = JSON.parse(readText(root, 'package.json')) as { packageManager?: string };
	const rootOnly = [...Object.keys(readWorkspace(root).overrides ?? {}), packageManager?.split('@')[0] ?? ''];
	for (const name of rootOnly) if (name !== '') directories.set(name, directories.get(name) ?? ['']);

	const all = packages.map(({ directory }) => directory).filter((directory) => directory !== '');
	return new Map([...directories].map(([name, users]) => [name, usersInWords(users, all)]));
}

function usersInWords(users: readonly string[], all: readonly string[]): string {
	let rest = users.filter((directory) => directory !== '');
	const words = users.includes('') ? ['the workspace'] : [];
	const groups: [string, readonly string[]][] = [
		['every package', all],
		['every app', all.filter((directory) => directory.startsWith('apps/'))],
	];
	for (const [word, group] of groups) {
		if (group.length < 2 || !group.every((directory) => rest.includes(directory))) continue;
		words.push(word);
		rest = rest.filter((directory) => !group.includes(directory));
	}
	return [...words, ...rest.map((directory) => posix.basename(directory)).toSorted()].join(', ');
}

function rowsOf(page: string, section: string): Row[] {
	const text = page.split(/^## /m).find((part) => part.startsWith(`${section}\n`)) ?? '';
	return text.split('\n').flatMap((line) => {
		const [name, why = '', usedBy = ''] = line
			.split('|')
			.slice(1)
			.map((cell) => cell.trim());
		const bare = /^`([^`]+)`$/.exec(name ?? '')?.[1];
		return bare === undefined ? [] : [{ name: bare, why, usedBy }];
	});
}
