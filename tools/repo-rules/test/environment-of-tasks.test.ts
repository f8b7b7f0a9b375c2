import { describe, expect, it } from 'vitest';
import { environmentOfTasks } from '../src/rules/environment-of-tasks.ts';
import { ROOT, readText } from '../src/tree.ts';
import { describeViolations } from '../src/violation.ts';
import { madeUpTree } from './made-up-tree.ts';

const OWN = 'tools/demo/turbo.json';

function violationsOf(files: Record<string, object>): string[] {
	return environmentOfTasks(madeUpTree({ 'turbo.json': {}, ...files })).map(({ where, what }) => `${where}: ${what}`);
}

describe('a task sees the user’s KUBECONFIG by', () => {
	it.each([
		{ name: 'its name', files: { 'turbo.json': { globalPassThroughEnv: ['KUBECONFIG'] } } },
		...['KUBE*', 'KUB*', 'K*', '*', '*CONFIG', 'K*G'].map((pattern) => ({
			name: pattern,
			files: { 'turbo.json': { globalPassThroughEnv: ['GO*', pattern] } },
		})),
		{ name: 'globalEnv', files: { 'turbo.json': { globalEnv: ['KUBECONFIG'] } } },
		{ name: 'env of a task', files: { 'turbo.json': { tasks: { 'test:int': { env: ['KUBE*'] } } } } },
		{ name: 'passThroughEnv of a task', files: { 'turbo.json': { tasks: { e2e: { passThroughEnv: ['KUBE*'] } } } } },
		{ name: 'the turbo.json of a package', files: { [OWN]: { tasks: { test: { passThroughEnv: ['K*'] } } } } },
		{ name: 'an environment that is not hidden at all', files: { 'turbo.json': { envMode: 'loose' } } },
		{
			name: 'a script that hides nothing',
			files: { 'package.json': { scripts: { e2e: 'turbo run e2e --env-mode=loose' } } },
		},
	])('$name', ({ files }) => {
		expect(violationsOf(files)).toHaveLength(1);
	});
});

it.each([
	{ globalPassThroughEnv: ['KUBERNAUT_*', 'KUBEBUILDER_ASSETS', '*_PROXY'] },
	{ globalPassThroughEnv: ['!KUBECONFIG'], envMode: 'strict' },
	{ tasks: { test: { env: ['KUBERNAUT_TEST_KUBECONFIG'] } } },
])('%o hides it', (turbo) => {
	expect(violationsOf({ 'turbo.json': turbo })).toEqual([]);
});

it('no task of this repository sees it: it may name a production cluster', () => {
	expect(describeViolations(environmentOfTasks(ROOT))).toBe('');
});

it('every task sees what names a control plane, a cache or a proxy', () => {
	const { globalPassThroughEnv } = JSON.parse(readText(ROOT, 'turbo.json')) as { globalPassThroughEnv: string[] };
	expect(globalPassThroughEnv).toEqual(
		expect.arrayContaining(['KUBERNAUT_*', 'KUBEBUILDER_ASSETS', 'DOCKER_*', 'GO*', 'XDG_*', '*_PROXY', '*_proxy']),
	);
});
