// A folder shows one idea: past a number of files a reader no longer sees which. Tests are not counted, they stand
// beside what they test.
import { posix } from 'node:path';
import { isTest, sourcesUnder } from '../tree.ts';
import type { Violation } from '../violation.ts';

const PLACES = ['apps', 'packages', 'tools', 'e2e'];
const MAX_FILES = 16;

/** Flat lists: each file is an entry of its own, found by its name, and none depends on another. */
const FLAT_LISTS: Readonly<Record<string, string>> = {
	cases: 'one file for each thing that is tried',
	generated: 'one file for each custom resource, written by a program',
	mutants: 'one file for each kind of mistake',
	rules: 'one file for each rule',
	scenarios: 'one file for each scenario',
};

export function smallFolders(root: string): Violation[] {
	const sources = PLACES.flatMap((place) => sourcesUnder(root, place)).filter((path) => !isTest(path));
	return [...Map.groupBy(sources, (path) => posix.dirname(path))]
		.filter(([folder, files]) => files.length > MAX_FILES && FLAT_LISTS[posix.basename(folder)] === undefined)
		.map(([folder, files]) => ({
			where: folder,
			what: `holds ${files.length} source files, and ${MAX_FILES} is the limit: split it by idea`,
		}));
}
