// A green run means that every test ran, against our own code and not a stand-in for it.
import { readText, sourcesUnder } from '../tree.ts';
import type { Violation } from '../violation.ts';

const PLACES = ['apps', 'packages', 'tools', 'e2e'];
const PATTERNS: readonly { pattern: RegExp; what: string }[] = [
	{
		pattern: /\b(?:describe|it|test|suite)\b[\w.[\]'"`]*(?:\.|\[['"`])(?:only|skip|todo|skipIf|runIf|fails)\b/g,
		what: 'run every test, everywhere: finish it, or remove it',
	},
	{
		// An object behind a name, as the options of a test are.
		pattern:
			/\(\s*(?:(['"`])(?:\\.|(?!\1).)*\1|[\w.]+)\s*,\s*\{(?:[^{}]|\{[^{}]*\})*?(?<![\w$.])['"]?(?:only|skip|todo|fails)['"]?\s*:\s*(?!false\b)/g,
		what: 'run every test, everywhere: take the option away',
	},
	{
		// The context of a test, by its usual names or taken apart.
		pattern: /(?:\b(?:context|ctx|task|t)\.|(?<![\w$.]))skip\s*\(/g,
		what: 'run every test, everywhere: a test does not decide whether it is one',
	},
	{
		pattern: /\b(?:xit|xtest|xdescribe|fit|fdescribe)\s*\(/g,
		what: 'run every test, everywhere: take the letter away',
	},
	{
		pattern: /\bvi\.(?:mock|doMock)\(\s*(?:import\(\s*)?['"](?:\.|@kubernaut\/)[^'"]*['"]/g,
		what: 'do not replace our own modules: pass a port in, or test against the real API server',
	},
];

export function testsNotNarrowed(root: string): Violation[] {
	return PLACES.flatMap((place) => sourcesUnder(root, place)).flatMap((path) => {
		const source = readText(root, path);
		return PATTERNS.flatMap(({ pattern, what }) =>
			[...source.matchAll(pattern)].map((match) => ({
				where: `${path}:${source.slice(0, match.index).split('\n').length}`,
				what: `${match[0]}: ${what}`,
			})),
		);
	});
}
