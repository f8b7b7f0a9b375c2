// Which folder of an app may import which (ARCHITECTURE.md): the layers of the apps, as data. Tests and examples are
// free.
import { posix } from 'node:path';
import { importsOf } from '../imports.ts';
import { isTest, namesIn, readText, sourcesUnder } from '../tree.ts';
import type { Violation } from '../violation.ts';

/** A part of an app is a folder of src/, or a file that stands directly in src/. */
export type Permitted = {
	/** Parts from which anything may be imported. */
	readonly parts?: readonly string[];
	/** Parts of which only the types may be imported. `*` stands for every part. */
	readonly typesOf?: readonly string[];
	/** Files, of any folder, from which anything may be imported. */
	readonly files?: RegExp;
};
export type ImportTable = Readonly<Record<string, Permitted>>;

const FACE = 'distributed-lock.ts';
const ENGINE = 'lock';
/** What makes an app this app. Both import nothing but `*-errors.ts`. */
const IDENTITY = ['app.ts', 'errors.ts'];
const COMMON = [...IDENTITY, 'process', 'generated'];
const EVERYTHING = '*';

/** The file that wires the use cases, which like main.ts knows every part. */
const WIRING: Readonly<Record<string, string>> = {
	gateway: 'gateway.ts',
	notification: 'notification.ts',
	orchestrator: 'orchestrator.ts',
	'workflow-executor': 'executor.ts',
};

export const PERMITTED_IMPORTS: ImportTable = {
	'main.ts': { parts: [EVERYTHING] },
	wiring: { parts: [EVERYTHING] },
	'app.ts': {},
	'errors.ts': { parts: ['app.ts'], files: /-errors\.ts$/ },
	'config.ts': { parts: [...COMMON, FACE], files: /-(?:config|keys)\.ts$/ },
	'metrics.ts': { parts: [...COMMON, FACE], typesOf: [EVERYTHING], files: /-metrics\.ts$/ },
	// A lock that is not a Lease is the app's own object, and decides from it.
	[FACE]: { parts: [...COMMON, ENGINE, 'kube', 'decide', 'objects'] },

	// Mirrored: they know no type of the app.
	process: { parts: IDENTITY },
	kube: { parts: [...IDENTITY, 'process'] },
	[ENGINE]: { parts: [...IDENTITY, 'process', 'kube'] },
	controller: { parts: [...IDENTITY, 'process', 'kube'] },

	http: { parts: [...COMMON, 'guard', 'signal'], typesOf: ['kube'] },
	guard: { parts: [...COMMON, 'kube'], typesOf: ['signal'] },
	signal: { parts: COMMON },
	ingest: { parts: [...COMMON, FACE, 'objects', 'signal', 'kube'] },
	objects: { parts: [...COMMON, 'kube'], typesOf: ['signal'] },
	decide: { parts: [...COMMON, 'objects'], typesOf: ['channels'] },
	act: { parts: [...COMMON, FACE, 'decide', 'objects', 'kube'], typesOf: ['channels', 'message'] },
	channels: { parts: [...COMMON, 'message', 'mounted'] },
	message: { parts: COMMON },
	mounted: { parts: COMMON },
	routing: { parts: [...COMMON, 'mounted'] },
	generated: {},
};

type Edge = {
	readonly from: string;
	readonly to: string;
	readonly file: string;
	readonly target: string;
	readonly typesOnly: boolean;
};

export function permittedImports(root: string, table: ImportTable = PERMITTED_IMPORTS): Violation[] {
	return namesIn(root, 'apps').flatMap((app) => {
		const sources = `apps/${app}/src`;
		const files = sourcesUnder(root, sources)
			.filter((path) => !isTest(path) && !path.endsWith('.example.ts'))
			.map((path) => path.slice(sources.length + 1));
		const edges = files.flatMap((file) => edgesOf(file, readText(root, `${sources}/${file}`)));
		const row = (part: string) => table[part === WIRING[app] ? 'wiring' : part];
		return [
			...unknownParts(files, row).map((part) => ({
				where: `${sources}/${part}`,
				what: 'is not in the table of permitted imports: move it to a folder that is, or add a row to permitted-imports.ts',
			})),
			...edges.flatMap((edge) => {
				const what = whyForbidden(edge, row(edge.from));
				return what === undefined ? [] : [{ where: `${sources}/${edge.file}`, what }];
			}),
			...cycles(edges).map((cycle) => ({ where: sources, what: `imports go in a circle: ${cycle.join(' → ')}` })),
		];
	});
}

function partOf(file: string): string {
	return file.split('/')[0] ?? '';
}

function edgesOf(file: string, source: string): Edge[] {
	return importsOf(source)
		.filter(({ specifier }) => specifier.startsWith('.'))
		.map(({ specifier, typesOnly }) => {
			const target = posix.join(posix.dirname(file), specifier);
			return { from: partOf(file), to: partOf(target), file, target, typesOnly };
		})
		.filter(({ from, to }) => from !== to && to !== '..'); // a way out of src/ is a matter of apps-stand-alone
}

function unknownParts(files: readonly string[], row: (part: string) => Permitted | undefined): string[] {
	return [...new Set(files.map(partOf))].filter((part) => row(part) === undefined);
}

function whyForbidden({ from, to, target, typesOnly }: Edge, permitted: Permitted | undefined): string | undefined {
	if (permitted === undefined) return undefined; // reported as unknown
	const { parts = [], typesOf = [], files } = permitted;
	if (to === ENGINE && !parts.includes(ENGINE))
		return `imports ${target}: only ${FACE} imports from ${ENGINE}/; let it re-export what is needed`;
	const isNamed = (names: readonly string[]) => names.includes(to) || names.includes(EVERYTHING);
	if (isNamed(parts) || files?.test(target)) return undefined;
	if (isNamed(typesOf))
		return typesOnly ? undefined : `imports values of ${target}: ${from} may import only the types of ${to}`;
	return `imports ${target}: ${from} may not import ${to} (the table is in permitted-imports.ts)`;
}

/** Between folders, and through the lock. Types count: a reader follows them as well. */
function cycles(edges: readonly Edge[]): string[][] {
	const nodes = edges.filter(({ from, to }) => [from, to].every((part) => part === FACE || !part.endsWith('.ts')));
	const next = new Map<string, Set<string>>();
	for (const { from, to } of nodes) next.set(from, (next.get(from) ?? new Set()).add(to));
	const done = new Set<string>();
	const found: string[][] = [];
	const visit = (part: string, path: readonly string[]): void => {
		if (path.includes(part)) found.push([...path.slice(path.indexOf(part)), part]);
		if (path.includes(part) || done.has(part)) return;
		for (const following of next.get(part) ?? []) visit(following, [...path, part]);
		done.add(part);
	};
	for (const part of [...next.keys()].toSorted()) visit(part, []);
	return found;
}
