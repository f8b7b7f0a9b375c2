import { describe, expect, it } from 'vitest';
import { sameModules } from '../src/rules/same-modules.ts';
import { type Files, inEveryApp, madeUpTree } from './made-up-tree.ts';

const FILES = ['main.ts', 'app.ts', 'config.ts', 'metrics.ts', 'errors.ts', 'process/shutdown.ts', 'kube/kube.ts'];
const APPS = inEveryApp(['gateway', 'orchestrator'], Object.fromEntries(FILES.map((file) => [`src/${file}`, ''])));

function placesOf(files: Files): string[] {
	return sameModules(madeUpTree(files)).map(({ where }) => where);
}

it('apps with the same modules pass', () => {
	expect(placesOf(APPS)).toEqual([]);
});

it.each([
	...FILES.slice(0, 5).map((file) => ({ file, want: file })),
	{ file: 'process/shutdown.ts', want: 'process' },
	{ file: 'kube/kube.ts', want: 'kube' },
])('an app without $want is found', ({ file, want }) => {
	const { [`apps/orchestrator/src/${file}`]: _, ...others } = APPS;
	expect(placesOf(others)).toEqual([`apps/orchestrator/src/${want}`]);
});

describe('names that say nothing', () => {
	it.each([
		'apps/gateway/src/utils.ts',
		'apps/gateway/src/helpers/time.ts',
		'apps/gateway/src/common/a/b.ts',
		'apps/gateway/test/test-helpers.ts',
		'apps/gateway/src/string-util.test.ts',
		'apps/gateway/src/index.ts',
		'apps/gateway/src/signals/index.ts',
	])('%s', (path) => {
		expect(placesOf({ ...APPS, [path]: '' })).toEqual([path]);
	});
	it('a word that only contains one is fine', () => {
		expect(placesOf({ ...APPS, 'apps/gateway/src/uncommon-signal.ts': '', 'tools/x/src/index.ts': '' })).toEqual([]);
	});
});
