// Which packages are in a bundle, from the files that left bytes in it. Not from lockfiles: they also name what was left out.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { BundledFile } from '@kubernaut/bundle';

export type BundledPackage = {
	readonly name: string;
	readonly version: string;
	/** An SPDX identifier or expression, as its package.json has it. */
	readonly license: string;
	readonly directory: string;
	/** Of ours: no third party's. */
	readonly own: boolean;
	/** `name@version` of the packages that its files import. */
	readonly dependsOn: readonly string[];
};

type Manifest = { name?: string; version?: string; license?: string | { type?: string } };
type Found = { directory: string; manifest: Manifest & { name: string; version: string } };

export function packageKey({ name, version }: { name: string; version: string }): string {
	return `${name}@${version}`;
}

/** Sorted by name; the app itself is the one with `own` whose directory was asked for. */
export function bundledPackages(files: readonly BundledFile[]): BundledPackage[] {
	const found = new Map<string, Found>();
	const dependsOn = new Map<string, Set<string>>();
	const packageOf = packageFinder();
	for (const { path, imports } of files) {
		const from = packageOf(path);
		const key = packageKey(from.manifest);
		found.set(key, from);
		const edges = dependsOn.get(key) ?? new Set<string>();
		dependsOn.set(key, edges);
		for (const to of imports) edges.add(packageKey(packageOf(to).manifest));
	}
	return [...found]
		.map(([key, { directory, manifest }]) => ({
			name: manifest.name,
			version: manifest.version,
			license: licenseOf(manifest),
			directory,
			own: !directory.includes('/node_modules/'),
			// What no file of the bundle belongs to was left out.
			dependsOn: [...(dependsOn.get(key) ?? [])].filter((to) => to !== key && found.has(to)).toSorted(),
		}))
		.toSorted((a, b) => (packageKey(a) < packageKey(b) ? -1 : 1));
}

/** The licence texts and notices that a package brings along, by file name. */
export function legalTexts(directory: string): { file: string; text: string }[] {
	return readdirSync(directory, { withFileTypes: true })
		.filter((entry) => entry.isFile() && /^(?:licen[cs]e|copying|notice)/i.test(entry.name))
		.map(({ name }) => ({ file: name, text: readFileSync(join(directory, name), 'utf8').trim() }))
		.toSorted((a, b) => (a.file < b.file ? -1 : 1));
}

/** The nearest package.json with a name and a version: some packages have others further down, which only set the type. */
function packageFinder(): (path: string) => Found {
	const known = new Map<string, Found>();
	const find = (directory: string, path: string): Found => {
		const before = known.get(directory);
		if (before !== undefined) return before;
		const file = join(directory, 'package.json');
		const manifest = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Manifest) : {};
		const { name, version } = manifest;
		if (directory === dirname(directory)) throw new Error(`${path} belongs to no package with a name and a version`);
		const here =
			name !== undefined && version !== undefined
				? { directory, manifest: { ...manifest, name, version } }
				: find(dirname(directory), path);
		known.set(directory, here);
		return here;
	};
	return (path) => find(dirname(path), path);
}

function licenseOf({ license }: Manifest): string {
	return (typeof license === 'string' ? license : license?.type) ?? 'NOASSERTION';
}
