import { describe, expect, it } from 'vitest';
import { copyLines, headOf } from './head.ts';
import { parse } from './parse.ts';

const OF = 'apps/gateway/src/distributed-lock.ts';

function head(source: string) {
	return headOf(source, parse('a.ts', source).comments);
}

describe('a copy names its source and its differences', () => {
	it.each([
		{ source: `// A copy of ${OF}.`, want: [] },
		{ source: `// A copy of ${OF} (ADR 2).`, want: [] },
		{ source: `// A copy of ${OF}; differs in: A.`, want: ['A'] },
		{
			source: `// A copy of ${OF} (ADR 2); differs in: LOCK_PREFIX, Lock.#take. More words. And more.`,
			want: ['LOCK_PREFIX', 'Lock.#take'],
		},
		{
			source: `// What it is for.\n// A copy of ${OF}; differs in: A,\n// B.c, D.\n// Guarantee: none.`,
			want: ['A', 'B.c', 'D'],
		},
		{ source: `/*\n * A copy of ${OF}; differs in: A,\n * B.\n */`, want: ['A', 'B'] },
		{ source: `// A copy of ${OF}; differs in: import './x.ts', A.`, want: [`import './x.ts'`, 'A'] },
	])('$source', ({ source, want }) => {
		expect(head(`${source}\nconst a = 1;\n`)).toEqual({ kind: 'copy', of: OF, differsIn: want });
	});
	it('what is written is what is read', () => {
		const many = Array.from({ length: 30 }, (_, index) => `DistributedLock.member${index}`);
		for (const differsIn of [[], ['A', 'B.c'], many])
			expect(head(copyLines(OF, differsIn).join('\n'))).toEqual({ kind: 'copy', of: OF, differsIn });
		expect(Math.max(...copyLines(OF, many).map((line) => line.length))).toBeLessThanOrEqual(120);
	});
});

it('a file of the same name that is something else says why', () => {
	expect(head(`// Not a copy of ${OF}: the lock is the\n// PipelineRun itself.\n`)).toEqual({
		kind: 'no-copy',
		of: OF,
		reason: 'the lock is the PipelineRun itself.',
	});
});

it.each([`// a copy of ${OF}\n`, `// A copy of ${OF}, differs in: A\n`, `// A copy of ${OF}; differs in: A\n`])(
	'%s is not understood, and not overlooked',
	(source) => {
		expect(head(source)).toMatchObject({ kind: 'unreadable' });
	},
);

it.each(['// Words.\nconst a = 1;\n', '', `const a = 1; // A copy of ${OF}.\n`, `const a = 1;\n// A copy of ${OF}.\n`])(
	'%j has no such head',
	(source) => {
		expect(head(source)).toEqual({ kind: 'none' });
	},
);
