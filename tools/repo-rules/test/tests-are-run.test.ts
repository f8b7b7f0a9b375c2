import { expect, it } from 'vitest';
import { testsAreRun } from '../src/rules/tests-are-run.ts';
import { madeUpTree } from './made-up-tree.ts';

/** Each with the tests that its scripts run. */
const PACKAGES = {
	'apps/gateway/package.json': { scripts: { test: 'vitest run', 'test:int': 'vitest run' } },
	'tools/demo/package.json': { scripts: { test: 'vitest run' } },
	'tools/bare/package.json': {},
	'apps/gateway/src/app.test.ts': '',
	'apps/gateway/test/app.int.test.ts': '',
	'tools/demo/src/demo.test.ts': '',
	'e2e/scenarios/demo.e2e.test.ts': '',
	'e2e/src/settings.test.ts': '',
	'e2e/package.json': { scripts: { e2e: 'vitest run', test: 'vitest run' } },
};

it.each([
	'apps/gateway/src/a/kube.test.ts',
	'apps/gateway/src/file-lock.test.mjs',
	'apps/gateway/test/readme.test.ts',
	'apps/gateway/test/kube.int.test.ts',
	'apps/gateway/test/distributed-lock.contract.test.ts',
	'e2e/scenarios/loss.e2e.test.ts',
	'e2e/src/cli.test.ts',
])('%s is run', (path) => {
	expect(testsAreRun(madeUpTree({ ...PACKAGES, [path]: '' }))).toEqual([]);
});

it.each([
	{ path: 'apps/gateway/kube.test.ts', want: 'move it to src/' },
	{ path: 'apps/gateway/lib/kube.test.ts', want: 'move it to src/' },
	{ path: 'apps/gateway/test/kube.test.mjs', want: 'move it to src/' },
	{ path: 'apps/gateway/src/kube.int.test.ts', want: 'move it to test/' },
	{ path: 'tools/demo/test/kube.int.test.ts', want: 'tools/demo/package.json has no script "test:int"' },
	{ path: 'tools/bare/src/a.test.ts', want: 'tools/bare/package.json has no script "test"' },
	{ path: 'e2e/harness/replicas.test.ts', want: 'move it to scenarios/' },
])('$path is found', ({ path, want }) => {
	expect(testsAreRun(madeUpTree({ ...PACKAGES, [path]: '' }))).toMatchObject([
		{ where: path, what: expect.stringContaining(want) },
	]);
});

it.each([
	{ removed: 'apps/gateway/src/app.test.ts', where: 'apps/gateway/package.json', task: 'test' },
	{ removed: 'apps/gateway/test/app.int.test.ts', where: 'apps/gateway/package.json', task: 'test:int' },
	{ removed: 'e2e/scenarios/demo.e2e.test.ts', where: 'e2e/package.json', task: 'e2e' },
])('without $removed, the script that ran it is found', ({ removed, where, task }) => {
	const rest = Object.fromEntries(Object.entries(PACKAGES).filter(([path]) => path !== removed));
	expect(testsAreRun(madeUpTree(rest))).toEqual([
		{ where, what: `has the script "${task}" and no test that it could run` },
	]);
});
