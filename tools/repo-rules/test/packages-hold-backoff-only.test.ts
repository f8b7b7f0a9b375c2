import { expect, it } from 'vitest';
import { packagesHoldBackoffOnly } from '../src/rules/packages-hold-backoff-only.ts';
import { madeUpTree } from './made-up-tree.ts';

it.each([
	{ name: 'backoff alone', files: { 'packages/backoff/src/index.ts': '' }, want: [] },
	{
		name: 'a second shared package',
		files: { 'packages/backoff/src/index.ts': '', 'packages/kube/package.json': '{}' },
		want: ['packages/kube'],
	},
	{ name: 'a loose file', files: { 'packages/backoff/a.ts': '', 'packages/b.ts': '' }, want: ['packages/b.ts'] },
	{ name: 'no backoff', files: { 'apps/gateway/src/main.ts': '' }, want: ['packages/backoff'] },
	{
		name: 'what an install left of a package that is gone',
		files: { 'packages/backoff/a.ts': '', 'packages/gone/node_modules/yaml/index.js': '' },
		want: [],
	},
])('$name', ({ files, want }) => {
	expect(packagesHoldBackoffOnly(madeUpTree(files)).map(({ where }) => where)).toEqual(want);
});
