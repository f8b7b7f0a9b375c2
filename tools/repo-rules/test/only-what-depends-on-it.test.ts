// A change in one place rebuilds and tests what depends on it, and nothing else: asked of turbo itself. Which
// package depends on which is read from the package.json files.
import { posix } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { importsOf, isRelative } from '../src/imports.ts';
import { filesUnder, isTest, ROOT, readText, sourcesUnder } from '../src/tree.ts';
import { allDependencies, packagesIn, workspacePackages } from '../src/workspace-packages.ts';
import { copyThisRepository, TASKS } from './turbo-tasks.ts';

const PACKAGES = workspacePackages(ROOT);
const APPS = packagesIn(ROOT, 'apps').map(({ name }) => name);
/** It looks at the whole repository, so it runs after every change. */
const RULES = '@kubernaut/repo-rules#test';
/** It compares the mirrored folders of all apps. */
const MIRROR = '@kubernaut/mirror#test';

/** Files that tools/lock-contract loads of the app that has the reference lock, and those that its unit tests read. */
const LOADED_FOR_LOCKS = [
	'distributed-lock.ts',
	'process/identity.ts',
	'lock/lease-client.ts',
	'kube/kube.ts',
	'metrics.ts',
];
const READ_FOR_MUTANTS = ['distributed-lock.ts', 'process/abort.ts', 'process/identity.ts', 'metrics.ts'];

/** Tests of tools that load an app which their package does not depend on: the reference lock with its metrics, a process. */
const LOADED_BY_TESTS: Readonly<Record<string, readonly string[]>> = {
	'@kubernaut/gateway': ['@kubernaut/lock-contract#test:int'],
	'@kubernaut/notification': ['@kubernaut/testkit#test:int'],
};

/** Images are made of the apps' sources, queries are asked of their processes, and scenarios are about all of them. */
const MADE_OF_ALL = [
	'@kubernaut/e2e#test:int',
	'@kubernaut/images#test',
	'@kubernaut/images#test:int',
	'@kubernaut/manifests#test:int',
];

const turbo = copyThisRepository();
afterAll(() => turbo.remove());

function withDependents(name: string): string[] {
	const found = new Set([name]);
	for (const member of found)
		for (const other of PACKAGES)
			if (allDependencies(other).some(([dependency]) => dependency === member)) found.add(other.name);
	return [...found];
}

/** A file and, at any distance, those of the same app that it imports; not those of which it takes types only. */
function withImports(file: string): Set<string> {
	const found = new Set([file]);
	for (const path of found)
		for (const { specifier, typesOnly } of importsOf(readText(ROOT, path)))
			if (!typesOnly && isRelative(specifier)) found.add(posix.join(posix.dirname(path), specifier));
	return found;
}

function tasksOf(packages: readonly string[], tasks: readonly string[] = TASKS): string[] {
	const ids = packages.flatMap((name) => tasks.map((task) => `${name}#${task}`));
	return [...new Set([...ids.filter((id) => turbo.tasks.includes(id)), RULES])].toSorted();
}

it.each(packagesIn(ROOT, 'apps'))('a change in $directory concerns that app and what depends on it', (app) => {
	const changed = turbo.tasksAfterChanging(`${app.directory}/src/main.ts`);
	const readers = [...(LOADED_BY_TESTS[app.name] ?? []), ...MADE_OF_ALL];
	expect(changed).toEqual([...tasksOf(withDependents(app.name)), ...readers].toSorted());
	expect(changed).toEqual(expect.arrayContaining(TASKS.map((task) => `${app.name}#${task}`)));
	const others = APPS.filter((name) => name !== app.name);
	expect(changed.filter((task) => others.some((other) => task.startsWith(`${other}#`)))).toEqual([]);
});

it('a change in a mirrored folder concerns the mirror as well', () => {
	const [main, mirrored] = ['main.ts', 'process/shutdown.ts'].map((file) =>
		turbo.tasksAfterChanging(`apps/orchestrator/src/${file}`),
	);
	expect(mirrored).toEqual([...(main ?? []), MIRROR].toSorted());
});

