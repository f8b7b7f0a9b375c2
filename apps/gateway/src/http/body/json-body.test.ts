import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HttpProblem } from '../problem.ts';
import { parseJsonBody } from './json-body.ts';

const bytes = (text: string) => Buffer.from(text);
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

function problemOf(body: Uint8Array): string {
	try {
		parseJsonBody(body);
		return 'none';
	} catch (error) {
		if (!(error instanceof HttpProblem)) throw error;
		return `${error.code}: ${error.message}`;
	}
}

describe('parseJsonBody', () => {
	it.each([
		{ body: '{"a":[1,null,true,"x"]}', want: { a: [1, null, true, 'x'] } },
		{ body: ' 1 ', want: 1 },
		{ body: '\ufeff{}', want: {} },
		{ body: nested(64), want: JSON.parse(nested(64)) as unknown },
		{ body: JSON.stringify({ text: '['.repeat(500) }), want: { text: '['.repeat(500) } },
		{ body: JSON.stringify({ text: `"\\${'{'.repeat(500)}` }), want: { text: `"\\${'{'.repeat(500)}` } },
		{ body: '{"constructor":"x","prototype":{},"proto":1}', want: { constructor: 'x', prototype: {}, proto: 1 } },
		{ body: '{"constructor":{"name":"x"}}', want: { constructor: { name: 'x' } } },
	])('parseJsonBody reads $body', ({ body, want }) => {
		expect(parseJsonBody(bytes(body))).toEqual(want);
	});

	it.each([
		{ why: 'nothing', body: bytes(''), want: 'empty' },
		{ why: 'a blank', body: bytes(' '), want: 'not JSON' },
		{ why: 'half of it', body: bytes('{"a":'), want: 'not JSON' },
		{ why: 'two of it', body: bytes('{}{}'), want: 'not JSON' },
		{ why: 'a comma too many', body: bytes('[1,]'), want: 'not JSON' },
		{ why: 'NaN', body: bytes('NaN'), want: 'not JSON' },
		{ why: '65 levels', body: bytes(nested(65)), want: 'deeper than 64 levels' },
		{ why: '100,000 levels of objects', body: bytes('{"a":'.repeat(100_000)), want: 'deeper than 64 levels' },
		{ why: 'bytes that are not UTF-8', body: Buffer.from([0x22, 0xff, 0x22]), want: 'not UTF-8' },
		{ why: 'UTF-16', body: Buffer.from('\ufeff{}', 'utf16le'), want: 'not UTF-8' },
		{ why: 'a character cut in half', body: Buffer.from([0x22, 0xe2, 0x82, 0x22]), want: 'not UTF-8' },
	])('parseJsonBody rejects $why', ({ body, want }) => {
		expect(problemOf(body)).toMatch(new RegExp(`^REQUEST_INVALID: .*${want}`));
	});

	it('an error of parseJsonBody does not quote the body', () => {
		expect(problemOf(bytes('s3cret'))).not.toContain('s3cret');
	});

	it('parseJsonBody reverses JSON.stringify', () => {
		fc.assert(
			fc.property(fc.jsonValue({ depthSize: 'medium' }), (value) => {
				const text = JSON.stringify(value);
				expect(JSON.stringify(parseJsonBody(bytes(text)))).toBe(text);
			}),
		);
	});
});
