// Every version is exact and stands once, in the catalog of pnpm-workspace.yaml.
import { parse } from 'yaml';
import { readText } from '../tree.ts';
import type { Violation } from '../violation.ts';
import { allDependencies, workspacePackages } from '../workspace-packages.ts';

type Workspace = {
	catalog?: Record<string, string>;
	catalogs?: Record<string, Record<string, string>>;
	overrides?: Record<string, string>;
};

const WORKSPACE = 'pnpm-workspace.yaml';
const EXACT = /^\d+\.\d+\.\d+(?:-[\w.]+)?$/;

export function readWorkspace(root: string): Workspace {
	return (parse(readText(root, WORKSPACE)) ?? {}) as Workspace;
}

export function pinnedVersions(root: string): Violation[] {
	const workspace = readWorkspace(root);
	const catalogs = { default: workspace.catalog ?? {}, ...workspace.catalogs };
	const used = new Set<string>();
	const loose = workspacePackages(root).flatMap((workspacePackage) =>
		allDependencies(workspacePackage).flatMap(([name, range, field]) => {
			if (range === 'workspace:*') return [];
			const catalog = /^catalog:(.*)$/.exec(range)?.[1];
			if (catalog !== undefined) used.add(`${catalog || 'default'} ${name}`);
			return catalog !== undefined
				? []
				: [
						{
							where: workspacePackage.manifest,
							what: `${field}.${name} is "${range}": write "catalog:" and put the exact version into the catalog of ${WORKSPACE}, or "workspace:*" for a package of ours`,
						},
					];
		}),
	);
	const entries = Object.entries(catalogs).flatMap(([catalog, versions]) =>
		Object.entries(versions).map(([name, version]) => ({ catalog, name, version })),
	);
	const unused = entries
		.filter(({ catalog, name }) => !used.has(`${catalog} ${name}`))
		.map(({ name }) => ({ where: WORKSPACE, what: `nothing uses ${name}: take it out of the catalog` }));
	const pins = [...entries, ...Object.entries(workspace.overrides ?? {}).map(([name, version]) => ({ name, version }))];
	const inexact = pins
		.filter(({ version }) => !EXACT.test(version))
		.map(({ name, version }) => ({ where: WORKSPACE, what: `${name} is "${version}": pin one exact version` }));
	return [...loose, ...unused, ...inexact];
}
