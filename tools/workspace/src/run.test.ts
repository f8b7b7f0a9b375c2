// The door, `npm run <command>`, on a copy of itself in a repository that has nothing to set up.
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { identityOf, isAlive, type ProcessIdentity } from './process-identity.mjs';

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

type Run = {
	child: ChildProcess;
	/** What the command says; on stderr, there may be words about a wait. */
	output(): string;
	errors(): string;
	exited: Promise<number | NodeJS.Signals>;
};

function start(args: string[], env: NodeJS.ProcessEnv = {}): Run {
	return follow(process.execPath, [join(root, 'tools/workspace/run.mjs'), ...args], env);
}

/** In a session of its own, away from the terminal that the tests may run in. */
function follow(program: string, args: string[], env: NodeJS.ProcessEnv): Run {
	const child = spawn(program, args, {
		cwd: tmpdir(),
		env: { ...process.env, KUBERNAUT_CACHE_DIR: join(root, 'cache'), ...env },
		stdio: ['ignore', 'pipe', 'pipe'],
		detached: true,
	});
	onTestFinished(() => void child.kill('SIGKILL'));
	let output = '';
	let errors = '';
	child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
	child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
	const exited = new Promise<number | NodeJS.Signals>((resolve) =>
		child.once('close', (code, signal) => resolve(code ?? signal ?? 'SIGKILL')),
	);
	return { child, output: () => output, errors: () => errors, exited };
}

describe('the door', () => {
	it('hands over its arguments, from the root of the repository, and leaves with the answer', async () => {
		writeChecks(`console.log(process.cwd(), process.argv.slice(2).join()); process.exit(7);`);
		const run = start(['test', '--filter=x', '--force']);
		expect(await run.exited).toBe(7);
		expect(run.output()).toBe(`${root} --filter=x,--force\n`);
	});

	it.each([
		{ args: [], want: 0 },
		{ args: ['--help'], want: 0 },
		{ args: ['tset'], want: 2 },
	])('lists the commands when it is asked for $args', async ({ args, want }) => {
		const run = start(args);
		expect(await run.exited).toBe(want);
		for (const name of ['test', 'demo', 'verify', 'control-plane'])
			expect(run.output()).toMatch(new RegExp(`^ {2}${name} `, 'm'));
		expect(run.errors().includes('There is no command "tset"')).toBe(want === 2);
	});

	it('takes a relative path in a setting from where the user is', async () => {
		writeChecks('console.log(process.env.KUBERNAUT_CACHE_DIR, process.env.KUBEBUILDER_ASSETS);');
		const run = start(['test'], { INIT_CWD: root, KUBERNAUT_CACHE_DIR: 'cache', KUBEBUILDER_ASSETS: 'bin' });
		expect(await run.exited).toBe(0);
		expect(run.output()).toBe(`${root}/cache ${root}/bin\n`);
	});

	it('says in a sentence that the cache directory cannot be used', async () => {
		const cache = join(root, 'package.json', 'cache'); // below a file
		const run = start(['test'], { KUBERNAUT_CACHE_DIR: cache });
		expect(await run.exited).toBe(1);
		expect(run.errors()).toMatch(
			/^\nThe cache directory .* cannot be used: ENOTDIR.* Set KUBERNAUT_CACHE_DIR to .*\n$/,
		);
		expect(run.errors()).toContain(cache);
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

	async function whenStarted(): Promise<ProcessIdentity> {
		await expect.poll(() => existsSync(join(root, 'pid')) && readFileSync(join(root, 'pid'), 'utf8')).toMatch(/^\d+$/);
		const command = identityOf(Number(readFileSync(join(root, 'pid'), 'utf8')))!;
		onTestFinished(() => {
			if (isAlive(command)) process.kill(command.pid, 'SIGKILL');
		});
		return command;
	}

	it('gets the SIGTERM that the door gets', async () => {
		writeChecks(ENDS_ON_SIGTERM);
		const run = start(['test']);
		const command = await whenStarted();
		run.child.kill('SIGTERM');
		expect(await run.exited).toBe(143);
		expect(isAlive(command)).toBe(false);
	});

	it('gets the SIGINT that only the door gets, and only the first: two would keep it from cleaning up', async () => {
		writeChecks(`
			process.on('SIGINT', () => console.log('interrupted'));
			${ENDS_ON_SIGTERM}`);
		const run = start(['test']);
		await whenStarted();
		run.child.kill('SIGINT');
		await expect.poll(() => run.output()).toBe('interrupted\n');
		run.child.kill('SIGINT');
		run.child.kill('SIGTERM');
		expect(await run.exited).toBe(143);
		expect(run.output()).toBe('interrupted\n');
	});

	it('notices when the door is killed, and ends', async () => {
		writeChecks(ENDS_ON_SIGTERM);
		const run = start(['test']);
		const command = await whenStarted();
		run.child.kill('SIGKILL');
		await expect.poll(() => isAlive(command)).toBe(false);
	});

	it('ends when npm is killed, though the shell between npm and the door stays', async () => {
		writeChecks(ENDS_ON_SIGTERM);
		const script = `sh -c '"$NODE" "$DOOR" test; :'; :`;
		const npm = follow('sh', ['-c', script], {
			npm_lifecycle_event: 'test',
			NODE: process.execPath,
			DOOR: join(root, 'tools/workspace/run.mjs'),
		});
		const command = await whenStarted();
		npm.child.kill('SIGKILL');
		await expect.poll(() => isAlive(command)).toBe(false);
	});
});
