import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createLogger } from './logger.ts';

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
