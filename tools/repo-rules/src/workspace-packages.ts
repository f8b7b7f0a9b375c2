// The packages of the workspace, as their package.json files describe them.
import { filesUnder, readText } from './tree.ts';

const DEPENDENCY_FIELDS = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'] as const;
export type DependencyField = (typeof DEPENDENCY_FIELDS)[number];

export type WorkspacePackage = {
	/** "" is the root. */
	readonly directory: string;
	readonly manifest: string;
	readonly name: string;
	readonly scripts: readonly string[];
	readonly dependencies: Readonly<Record<DependencyField, Readonly<Record<string, string>>>>;
};

type Manifest = { name?: string; scripts?: Record<string, string> } & Partial<
	Record<DependencyField, Record<string, string>>
>;

export function workspacePackages(root: string): WorkspacePackage[] {
	return filesUnder(root)
		.filter((path) => /^(?:(?:apps|packages|tools)\/[^/]+\/|e2e\/)?package\.json$/.test(path))
		.map((manifest) => {
			const content = JSON.parse(readText(root, manifest)) as Manifest;
			const fields = DEPENDENCY_FIELDS.map((field) => [field, content[field] ?? {}] as const);
			return {
				directory: manifest.replace(/\/?package\.json$/, ''),
				manifest,
				name: content.name ?? '',
				scripts: Object.keys(content.scripts ?? {}),
				dependencies: Object.fromEntries(fields) as WorkspacePackage['dependencies'],
			};
		});
}

export function packagesIn(root: string, folder: 'apps' | 'packages' | 'tools'): WorkspacePackage[] {
	return workspacePackages(root).filter(({ directory }) => directory.startsWith(`${folder}/`));
}

export function allDependencies({ dependencies }: WorkspacePackage): [name: string, range: string, field: string][] {
	return DEPENDENCY_FIELDS.flatMap((field) =>
		Object.entries(dependencies[field]).map(([name, range]): [string, string, string] => [name, range, field]),
	);
}
