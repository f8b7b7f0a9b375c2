// Compares all twins of a tree: the files that several apps have, each app its own copy (docs/adr/0002).
// Guarantee: a difference that is not named is found, and so is a name without a difference, a copy that nobody compares
// and a file that two apps have without anybody having said whether it is a copy.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compareCopy, type Finding, type Source } from './compare.ts';
import { headOf } from './head.ts';
import { parse, UnreadableSourceError } from './parse.ts';
import { TABLE, type TwinGroup, type TwinTable } from './table.ts';

export type TwinsReport = {
	/** How many copies were compared with how many references. */
	readonly copies: number;
	readonly references: number;
	readonly findings: readonly Finding[];
};

export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
const TABLE_FILE = 'tools/twins/src/table.ts';

export function compareTwins(root: string = ROOT, table: TwinTable = TABLE): TwinsReport {
	const tree = new AppTree(root);
	const twins = table.twins.flatMap((group) => group.files.map((file) => ({ group, file })));
	const compared = twins.map(({ group, file }) => compareFile(tree, group, file));
	const copies = compared.map((one) => one.copies);
	return {
		copies: copies.reduce((sum, count) => sum + count, 0),
		references: copies.filter((count) => count > 0).length,
		findings: [...compared.flatMap((one) => one.findings), ...withoutAPlace(tree, table)],
	};
}

function compareFile(tree: AppTree, group: TwinGroup, file: string): { copies: number; findings: Finding[] } {
	const having = tree.apps.filter((app) => tree.has(app, file));
	const missing = group.inEveryApp ? tree.apps.filter((app) => !having.includes(app)) : [];
	const reference = pathOf(group.reference, file);
	const copies = having.filter((app) => app !== group.reference);
	const findings = missing.map((app) =>
		plain(pathOf(app, file), reference, `is missing: every app has ${file}`, 'copy it from another app'),
	);
	if (having.includes(group.reference))
		for (const app of copies)
			findings.push(...readable(() => compareCopy(tree.source(group.reference, file), tree.source(app, file))));
	else if (copies.length > 0 && !group.inEveryApp)
		for (const app of copies)
			findings.push(
				plain(
					pathOf(app, file),
					reference,
					`is a copy of ${reference}, which is not there`,
					`make it there first, or name another reference in ${TABLE_FILE}`,
				),
			);
	return { copies: having.includes(group.reference) ? copies.length : 0, findings };
}

/** What the table does not know: a head that promises a comparison, and a name that two apps have. */
function withoutAPlace(tree: AppTree, table: TwinTable): Finding[] {
	const known = new Set(table.twins.flatMap(({ files }) => files));
	const own = new Set(table.ownRooms);
	const findings: Finding[] = [];
	for (const file of tree.files()) {
		const having = tree.apps.filter((app) => tree.has(app, file));
		if (having.length > 1 && !known.has(file) && !own.has(file))
			findings.push(
				plain(
					pathOf(having[1] ?? '', file),
					pathOf(having[0] ?? '', file),
					`has the name of ${pathOf(having[0] ?? '', file)}, and nothing says whether it is a copy of it`,
					`add ${file} to ${TABLE_FILE}: to the twins, or to the rooms that are each app's own`,
				),
			);
		for (const app of having) findings.push(...readable(() => promises(tree.source(app, file), table, app, file)));
	}
	return findings;
}

/** A head that names a source where no comparison takes place. */
function promises({ path, text }: Source, table: TwinTable, app: string, file: string): Finding[] {
	const group = table.twins.find(({ files }) => files.includes(file));
	if (group !== undefined && group.reference !== app) return [];
	const head = headOf(text, parse(path, text).comments);
	if (head.kind !== 'copy') return [];
	const why = group === undefined ? `${file} is not in ${TABLE_FILE}` : `it is the reference in ${TABLE_FILE}`;
	return [plain(path, head.of, `says that it is a copy of ${head.of}, but ${why}`, 'change one of the two')];
}

function readable(compare: () => Finding[]): Finding[] {
	try {
		return compare();
	} catch (error) {
		if (!(error instanceof UnreadableSourceError)) throw error;
		return [plain(error.path, error.path, `cannot be read as TypeScript: ${error.why}`, 'mend it')];
	}
}

function plain(where: string, reference: string, what: string, whatToDo: string): Finding {
	return { where, what, reference, whatToDo: [whatToDo], differences: [] };
}

function pathOf(app: string, file: string): string {
	return `apps/${app}/src/${file}`;
}

/** The sources of the apps: no tests, nothing generated. */
class AppTree {
	readonly apps: readonly string[];
	readonly #root: string;

	constructor(root: string) {
		this.#root = root;
		this.apps = namesIn(join(root, 'apps')).filter((app) => existsSync(join(root, 'apps', app, 'src')));
	}

	/** Every name that some app has below src/. */
	files(): string[] {
		const names = this.apps.flatMap((app) =>
			readdirSync(join(this.#root, 'apps', app, 'src'), { recursive: true, encoding: 'utf8' }),
		);
		const sources = names
			.map((name) => name.replaceAll('\\', '/'))
			.filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.startsWith('generated/'));
		return [...new Set(sources)].toSorted();
	}

	has(app: string, file: string): boolean {
		return existsSync(join(this.#root, pathOf(app, file)));
	}

	source(app: string, file: string): Source {
		const path = pathOf(app, file);
		return { path, text: readFileSync(join(this.#root, path), 'utf8') };
	}
}

function namesIn(directory: string): string[] {
	return existsSync(directory) ? readdirSync(directory).toSorted() : [];
}
