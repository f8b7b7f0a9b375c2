import { expect, it } from 'vitest';
import { testsNotNarrowed } from '../src/rules/tests-not-narrowed.ts';
import { madeUpTree } from './made-up-tree.ts';

// Put together here, or this file would break the rule that it tests.
const narrowed = (call: string, how: string) => `${call}.${how}`;
const mock = (target: string) => `${narrowed('vi', 'mock')}(${target});`;
const PATH = 'apps/gateway/src/main.test.ts';

it.each([
	narrowed('it', "only('a', () => {});"),
	narrowed('it', "skip('a', () => {});"),
	narrowed('it', "todo('a');"),
	narrowed('describe', "skip('a', () => {});"),
	narrowed('test.concurrent', "only('a', () => {});"),
	narrowed('describe', "skipIf(process.env['CI'])('a', () => {});"),
	['x', "it('a', () => {});"].join(''),
	mock("'./kube.ts'"),
	mock("'@kubernaut/backoff'"),
	mock("import('../src/kube.ts')"),
])('%s is found', (line) => {
	expect(testsNotNarrowed(madeUpTree({ [PATH]: `// one\n${line}\n` }))).toMatchObject([{ where: `${PATH}:2` }]);
});

it.each([
	"it('a', () => {});",
	"it.each([1])('%s', () => {});",
	"queue.skip('a');",
	"process.exit('a');",
	mock("'node:fs'"),
])('%s is fine', (line) => {
	expect(testsNotNarrowed(madeUpTree({ [PATH]: line }))).toEqual([]);
});

it.each(['packages/backoff/test/a.test.ts', 'tools/lock-contract/src/contract.ts', 'e2e/scenarios/a.e2e.test.ts'])(
	'%s is looked at too',
	(path) => {
		expect(testsNotNarrowed(madeUpTree({ [path]: narrowed('it', "only('a', () => {});") }))).toHaveLength(1);
	},
);
