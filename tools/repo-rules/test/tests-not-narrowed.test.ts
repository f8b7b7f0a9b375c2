import { expect, it } from 'vitest';
import { testsNotNarrowed } from '../src/rules/tests-not-narrowed.ts';
import { madeUpTree } from './made-up-tree.ts';

// Put together here, or this file would break the rule that it tests.
const narrowed = (call: string, how: string) => `${call}.${how}`;
const withWord = (source: string, word: string) => source.replace('%', word);
const mock = (target: string) => `${narrowed('vi', 'mock')}(${target});`;
const PATH = 'apps/gateway/src/main.test.ts';

it.each([
	narrowed('it', "only('a', () => {});"),
	narrowed('it', withWord("%('a', () => {});", 'skip')),
	narrowed('it', "todo('a');"),
	narrowed('describe', withWord("%('a', () => {});", 'skip')),
	narrowed('test.concurrent', "only('a', () => {});"),
	narrowed('describe', "skipIf(process.env['CI'])('a', () => {});"),
	withWord("describe.concurrent['%']('a', () => {});", 'skip'),
	withWord("it['%']('a', () => {});", 'skip'),
	withWord(`test["%"]('a', () => {});`, 'only'),
	withWord("it('a', { %: true }, () => {});", 'skip'),
	withWord("it('a', { timeout: 5, %: true }, () => {});", 'only'),
	withWord("it('a', { '%': true });", 'todo'),
	withWord("it('a', { retry: { count: 2 }, %: true }, () => {});", 'skip'),
	withWord("it.each([1])('a', { %: isLinux }, () => {});", 'fails'),
	withWord("it(name, {\n\t%: process.platform === 'darwin',\n}, () => {});", 'skip'),
	withWord("it('a', (ctx) => ctx.%());", 'skip'),
	withWord("it('a', ({ task, skip }) => %('not today'));", 'skip'),
	withWord("it('a', (context) => { context.%(isLinux, 'why'); });", 'skip'),
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
	"it('a', { timeout: 5 }, () => {});",
	"it.each([{ a: 1 }, { a: 2, skip: 'b' }])('$a', () => {});",
	'const { only, skip } = read({ skip: undefined, onlyOne: true, fails: 3 });',
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
