// The door, `npm run <command>`, on a copy of itself in a repository that has nothing to set up.
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isAlive, startTimeOf } from './process-identity.mjs';

const PACKAGE = join(import.meta.dirname, '..');

let root: string;
beforeEach(() => {
	root = realpathSync(mkdtempSync(join(tmpdir(), 'run-')));
	cpSync(join(PACKAGE, 'run.mjs'), join(root, 'tools/workspace/run.mjs'));
	cpSync(join(PACKAGE, 'src'), join(root, 'tools/workspace/src'), { recursive: true });
	write('package.json', JSON.stringify({ packageManager: 'pnpm@1.2.3' }));
	write('cache/pnpm-1.2.3.path', join(root, 'pnpm'));
	write('pnpm/pnpm', '#!/bin/sh\n');
});
afterEach(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));

function write(path: string, text: string): void {
	mkdirSync(dirname(join(root, path)), { recursive: true });
	writeFileSync(join(root, path), text, { mode: 0o755 });
}

/** What `npm test` hands over to. */
function writeChecks(code: string): void {
	write('tools/checks/src/checks.ts', code);
}

type Run = { child: ChildProcess; output(): string; exited: Promise<number | NodeJS.Signals> };

function start(...args: string[]): Run {
	const child = spawn(process.execPath, [join(root, 'tools/workspace/run.mjs'), ...args], {
		cwd: tmpdir(),
		env: { ...process.env, KUBERNAUT_CACHE_DIR: join(root, 'cache') },
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	let output = '';
	for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
	const exited = new Promise<number | NodeJS.Signals>((resolve) =>
		child.once('close', (code, signal) => resolve(code ?? signal ?? 'SIGKILL')),
	);
	return { child, output: () => output, exited };
}

describe('the door', () => {
	it('hands over its arguments, from the root of the repository, and leaves with the answer', async () => {
		writeChecks(`console.log(process.cwd(), process.argv.slice(2).join()); process.exit(7);`);
		const run = start('test', '--filter=x', '--force');
		expect(await run.exited).toBe(7);
		expect(run.output()).toBe(`${root} --filter=x,--force\n`);
	});

	it.each([
		{ args: [], want: 0 },
		{ args: ['--help'], want: 0 },
		{ args: ['tset'], want: 2 },
	])('lists the commands when it is asked for $args', async ({ args, want }) => {
		const run = start(...args);
		expect(await run.exited).toBe(want);
		for (const name of ['test', 'demo', 'verify', 'control-plane'])
			expect(run.output()).toMatch(new RegExp(`^ {2}${name} `, 'm'));
		expect(run.output().includes('There is no command "tset"')).toBe(want === 2);
	});
});

describe('a command under way', () => {
	const ENDS_ON_SIGTERM = `
		import { writeFileSync } from 'node:fs';
		import { whenOrphaned } from '../../workspace/src/orphan.mjs';
		process.on('SIGTERM', () => process.exit(143));
		whenOrphaned(() => process.exit(1));
		writeFileSync('pid', String(process.pid));
		setInterval(() => {}, 1000);`;

	async function whenStarted(): Promise<{ pid: number; startedAt: string }> {
		await expect.poll(() => existsSync(join(root, 'pid')) && readFileSync(join(root, 'pid'), 'utf8')).toMatch(/^\d+$/);
		const pid = Number(readFileSync(join(root, 'pid'), 'utf8'));
		return { pid, startedAt: startTimeOf(pid) ?? '' };
	}

	it('gets the SIGTERM that the door gets', async () => {
		writeChecks(ENDS_ON_SIGTERM);
		const run = start('test');
		const command = await whenStarted();
		run.child.kill('SIGTERM');
		expect(await run.exited).toBe(143);
		expect(isAlive(command)).toBe(false);
	});

	it('notices when the door is killed, and ends', async () => {
		writeChecks(ENDS_ON_SIGTERM);
		const run = start('test');
		const command = await whenStarted();
		run.child.kill('SIGKILL');
		await expect.poll(() => isAlive(command)).toBe(false);
	});
});
