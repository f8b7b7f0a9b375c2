import { describe, expect, it } from 'vitest';
import { linesOf } from './byte-lines.ts';

async function* chunks(...parts: (string | Buffer)[]): AsyncGenerator<Buffer> {
	for (const part of parts) yield Buffer.from(part);
}

async function all(...parts: (string | Buffer)[]): Promise<string[]> {
	const lines: string[] = [];
	for await (const line of linesOf(chunks(...parts))) lines.push(line);
	return lines;
}

describe('lines of bytes', () => {
	const umlaut = Buffer.from('ä');

	it.each<{ name: string; parts: (string | Buffer)[]; want: string[] }>([
		{ name: 'several lines in one chunk', parts: ['a\nbc\n'], want: ['a', 'bc'] },
		{ name: 'a line over several chunks', parts: ['a', 'b', 'c\nd\n'], want: ['abc', 'd'] },
		{ name: 'a newline at the start of a chunk', parts: ['a', '\nb', '\n'], want: ['a', 'b'] },
		{ name: 'an empty line', parts: ['\n\na\n'], want: ['', '', 'a'] },
		{ name: 'a rest without a newline', parts: ['a\nb'], want: ['a'] },
		{
			name: 'a character over two chunks',
			parts: ['<', umlaut.subarray(0, 1), umlaut.subarray(1), '>\n'],
			want: ['<ä>'],
		},
		{ name: 'nothing', parts: [], want: [] },
	])('$name', async ({ parts, want }) => {
		expect(await all(...parts)).toEqual(want);
	});

	it('a line of 2 MB in chunks of 64 kB is whole', async () => {
		const parts = Array.from({ length: 32 }, (_, i) => String(i % 10).repeat(65_536));
		expect(await all(...parts, '\n')).toEqual([parts.join('')]);
	});

	it('each arrival of bytes is reported, also inside a line', async () => {
		let arrivals = 0;
		for await (const _ of linesOf(chunks('a', 'b', '\n'), () => arrivals++));
		expect(arrivals).toBe(3);
	});
});
