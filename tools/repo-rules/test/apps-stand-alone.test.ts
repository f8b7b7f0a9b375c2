import { describe, expect, it } from 'vitest';
import { appsStandAlone } from '../src/rules/apps-stand-alone.ts';
import { madeUpTree } from './made-up-tree.ts';

const MANIFEST = { name: '@kubernaut/gateway' };

function violationsOf(manifest: object, source: string, path = 'apps/gateway/src/main.ts'): string[] {
	const root = madeUpTree({
		'apps/gateway/package.json': { ...MANIFEST, ...manifest },
		'tools/drawer/package.json': { name: 'shared-drawer' },
		[path]: source,
	});
	return appsStandAlone(root).map(({ where, what }) => `${where}: ${what}`);
}

describe('package.json', () => {
	it.each([
		{ manifest: { dependencies: { '@kubernaut/backoff': 'workspace:*', fastify: 'catalog:' } }, want: [] },
		{ manifest: { devDependencies: { '@kubernaut/testkit': 'workspace:*' } }, want: [] },
		{
			manifest: { dependencies: { '@kubernaut/testkit': 'workspace:*' } },
			want: ['dependencies has @kubernaut/testkit'],
		},
		{
			manifest: { optionalDependencies: { '@kubernaut/orchestrator': 'workspace:*' } },
			want: ['optionalDependencies has @kubernaut/orchestrator'],
		},
		{
			manifest: { peerDependencies: { '@kubernaut/bundle': 'workspace:*' } },
			want: ['peerDependencies has @kubernaut/bundle'],
		},
		{
			manifest: { dependencies: { 'shared-drawer': 'workspace:*' } },
			want: ['dependencies has shared-drawer'],
		},
	])('$manifest', ({ manifest, want }) => {
		const violations = violationsOf(manifest, '');
		expect(violations).toHaveLength(want.length);
		want.forEach((words, index) => expect(violations[index]).toContain(words));
	});
});

describe('sources', () => {
	it.each([
		"import { fastify } from 'fastify';",
		"import { createBackoff } from '@kubernaut/backoff';",
		"import { readFileSync } from 'node:fs';",
		"import { CONFIG_KEYS } from './config.ts';",
		"// import { startApp } from '@kubernaut/testkit';",
		"const advice = 'see import x from ../../y';",
	])('may have %s', (source) => {
		expect(violationsOf({}, source)).toEqual([]);
	});

	it.each([
		{ source: "import { startApp } from '@kubernaut/testkit';", want: 'without tools and other apps' },
		{ source: "import { twin } from '@kubernaut/testkit/app-process';", want: 'without tools and other apps' },
		{ source: "import type { Config } from '@kubernaut/orchestrator';", want: 'without tools and other apps' },
		{ source: "export * from '../../orchestrator/src/kube.ts';", want: 'outside apps/gateway' },
		{ source: "import {\n\ta,\n\tb,\n} from '../../testkit/src/apply.ts';", want: 'outside apps/gateway' },
		{ source: "await import('../../../vitest.base.ts');", want: 'outside apps/gateway' },
		{ source: 'await import(`../../../vitest.base.ts`);', want: 'outside apps/gateway' },
		{ source: 'await import(`../../${app}/src/kube.ts`);', want: 'outside apps/gateway' },
		{ source: 'await import(`@kubernaut/testkit`);', want: 'without tools and other apps' },
		{ source: "import { drawer } from 'shared-drawer';", want: 'without tools and other apps' },
		{ source: "import { ManualClock } from '../test/harness/manual-clock.ts';", want: 'outside apps/gateway/src' },
		{ source: "import config from '../vitest.config.ts';", want: 'outside apps/gateway/src' },
		{ source: "import { a } from '../../../tools/testkit/src/a.ts';", want: 'outside apps/gateway/src' },
		{ source: "import '/srv/somewhere.ts';", want: 'outside apps/gateway' },
		{ source: "import { it } from 'vitest';", want: 'only test files' },
		{ source: "import type { TestProject } from 'vitest/node';", want: 'only test files' },
	])('may not have $source', ({ source, want }) => {
		const violations = violationsOf({}, source);
		expect(violations).toHaveLength(1);
		expect(violations[0]).toContain(want);
	});

	it('leave an app only by climbing out of it, not by climbing', () => {
		const path = 'apps/gateway/src/signals/prometheus.ts';
		expect(violationsOf({}, "import { APP } from '../app.ts';", path)).toEqual([]);
		expect(violationsOf({}, "import { APP } from '../../../app.ts';", path)).toHaveLength(1);
	});

	it('are free in tests', () => {
		const source = "import { it } from 'vitest';\nimport { startApp } from '@kubernaut/testkit';";
		expect(violationsOf({}, source, 'apps/gateway/src/main.test.ts')).toEqual([]);
	});
});
