// Every app has the same modules under the same names, and no name says nothing about its content.
import { exists, filesUnder, namesIn } from '../tree.ts';
import type { Violation } from '../violation.ts';

const MODULES = ['main.ts', 'app.ts', 'config.ts', 'metrics.ts', 'errors.ts', 'process', 'kube'];
const EMPTY_WORDS = new Set(['util', 'utils', 'helper', 'helpers', 'common']);

export function sameModules(root: string): Violation[] {
	const missing = namesIn(root, 'apps').flatMap((app) =>
		MODULES.filter((module) => !exists(root, `apps/${app}/src/${module}`)).map((module) => ({
			where: `apps/${app}/src/${module}`,
			what: `is missing: every app has ${module}, under that name`,
		})),
	);
	return [...missing, ...filesUnder(root, 'apps').flatMap(badNames)];
}

function badNames(path: string): Violation[] {
	if (/\/index\.[a-z]+$/.test(path))
		return [{ where: path, what: 'rename it after its main export: there is no index inside an app' }];
	const empty = path.split('/').find((segment) => words(segment).some((word) => EMPTY_WORDS.has(word)));
	return empty === undefined
		? []
		: [{ where: path, what: `"${empty}" says nothing about its content: name it after what it does` }];
}

function words(segment: string): string[] {
	return segment.toLowerCase().split(/[-_.]/);
}
