// An app runs without any other app and without tools/: neither its package.json nor its sources reach for them.
import { posix } from 'node:path';
import { importedModules, isRelative, packageOf } from '../imports.ts';
import { isTest, readText, sourcesUnder } from '../tree.ts';
import type { Violation } from '../violation.ts';
import { packagesIn, workspacePackages } from '../workspace-packages.ts';

const SHARED = '@kubernaut/backoff';
const RUN_TIME_FIELDS = ['dependencies', 'optionalDependencies', 'peerDependencies'] as const;

export function appsStandAlone(root: string): Violation[] {
	const ours = new Set(workspacePackages(root).map(({ name }) => name));
	const isOurs = (name: string) => ours.has(name) || name.startsWith('@kubernaut/');
	return packagesIn(root, 'apps').flatMap((app) => {
		const declared = RUN_TIME_FIELDS.flatMap((field) =>
			Object.keys(app.dependencies[field])
				.filter((name) => isOurs(name) && name !== SHARED)
				.map((name) => ({
					where: app.manifest,
					what: `${field} has ${name}: at run time an app depends on ${SHARED} only, of ours; what tests need goes to devDependencies`,
				})),
		);
		const sources = sourcesUnder(root, `${app.directory}/src`).filter((path) => !isTest(path));
		return [...declared, ...sources.flatMap((path) => forbiddenImports(root, `${app.directory}/src`, path, isOurs))];
	});
}

type IsOurs = (packageName: string) => boolean;

function forbiddenImports(root: string, sources: string, path: string, isOurs: IsOurs): Violation[] {
	return importedModules(readText(root, path)).flatMap((specifier) => {
		const what = whyForbidden(specifier, sources, path, isOurs);
		return what === undefined ? [] : [{ where: path, what: `imports ${specifier}: ${what}` }];
	});
}

function whyForbidden(specifier: string, sources: string, path: string, isOurs: IsOurs): string | undefined {
	if (isRelative(specifier)) {
		const target = posix.join(posix.dirname(path), specifier);
		return specifier.startsWith('.') && target.startsWith(`${sources}/`)
			? undefined
			: `that is outside ${sources}; copy what is needed (docs/adr/0002), or move it to a test`;
	}
	const name = packageOf(specifier);
	if (name === 'vitest') return 'only test files (*.test.ts, or files in test/) may';
	if (isOurs(name) && name !== SHARED)
		return `an app runs without tools and other apps; of ours only ${SHARED} is shared`;
	return undefined;
}
