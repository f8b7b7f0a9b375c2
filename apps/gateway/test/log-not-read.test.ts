// A real process whose log is not read: it goes on, answers at once, and says in the end what is missing.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { openUnreadPipe, type UnreadPipe } from '@kubernaut/testkit/unread-pipe';
import { describe, expect, it, onTestFinished } from 'vitest';

const LINES = 5000;
const ANSWERED_WITHIN_MS = 1000;
const TRIES = 3;

const from = (file: string) => JSON.stringify(new URL(`../src/process/${file}`, import.meta.url).href);
/** Reports its port, and how many lines were dropped, on the standard error. */
const PROCESS = `
	import { createLogger } from ${from('logger.ts')};
	import { createHealthServer } from ${from('health-server.ts')};
	let dropped = 0;
	const log = createLogger('info', 'pod-0', () => dropped++);
	const health = createHealthServer({ checks: () => [] });
	const address = await health.listen({ host: '127.0.0.1', port: 0 });
	console.error(address);
	for (let i = 0; i < ${LINES}; i++) {
		log.info({ i, text: 'x'.repeat(200) }, 'line');
		if (i % 100 === 99) await new Promise((resolve) => setTimeout(resolve, 20));
	}
	process.on('SIGTERM', () => process.exit(0));
	console.error('dropped ' + dropped);`;

async function start(stdout: number | 'pipe'): Promise<{ child: ChildProcess; stderr: () => string }> {
	const child = spawn(process.execPath, ['--input-type=module', '--eval', PROCESS], {
		stdio: ['ignore', stdout, 'pipe'],
	});
	onTestFinished(() => void child.kill('SIGKILL'));
	let stderr = '';
	(child.stderr as Readable).on('data', (chunk: Buffer) => (stderr += chunk.toString()));
	await expect.poll(() => stderr).toMatch(/http:\S+\n/);
	return { child, stderr: () => stderr };
}

/** The slowest answer of /healthz until the process has written all its lines. */
async function slowestAnswerMs(stderr: () => string): Promise<number> {
	const address = /http:\S+/.exec(stderr())?.[0] ?? '';
	let slowest = 0;
	while (!stderr().includes('dropped')) {
		const startedAt = performance.now();
		expect((await fetch(`${address}/healthz`, { signal: AbortSignal.timeout(20_000) })).status).toBe(200);
		slowest = Math.max(slowest, performance.now() - startedAt);
		await delay(20);
	}
	return slowest;
}

/** The first of some processes that answered soon enough, else the last: a busy machine makes it worse, and never better. */
async function startedAndAsked<T extends { stderr: () => string }>(startOne: () => Promise<T>) {
	for (let tries = 1; ; tries++) {
		const started = await startOne();
		const slowestMs = await slowestAnswerMs(started.stderr);
		if (slowestMs < ANSWERED_WITHIN_MS || tries === TRIES) return { ...started, slowestMs };
	}
}

function expectWhole(text: string, stderr: string): void {
	const dropped = Number(/dropped (\d+)/.exec(stderr)?.[1]);
	const lines = text
		.trim()
		.split('\n')
		.map((line) => JSON.parse(line) as { msg: string; i?: number; lines?: number });
	const written = lines.filter(({ msg }) => msg === 'line').map(({ i }) => i);
	expect(dropped).toBeGreaterThan(0);
	expect(written).toEqual(Array.from({ length: LINES - dropped }, (_, i) => i));
	expect(lines.at(-1)).toMatchObject({ level: 'warn', msg: 'log lines dropped', lines: dropped });
}

describe('a process whose log is not read', () => {
	it('goes on when it is a pipe, and reports the lines that are missing when it is read again', async () => {
		const { pipe, stderr, slowestMs } = await startedAndAsked(async () => {
			const unread: UnreadPipe = await openUnreadPipe();
			onTestFinished(() => unread.close());
			return { pipe: unread, ...(await start(unread.writeEnd)) };
		});
		expect(slowestMs).toBeLessThan(ANSWERED_WITHIN_MS);
		expectWhole(await pipe.read((text) => text.includes('log lines dropped'), 20_000), stderr());
	});

	it('goes on when it is a socket, and reports the lines that are missing when it is read again', async () => {
		const { child, stderr, slowestMs } = await startedAndAsked(() => start('pipe'));
		expect(slowestMs).toBeLessThan(ANSWERED_WITHIN_MS);
		let text = '';
		(child.stdout as Readable).on('data', (chunk: Buffer) => (text += chunk.toString()));
		await expect.poll(() => text).toContain('log lines dropped');
		expectWhole(text, stderr());
	});

	it('ends soon after it is asked to', async () => {
		const pipe = await openUnreadPipe();
		onTestFinished(() => pipe.close());
		const { child, stderr } = await start(pipe.writeEnd);
		await slowestAnswerMs(stderr);
		child.kill('SIGTERM');
		const askedAt = performance.now();
		expect(await once(child, 'exit')).toEqual([0, null]);
		expect(performance.now() - askedAt).toBeLessThan(5000);
	});

	// The pipe may belong to others as well: a parent, or what a script runs next.
	it('does not change how others write to the same pipe', async () => {
		const pipe = await openUnreadPipe();
		onTestFinished(() => pipe.close());
		const { child } = await start(pipe.writeEnd);
		const flags = await flagsOf(child.pid ?? 0, 1);
		expect(flags & 0o4000).toBe(0); // O_NONBLOCK
	});
});

async function flagsOf(pid: number, descriptor: number): Promise<number> {
	const info = await readFile(`/proc/${pid}/fdinfo/${descriptor}`, 'utf8');
	return Number.parseInt(/flags:\s*(\d+)/.exec(info)?.[1] ?? '', 8);
}
