import { expect, it } from 'vitest';
import { justifiedDependencies } from '../src/rules/justified-dependencies.ts';
import { madeUpTree } from './made-up-tree.ts';

const TREE = {
	'package.json': { name: 'kubernaut', packageManager: 'pnpm@12.18.0', devDependencies: { turbo: 'catalog:' } },
	'pnpm-workspace.yaml': 'overrides:\n  rolldown: 1.2.15\n',
	'apps/gateway/package.json': { name: '@kubernaut/gateway', dependencies: { pino: 'catalog:', yaml: 'catalog:' } },
	'apps/notification/package.json': { name: '@kubernaut/notification', dependencies: { pino: 'catalog:' } },
	'tools/bundle/package.json': {
		name: '@kubernaut/bundle',
		dependencies: { '@kubernaut/gateway': 'workspace:*', yaml: 'catalog:' },
	},
	'tools/control-plane/go/etcd/go.mod': 'module x',
};
const LINES = {
	pino: '| `pino` | logs | every app |',
	pnpm: '| `pnpm` | installs | the workspace |',
	rolldown: '| `rolldown` | has all platforms | the workspace |',
	turbo: '| `turbo` | runs tasks | the workspace |',
	yaml: '| `yaml` | reads YAML | bundle, gateway |',
};

function messagesOf(lines: Readonly<Record<string, string>>, programs = ['| `etcd` | stores |']): string[] {
	const page = ['# Dependencies', '## Packages', ...Object.values(lines), '## Programs', ...programs].join('\n');
	return justifiedDependencies(madeUpTree({ ...TREE, 'docs/dependencies.md': page })).map(({ what }) => what);
}

it('one line for each passes', () => {
	expect(messagesOf(LINES)).toEqual([]);
});

it('the page must be there', () => {
	expect(justifiedDependencies(madeUpTree(TREE))).toMatchObject([{ where: 'docs/dependencies.md' }]);
});

it.each(Object.keys(LINES))('no line for %s is found', (name) => {
	const others = Object.fromEntries(Object.entries(LINES).filter(([other]) => other !== name));
	expect(messagesOf(others)).toEqual([expect.stringContaining(`${name} has no line`)]);
});

it.each([
	{ name: 'a second line', lines: { ...LINES, again: LINES.pino }, want: 'pino has 2 lines' },
	{
		name: 'a line of one that went',
		lines: { ...LINES, zod: '| `zod` | was here | every app |' },
		want: 'zod is not used',
	},
	{
		name: 'a line without a reason',
		lines: { ...LINES, pino: '| `pino` | | every app |' },
		want: 'pino is not justified',
	},
	{
		name: 'a wrong user',
		lines: { ...LINES, yaml: '| `yaml` | reads | gateway |' },
		want: 'yaml is used by "bundle, gateway"',
	},
])('$name is found', ({ lines, want }) => {
	expect(messagesOf(lines)).toEqual([expect.stringContaining(want)]);
});

it('programs that we build have a line too', () => {
	expect(messagesOf(LINES, [])).toEqual([expect.stringContaining('etcd has no line under "Programs"')]);
	expect(messagesOf(LINES, ['| `etcd` | stores |', '| `kwok` | nodes |'])).toEqual([expect.stringContaining('kwok')]);
});