it('a change in backoff concerns every app', () => {
	const changed = turbo.tasksAfterChanging('packages/backoff/src/sleep.ts');
	expect(changed).toEqual([...tasksOf(withDependents('@kubernaut/backoff')), ...MADE_OF_ALL].toSorted());
	expect(changed).toEqual(expect.arrayContaining(APPS.flatMap((app) => TASKS.map((task) => `${app}#${task}`))));
	expect(changed.length).toBeLessThan(turbo.tasks.length);
});

it('a change in the bundler concerns those who build', () => {
	const changed = turbo.tasksAfterChanging('tools/bundle/src/bundle-app.ts');
	expect(changed).toEqual(tasksOf(withDependents('@kubernaut/bundle')));
	expect(changed.filter((task) => task.startsWith('@kubernaut/backoff#'))).toEqual([]);
});

it.each(['apps/gateway/src/main.test.ts', 'apps/gateway/test/a.int.test.ts', 'apps/gateway/vitest.config.ts'])(
	'%s concerns the checks of the gateway, not its build nor anybody else',
	(path) => {
		const want = tasksOf(['@kubernaut/gateway'], ['typecheck', 'lint', 'test', 'test:int']);
		expect(turbo.tasksAfterChanging(path)).toEqual(want);
	},
);

it.each([
	{ path: 'apps/gateway/README.md', owner: ['@kubernaut/gateway'] },
	{ path: 'packages/backoff/README.md', owner: ['@kubernaut/backoff'] },
	{ path: 'docs/errors.md', owner: [] },
	{ path: 'README.md', owner: [] },
])('words ($path) build nothing and concern the unit tests of their own package only', ({ path, owner }) => {
	expect(turbo.tasksAfterChanging(path)).toEqual(tasksOf(owner, ['test']));
});

it.each(['KUBERNAUT_TEST_KUBECONFIG', 'KUBEBUILDER_ASSETS'])(
	'another %s is another control plane: what passed on the last one says nothing',
	(name) => {
		const integration = turbo.tasks.filter((task) => task.endsWith('#test:int'));
		expect(turbo.tasksWith({ [name]: '/somewhere/else' })).toEqual(integration);
	},
);

// Tests that load files of an app which their package does not depend on.
it.each([
	{
		task: '@kubernaut/lock-contract#test:int',
		files: LOADED_FOR_LOCKS.flatMap((file) => [...withImports(`apps/gateway/src/${file}`)]),
	},
	{
		task: '@kubernaut/lock-contract#test',
		files: [
			...READ_FOR_MUTANTS.map((file) => `apps/gateway/src/${file}`),
			...sourcesUnder(ROOT, 'apps/gateway/src/lock').filter((path) => !isTest(path)),
		],
	},
	{
		task: '@kubernaut/testkit#test:int',
		files: sourcesUnder(ROOT, 'apps/notification/src').filter((path) => !isTest(path)),
	},
])('$task runs again when a file of an app changes that it reads', ({ task, files }) => {
	expect(turbo.inputsOf(task)).toEqual(expect.arrayContaining(files));
});

it('a change in a CRD concerns every integration test and builds nothing', () => {
	const [crd = ''] = filesUnder(ROOT, 'deploy/crds');
	const changed = turbo.tasksAfterChanging(crd);
	const integration = turbo.tasks.filter((task) => task.endsWith('#test:int'));
	expect(changed).toEqual(expect.arrayContaining([...integration, RULES]));
	expect(changed.filter((task) => /#(?:build|typecheck|lint)$/.test(task))).toEqual([]);
});

it.each(['tsconfig.base.json', '.pnpmfile.mjs', 'vitest.base.ts'])('%s concerns every package', (path) => {
	expect(turbo.tasksAfterChanging(path)).toEqual(turbo.tasks);
});

it('the lint rules concern every lint and nothing else', () => {
	const lints = turbo.tasks.filter((task) => task.endsWith('#lint'));
	expect(turbo.tasksAfterChanging('.oxlintrc.json')).toEqual([...lints, RULES].toSorted());
});
