import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { ManualClock } from '@kubernaut/testkit/manual-clock';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createLogger, LogOutput, MAX_BYTES } from './logger.ts';

function logged(write: (log: ReturnType<typeof createLogger>) => void): Record<string, unknown>[] {
	let text = '';
	const log = createLogger('info', 'pod-0', undefined, (bytes) => {
		text += Buffer.from(bytes).toString();
		return bytes.length;
	});
	write(log);
	log.error('this writes all lines at once');
	const lines = text.trim().split('\n');
	return lines.slice(0, -1).map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('createLogger', () => {
	it('writes lines of JSON with app, pod, level name and an ISO time', () => {
		const [line] = logged((log) => log.info({ key: 'x' }, 'acquired'));
		expect(line).toMatchObject({ level: 'info', pod: 'pod-0', key: 'x', msg: 'acquired' });
		expect(line?.['app']).toEqual(expect.any(String));
		expect(new Date(String(line?.['time'])).toISOString()).toBe(line?.['time']);
	});

	it.each([
		{ token: 's3cret' },
		{ password: 's3cret' },
		{ authorization: 'Bearer s3cret' },
		{ headers: { authorization: 'Bearer s3cret' } },
		{ req: { headers: { authorization: 'Bearer s3cret' } } },
		{ user: { token: 's3cret' } },
	])('redacts the secret of %o', (fields) => {
		const text = JSON.stringify(logged((log) => log.info(fields, 'x')));
		expect(text).not.toContain('s3cret');
		expect(text).toContain('[redacted]');
	});

	it('leaves out lines below its level', () => {
		expect(logged((log) => log.debug('x'))).toEqual([]);
	});
});

function scriptOf(code: string): string {
	return `
		import { createLogger } from ${JSON.stringify(new URL('logger.ts', import.meta.url).href)};
		const log = createLogger('info', 'pod-0');
		${code}`;
}

/** The messages that arrive from a process that runs this code, and its exit code or signal. */
async function outputOf(
	code: string,
	onLine: (child: ChildProcessByStdio<Writable, Readable, null>) => void = () => {},
) {
	const child = spawn(process.execPath, ['--input-type=module', '--eval', scriptOf(code)], {
		stdio: ['pipe', 'pipe', 'inherit'],
	});
	onTestFinished(() => void child.kill('SIGKILL'));
	const messages: string[] = [];
	createInterface({ input: child.stdout }).on('line', (line) => {
		messages.push((JSON.parse(line) as { msg: string }).msg);
		onLine(child);
	});
	const [exitCode, signal] = (await once(child, 'close')) as [number | null, string | null];
	return { end: exitCode ?? signal, messages };
}

const KILL = `process.kill(process.pid, 'SIGKILL');`;

describe('lines on the standard output', () => {
	it('wait for one another', async () => {
		expect(await outputOf(`log.info('one'); ${KILL}`)).toEqual({ end: 'SIGKILL', messages: [] });
	});

	it.each(['warn', 'error'])('are written at once with a line of level %s', async (level) => {
		expect(await outputOf(`log.info('one'); log.${level}('two'); ${KILL}`)).toEqual({
			end: 'SIGKILL',
			messages: ['one', 'two'],
		});
	});

	it('are written after a moment without any further line', async () => {
		const staysAlive = `log.info('one'); setInterval(() => {}, 1000);`;
		const want = { end: 'SIGKILL', messages: ['one'] };
		expect(await outputOf(staysAlive, (child) => child.kill('SIGKILL'))).toEqual(want);
	});

	it('are written when the process ends by itself, and do not keep it from ending', async () => {
		expect(await outputOf(`log.info('one');`)).toEqual({ end: 0, messages: ['one'] });
	});

	it('are written when the process exits, however many and long they are', async () => {
		const long = `log.info({ text: 'x'.repeat(50_000) }, 'long');`;
		const { end, messages } = await outputOf(
			`for (let i = 0; i < 1000; i++) log.info('line ' + i); ${long} log.info('last'); process.exit(3);`,
		);
		expect({ end, count: messages.length, last: messages.slice(-2) }).toEqual({
			end: 3,
			count: 1002,
			last: ['long', 'last'],
		});
	});

	it('are added to a file, whatever it holds', async () => {
		const directory = mkdtempSync(join(tmpdir(), 'log-'));
		onTestFinished(() => rmSync(directory, { recursive: true }));
		const file = join(directory, 'log');
		writeFileSync(file, 'before\n');
		const descriptor = openSync(file, 'a');
		const child = spawn(process.execPath, ['--input-type=module', '--eval', scriptOf(`log.info('one');`)], {
			stdio: ['ignore', descriptor, 'inherit'],
		});
		expect(await once(child, 'exit')).toEqual([0, null]);
		closeSync(descriptor);
		expect(readFileSync(file, 'utf8')).toMatch(/^before\n\{.*"msg":"one"\}\n$/);
	});

	it('are dropped when the pipe is closed, and the process goes on and ends in order', async () => {
		const code = `
			log.warn('one');
			process.stdin.resume().on('end', () => {
				for (let i = 0; i < 1000; i++) log.info('line ' + i);
				log.error('unread');
				setTimeout(() => { log.info('unread'); process.exit(3); }, 300); // longer than a periodic flush
			});`;
		const closeOutput = ({ stdout, stdin }: { stdout: Readable; stdin: Writable }) => {
			stdout.destroy();
			stdin.end();
		};
		expect(await outputOf(code, closeOutput)).toEqual({ end: 3, messages: ['one'] });
	});
});

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

describe('lines for a reader', () => {
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

describe('the end of the log', () => {
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
