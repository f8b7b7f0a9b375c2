import { describe, expect, it } from 'vitest';
import { type ImportTable, PERMITTED_IMPORTS, permittedImports } from '../src/rules/permitted-imports.ts';
import { type Files, madeUpTree } from './made-up-tree.ts';

const SRC = 'apps/gateway/src';

/** Paths of the files are those in src/ of the gateway. */
function violationsOf(files: Files, table?: ImportTable): string[] {
	const tree = Object.fromEntries(Object.entries(files).map(([path, source]) => [`${SRC}/${path}`, source]));
	return permittedImports(madeUpTree(tree), table).map(({ where, what }) => `${where}: ${what}`);
}

describe('an import that the table permits passes:', () => {
	it.each([
		{ path: 'http/signal-routes.ts', source: "import { authenticate } from '../guard/auth.ts';" },
		{ path: 'http/signal-routes.ts', source: "import { problem } from './problem.ts';" },
		{ path: 'http/signal-api.ts', source: "import type { KubeClient } from '../kube/kube.ts';" },
		{ path: 'http/signal-api.ts', source: "import { type Check, type KubeClient } from '../kube/kube.ts';" },
		{ path: 'http/signal-api.ts', source: "export type { KubeClient } from '../kube/kube.ts';" },
		{ path: 'ingest/ingest-signal.ts', source: "import { LockFault } from '../distributed-lock.ts';" },
		{ path: 'distributed-lock.ts', source: "export { LockFault } from './lock/lock-errors.ts';" },
		{ path: 'decide/routing-keys.ts', source: "import { duration } from '../process/config-values.ts';" },
		{ path: 'decide/routing.ts', source: "import { LIMIT } from '../generated/remediation-request.ts';" },
		{ path: 'kube/kube.ts', source: "import { AppError } from '../errors.ts';" },
		{ path: 'process/command-line.ts', source: "import { APP } from '../app.ts';" },
		{ path: 'main.ts', source: "import { createApi } from './http/signal-api.ts';" },
		{ path: 'gateway.ts', source: "import { ingest } from './ingest/ingest-signal.ts';" },
		{ path: 'config.ts', source: "import { HTTP_CONFIG_KEYS } from './http/http-config.ts';" },
		{ path: 'config.ts', source: "import { ROUTING_KEYS } from './decide/routing-keys.ts';" },
		{ path: 'metrics.ts', source: "import { httpMetrics } from './http/http-metrics.ts';" },
		{ path: 'metrics.ts', source: "import type { HttpObserver } from './http/http-observer.ts';" },
		{ path: 'errors.ts', source: "export { KUBE_ERRORS } from './kube/kube-errors.ts';" },
		{ path: 'lock/lease-lock.test.ts', source: "import { ingest } from '../ingest/ingest-signal.ts';" },
		{ path: 'lock/lease-lock.example.ts', source: "import { lock } from '../distributed-lock.ts';" },
		{ path: 'http/signal-api.ts', source: "import { fastify } from 'fastify';" },
	])('$path with $source', ({ path, source }) => {
		expect(violationsOf({ [path]: source })).toEqual([]);
	});
});

