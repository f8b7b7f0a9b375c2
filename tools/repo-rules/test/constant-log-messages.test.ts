import { describe, expect, it } from 'vitest';
import { logCalls } from '../src/log-calls.ts';
import { constantLogMessages } from '../src/rules/constant-log-messages.ts';
import { madeUpTree } from './made-up-tree.ts';

const PATH = 'apps/gateway/src/http/http-observer.ts';

it.each([
	'log.info({ detail }, event);',
	'log.warn({ key }, `lost ${key}`);',
	"log.error({}, 'failed: ' + reason);",
	"log[ok ? 'info' : 'warn']({ detail }, event);",
	"this.#log.debug({ a: f(',') }, ok ? 'fine' : reason);",
])('%s is found', (source) => {
	expect(constantLogMessages(madeUpTree({ [PATH]: `// one\n${source}\n` }))).toMatchObject([{ where: `${PATH}:2` }]);
});

it.each([
	"log.info({ detail }, 'started');",
	"log[ok ? 'info' : 'warn']({ ok }, ok ? 'ready' : 'not ready');",
	'const size = Math.log(count);',
	"const path = 'log.level';",
])('%s is fine', (source) => {
	expect(constantLogMessages(madeUpTree({ [PATH]: source }))).toEqual([]);
});

it('a test file may log what it likes', () => {
	expect(constantLogMessages(madeUpTree({ 'apps/gateway/src/a.test.ts': 'log.info({}, text);' }))).toEqual([]);
});

describe('the messages of a call:', () => {
	it.each([
		{ source: "log.info({ a }, 'started');", want: [{ message: 'started', levels: ['info'] }] },
		{
			source: "log.warn(\n\t{ key, reason: f('a, b', [1]) },\n\t'it\\'s lost',\n);",
			want: [{ message: "it's lost", levels: ['warn'] }],
		},
		{
			source: "log[status < 500 ? 'info' : 'warn'](event, 'answered');",
			want: [{ message: 'answered', levels: ['info', 'warn'] }],
		},
		{
			source: "log[c.ok ? 'info' : 'warn']({ c }, c.ok ? 'ready' : 'not ready');",
			want: [
				{ message: 'ready', levels: ['info'] },
				{ message: 'not ready', levels: ['warn'] },
			],
		},
		{
			source: "log[a ? 'info' : 'warn']({}, b ? 'x' : 'y');",
			want: [
				{ message: 'x', levels: ['info', 'warn'] },
				{ message: 'y', levels: ['info', 'warn'] },
			],
		},
	])('$source', ({ source, want }) => {
		expect(logCalls(source)).toEqual([{ line: 1, messages: want }]);
	});
});
