import { ManualClock } from '@kubernaut/testkit/manual-clock';
import { describe, expect, it } from 'vitest';
import { LogOutput, MAX_BYTES } from './log-output.ts';

/** An output whose reader has room for so many bytes at a time. */
function anOutput() {
	const clock = new ManualClock();
	const reader = { room: Infinity as number | 'closed', text: '', writes: 0, dropped: 0 };
	const output = new LogOutput(
		(bytes) => {
			reader.writes++;
			if (reader.room === 'closed') return 'closed';
			if (reader.room === 0) return 'full';
			const taken = Math.min(reader.room, bytes.length);
			reader.text += Buffer.from(bytes.subarray(0, taken)).toString();
			reader.room -= taken;
			return taken;
		},
		{ lineDropped: () => reader.dropped++, readAgain: (lines) => output.write(`${lines} dropped\n`) },
		clock,
	);
	return { output, reader, clock };
}
/** A kilobyte with its newline. */
const kilobyte = (n: number) => `${String(n).padEnd(1023, '.')}\n`;
const fill = (output: LogOutput, lines: number) => {
	for (let n = 0; n < lines; n++) output.write(kilobyte(n));
};

describe('lines', () => {
	it('are written together, after a moment or at a flush', () => {
		const { output, reader, clock } = anOutput();
		output.write('a\n');
		output.write('b\n');
		expect(reader.writes).toBe(0);
		clock.advance(100);
		expect(reader).toMatchObject({ text: 'a\nb\n', writes: 1 });
		output.write('c\n');
		output.flush();
		expect(reader).toMatchObject({ text: 'a\nb\nc\n', writes: 2 });
		expect(clock.pending).toBe(0);
	});

	it('are written without a wait when there are many', () => {
		const { output, reader } = anOutput();
		fill(output, 4);
		expect(reader.text).toHaveLength(4096);
	});

	it('that are taken in part are continued where they stopped, in order', () => {
		const { output, reader, clock } = anOutput();
		reader.room = 3;
		output.write('first\n');
		output.flush();
		output.write('second\n');
		expect(reader.text).toBe('fir');
		reader.room = 5;
		clock.advance(10);
		expect(reader.text).toBe('first\nse');
		reader.room = Infinity;
		clock.advance(100);
		expect(reader.text).toBe('first\nsecond\n');
		expect(clock.pending).toBe(0);
	});

	it('are not offered with each further line to a reader that is behind', () => {
		const { output, reader, clock } = anOutput();
		reader.room = 0;
		fill(output, 500);
		output.flush();
		expect(reader.writes).toBe(1);
		clock.advance(1000);
		expect(reader.writes).toBeLessThanOrEqual(11);
	});

	it.each(['closed', 0] as const)('beyond the buffer are dropped and counted (%s), and none waits for ever', (room) => {
		const { output, reader, clock } = anOutput();
		reader.room = room;
		fill(output, 1500);
		expect(reader.dropped).toBe(1500 - MAX_BYTES / 1024);
		reader.room = Infinity;
		clock.advance(200);
		const lines = reader.text.trim().split('\n');
		expect(lines).toHaveLength(MAX_BYTES / 1024 + 1);
		expect(lines.at(-2)).toMatch(/^1023\./);
		expect(lines.at(-1)).toBe('476 dropped');
		output.write('next\n');
		clock.advance(100);
		expect(reader.text.endsWith('476 dropped\nnext\n')).toBe(true);
	});

	it('are taken again when half of the buffer is free, with the count of those in between', () => {
		const { output, reader, clock } = anOutput();
		reader.room = 0;
		fill(output, 1100);
		reader.room = MAX_BYTES / 2 + 1024;
		clock.advance(100);
		output.write('next\n');
		reader.room = Infinity;
		clock.advance(200);
		expect(reader.text.endsWith('\n76 dropped\nnext\n')).toBe(true);
	});
});

describe('the end', () => {
	it('writes all lines, and the count of those that were dropped', () => {
		const { output, reader } = anOutput();
		reader.room = 0;
		fill(output, 1026);
		output.write('never\n');
		reader.room = Infinity;
		output.end();
		expect(reader.text).toHaveLength(MAX_BYTES + '3 dropped\n'.length);
		expect(reader.text.endsWith('\n3 dropped\n')).toBe(true);
		const { output: small, reader: smallReader } = anOutput();
		small.write('a\n');
		small.end();
		expect(smallReader.text).toBe('a\n');
	});

	it.each([
		{ room: 0, why: 'full', atMostMs: 1000 },
		{ room: 'closed' as const, why: 'closed', atMostMs: 100 },
	])('does not wait long for a reader that is $why', ({ room, atMostMs }) => {
		const { output, reader } = anOutput();
		reader.room = room;
		output.write('a\n');
		const startedAt = performance.now();
		output.end();
		expect(performance.now() - startedAt).toBeLessThan(atMostMs);
	});
});
