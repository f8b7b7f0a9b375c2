import { expect, it } from 'vitest';
import { arrows } from '../src/rules/arrows.ts';
import { madeUpTree } from './made-up-tree.ts';

it.each([
	{ path: 'apps/gateway/src/metrics.ts', source: "import { Counter } from 'prom-client';", want: 0 },
	{ path: 'apps/gateway/src/logger.ts', source: "import { pino } from 'pino';", want: 0 },
	{ path: 'apps/gateway/src/kube.ts', source: "import { Counter } from 'prom-client';", want: 1 },
	{ path: 'apps/gateway/src/server.ts', source: "import type { Registry } from 'prom-client';", want: 1 },
	{ path: 'apps/gateway/src/metrics.ts', source: "import { pino } from 'pino';", want: 1 },
	{ path: 'apps/gateway/src/main.ts', source: "import type { Logger } from 'pino';", want: 1 },
	{ path: 'apps/gateway/src/signals/parse.ts', source: "const { pino } = await import('pino');", want: 1 },
	{ path: 'apps/gateway/src/logger.test.ts', source: "import { pino } from 'pino';", want: 0 },
])('$path with $source: $want', ({ path, source, want }) => {
	const violations = arrows(madeUpTree({ [path]: source }));
	expect(violations.map(({ where }) => where)).toEqual(Array(want).fill(path));
});
