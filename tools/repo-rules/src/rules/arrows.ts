// Logic does not know the libraries that metrics and logs are made with: one module imports each.
import { posix } from 'node:path';
import { importedModules, packageOf } from '../imports.ts';
import { isTest, namesIn, readText, sourcesUnder } from '../tree.ts';
import type { Violation } from '../violation.ts';

const ONLY_IN: Readonly<Record<string, string>> = {
	'prom-client': 'metrics.ts',
	pino: 'logger.ts',
};

export function arrows(root: string): Violation[] {
	const sources = namesIn(root, 'apps')
		.flatMap((app) => sourcesUnder(root, `apps/${app}/src`))
		.filter((path) => !isTest(path));
	return sources.flatMap((path) =>
		importedModules(readText(root, path)).flatMap((specifier) => {
			const module = ONLY_IN[packageOf(specifier)];
			return module === undefined || isModule(posix.basename(path), module)
				? []
				: [
						{
							where: path,
							what: `imports ${specifier}: only ${module} and its parts (*-${module}) do; declare an observer here and implement it there`,
						},
					];
		}),
	);
}

/** A module that grew has parts: lock-metrics.ts belongs to metrics.ts. */
function isModule(file: string, module: string): boolean {
	return file === module || file.endsWith(`-${module}`);
}
