// A test file that no task picks up passes for ever. Each must lie where vitest.base.ts (or e2e) looks for its kind,
// in a package that has the task. And a task that finds no test file fails.
import { filesUnder, isTest } from '../tree.ts';
import type { Violation } from '../violation.ts';
import { type WorkspacePackage, workspacePackages } from '../workspace-packages.ts';

type Kind = { readonly task: string; readonly place: RegExp; readonly placeDescription: string };

const UNIT: Kind = {
	task: 'test',
	place: /^(?:src\/.+\.test\.(?:ts|mjs)|test\/.+\.test\.ts)$/,
	placeDescription: 'src/ beside its source, or test/ as a .ts file',
};
const INTEGRATION: Kind = { task: 'test:int', place: /^test\/.+\.ts$/, placeDescription: 'test/' };
const E2E: Kind = {
	task: 'e2e',
	place: /^scenarios\/.+\.e2e\.test\.ts$/,
	placeDescription: 'scenarios/, as x.e2e.test.ts',
};

export function testsAreRun(root: string): Violation[] {
	return workspacePackages(root)
		.filter(({ directory }) => directory !== '')
		.flatMap((member) => {
			const { directory } = member;
			const tests = filesUnder(root, directory).filter(isTest);
			const paths = tests.map((where) => where.slice(directory.length + 1));
			return [...paths.flatMap((path) => notRun(member, path)), ...tasksWithoutTests(member, paths)];
		});
}

function notRun({ directory, manifest, scripts }: WorkspacePackage, path: string): Violation[] {
	const where = `${directory}/${path}`;
	const { task, place, placeDescription } = kindOf(directory, path);
	if (!place.test(path)) return [{ where, what: `nothing runs it there: move it to ${placeDescription}` }];
	return scripts.includes(task) ? [] : [{ where, what: `nothing runs it: ${manifest} has no script "${task}"` }];
}

function tasksWithoutTests({ directory, manifest, scripts }: WorkspacePackage, paths: readonly string[]): Violation[] {
	const kinds = paths.map((path) => kindOf(directory, path));
	// The quick ones of the scenarios are run by test:int as well.
	const wanted = new Set(kinds.flatMap((kind) => (kind === E2E ? [kind.task, INTEGRATION.task] : [kind.task])));
	return [UNIT, INTEGRATION, E2E]
		.filter(({ task }) => scripts.includes(task) && !wanted.has(task))
		.map(({ task }) => ({ where: manifest, what: `has the script "${task}" and no test that it could run` }));
}

function kindOf(directory: string, path: string): Kind {
	if (directory === 'e2e' && !path.startsWith('src/')) return E2E;
	return /\.(?:int|contract)\.test\.[a-z]+$/.test(path) ? INTEGRATION : UNIT;
}