describe('an import that the table does not permit is found:', () => {
	it.each([
		{
			path: 'objects/request-store.ts',
			source: "import type { Chain } from '../ingest/request-chain.ts';",
			want: 'imports ingest/request-chain.ts: objects may not import ingest',
		},
		{
			path: 'process/health-server.ts',
			source: "import type { Check } from '../kube/api-readiness.ts';",
			want: 'imports kube/api-readiness.ts: process may not import kube',
		},
		{
			path: 'decide/decide.ts',
			source: "const { createKubeClient } = await import('../kube/kube.ts');",
			want: 'imports kube/kube.ts: decide may not import kube',
		},
		{
			path: 'controller/watches.ts',
			source: "import type { Remediation } from '../objects/remediation.ts';",
			want: 'imports objects/remediation.ts: controller may not import objects',
		},
		{
			path: 'controller/controller-log.ts',
			source: "import type { GatewayObserver } from '../gateway.ts';",
			want: 'imports gateway.ts: controller may not import gateway.ts',
		},
		{
			path: 'http/deep/answer.ts',
			source: "import { ingest } from '../../ingest/ingest-signal.ts';",
			want: 'imports ingest/ingest-signal.ts: http may not import ingest',
		},
		{
			path: 'config.ts',
			source: "import { route } from './decide/routing.ts';",
			want: 'imports decide/routing.ts: config.ts may not import decide',
		},
		{
			path: 'http/signal-api.ts',
			source: "import { type Check, createKubeClient } from '../kube/kube.ts';",
			want: 'imports values of kube/kube.ts: http may import only the types of kube',
		},
		{
			path: 'guard/guarded-ingest.ts',
			source: "import '../signal/signal.ts';",
			want: 'imports values of signal/signal.ts: guard may import only the types of signal',
		},
		{
			path: 'metrics.ts',
			source: "import { observe } from './http/http-observer.ts';",
			want: 'imports values of http/http-observer.ts: metrics.ts may import only the types of http',
		},
		{
			path: 'ingest/ingest-signal.ts',
			source: "import { LockFault } from '../lock/lock-errors.ts';",
			want: 'imports lock/lock-errors.ts: only distributed-lock.ts imports from lock/',
		},
		{
			path: 'main.ts',
			source: "import { lockLog } from './lock/lock-log.ts';",
			want: 'imports lock/lock-log.ts: only distributed-lock.ts imports from lock/',
		},
		{
			path: 'metrics.ts',
			source: "import type { LockObserver } from './lock/lock-ports.ts';",
			want: 'imports lock/lock-ports.ts: only distributed-lock.ts imports from lock/',
		},
	])('$path with $source', ({ path, source, want }) => {
		expect(violationsOf({ [path]: source })).toEqual([expect.stringContaining(`${SRC}/${path}: ${want}`)]);
	});
});

describe('a part that the table does not know is found:', () => {
	it.each(['drawer/things.ts', 'spare.ts', 'orchestrator.ts'])('%s', (path) => {
		expect(violationsOf({ [path]: "import { APP } from './app.ts';" })).toEqual([
			expect.stringContaining('is not in the table of permitted imports'),
		]);
	});
});

describe('a cycle between folders is found although the table permits each edge:', () => {
	const BOTH_WAYS: ImportTable = {
		...PERMITTED_IMPORTS,
		objects: { parts: ['decide'] },
		lock: { parts: ['process', 'objects'] },
	};

	it.each([
		{
			what: 'of two folders',
			files: {
				'decide/decide.ts': "import { link } from '../objects/link.ts';",
				'objects/cache.ts': "import type { Decision } from '../decide/decision.ts';",
			},
			want: 'decide → objects → decide',
		},
		{
			what: 'through the lock',
			files: {
				'distributed-lock.ts': "import { LeaseLock } from './lock/lease-lock.ts';",
				'lock/lease-lock.ts': "import { link } from '../objects/link.ts';",
				'objects/link.ts': "import { decide } from '../decide/decide.ts';",
				'decide/decide.ts': "import { held } from '../distributed-lock.ts';",
			},
			want: 'decide → distributed-lock.ts → lock → objects → decide',
		},
	])('$what', ({ files, want }) => {
		const table = { ...BOTH_WAYS, decide: { parts: ['objects', 'distributed-lock.ts'] } };
		expect(violationsOf(files, table)).toEqual([`${SRC}: imports go in a circle: ${want}`]);
	});

	it('two folders that import the same third are no cycle', () => {
		expect(
			violationsOf({
				'act/act.ts': "import { a } from '../objects/a.ts';\nimport { d } from '../decide/d.ts';",
				'decide/d.ts': "import { a } from '../objects/a.ts';",
			}),
		).toEqual([]);
	});
});
