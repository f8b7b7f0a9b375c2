// With small programs in the place of npx, pnpm and Node: what they get is the registry's business, what we make of
// their answers is ours.
import { type ChildProcess, spawn } from 'node:child_process';
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	realpathSync,
	rmSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { identityOf, isAlive } from './process-identity.mjs';

const MODULE = new URL('./set-up.mjs', import.meta.url).href;

let root: string;
let bin: string;
let pnpmDirectory: string;
beforeEach(() => {
	root = realpathSync(mkdtempSync(join(tmpdir(), 'set-up-')));
	bin = join(root, 'bin');
	pnpmDirectory = join(root, 'fetched');
	writeProgram('bin/npx', `echo fetched >> '${root}/log'; echo '${pnpmDirectory}/pnpm'`);
	writeProgram('fetched/pnpm', `echo "pnpm $@" >> '${root}/log'`);
});
afterEach(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));

function writeProgram(path: string, script: string): void {
	mkdirSync(dirname(join(root, path)), { recursive: true });
	writeFileSync(join(root, path), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

/** What was done since the last look. */
function log(): string[] {
	const path = join(root, 'log');
	const lines = existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : [];
	rmSync(path, { force: true });
	return lines;
}

type SetUp = { child: ChildProcess; errors(): string; result: Promise<Record<string, string>> };

function start({ before = '' } = {}): SetUp {
	const code = `
		${before}
		const { setUp } = await import(${JSON.stringify(MODULE)});
		console.log('RESULT ' + JSON.stringify(await setUp(${JSON.stringify(root)}, '1.2.3')));`;
	const env = { PATH: `${bin}:/usr/bin:/bin`, HOME: root, KUBERNAUT_CACHE_DIR: join(root, 'cache') };
	const child = spawn(process.execPath, ['--input-type=module', '--eval', code], {
		env,
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	onTestFinished(() => void child.kill('SIGKILL'));
	let output = '';
	let errors = '';
	child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
	child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
	const result = new Promise<Record<string, string>>((resolve) =>
		child.once('close', () => resolve(JSON.parse(/RESULT (.*)/.exec(output)?.[1] ?? '{}') as Record<string, string>)),
	);
	return { child, errors: () => errors, result };
}

describe('set-up', () => {
	it('gets pnpm, installs with it, and does not get it a second time', async () => {
		expect(await start().result).toEqual({ pnpmDirectory, node: process.execPath });
		expect(log()).toEqual(['fetched', 'pnpm install']);
		expect(await start().result).toEqual({ pnpmDirectory, node: process.execPath });
		expect(log()).toEqual(['pnpm install']);
	});

	it('gets pnpm again when npm’s cache was cleared', async () => {
		await start().result;
		log();
		const program = readFileSync(join(pnpmDirectory, 'pnpm'), 'utf8');
		rmSync(pnpmDirectory, { recursive: true });
		writeProgram('bin/npx', `mkdir '${pnpmDirectory}'; echo '${pnpmDirectory}/pnpm'; echo again >> '${root}/log'`);
		const { problem } = await start().result;
		expect(log()).toEqual(['again']);
		expect(problem).toContain('The dependencies could not be installed'); // this one brought no pnpm
		writeProgram('fetched/pnpm', program);
		expect(await start().result).toEqual({ pnpmDirectory, node: process.execPath });
	});

	it('twice at once: one sets up, the other says which process it waits for, and for how long', async () => {
		writeProgram(
			'bin/npx',
			`while [ ! -e '${root}/go-on' ]; do sleep 0.05; done; echo fetched >> '${root}/log'; echo '${pnpmDirectory}/pnpm'`,
		);
		const first = start();
		await expect.poll(() => existsSync(join(root, 'cache', 'locks'))).toBe(true);
		const second = start();
		await expect.poll(() => first.errors() + second.errors()).toContain('Waiting for the other set-up (');
		expect(first.errors() + second.errors()).toMatch(
			/^Another set-up is under way \(process \d+\); waiting for it\.$/m,
		);
		writeFileSync(join(root, 'go-on'), '');
		const want = { pnpmDirectory, node: process.execPath };
		expect(await Promise.all([first.result, second.result])).toEqual([want, want]);
		expect(log()).toEqual(['fetched', 'pnpm install', 'pnpm install']);
	});

	it.each(['SIGKILL', 'SIGINT'] as const)(
		'that gets %s halfway leaves no process at work, and the next set-up takes over its lock and releases it',
		async (signal) => {
			const pidFile = join(root, 'pid');
			writeProgram('bin/npx', `echo $$ > '${pidFile}'; exec sleep 600`);
			const interrupted = start();
			await expect.poll(() => existsSync(pidFile) && readFileSync(pidFile, 'utf8')).toMatch(/^\d+\n$/);
			const npx = identityOf(Number(readFileSync(pidFile, 'utf8')))!;
			onTestFinished(() => {
				if (isAlive(npx)) process.kill(npx.pid, 'SIGKILL');
			});
			interrupted.child.kill(signal);
			expect(await interrupted.result).toEqual({});
			await expect.poll(() => isAlive(npx)).toBe(false);
			writeProgram('bin/npx', `echo '${pnpmDirectory}/pnpm'`);
			expect(await start().result).toEqual({ pnpmDirectory, node: process.execPath });
			expect(readdirSync(join(root, 'cache', 'locks'))).toEqual([]);
		},
	);
});

describe('the problem says what is missing:', () => {
	it.each([
		{
			what: 'the registry does not answer',
			prepare: () => writeProgram('bin/npx', `echo 'npm error network'; exit 1`),
			want: /^npm error network\n\npnpm 1\.2\.3 could not be fetched\. npm must be on PATH and able to reach its registry/,
		},
		{
			what: 'the dependencies cannot be installed',
			prepare: () => writeProgram('fetched/pnpm', `echo 'ERR_PNPM_FETCH'; exit 1`),
			want: /^ERR_PNPM_FETCH\n\nThe dependencies could not be installed .* run this again when it does: what was fetched is kept\.$/,
		},
		{
			what: 'no Node that is new enough can be had',
			prepare: () => writeProgram('node_modules/.bin/node', 'echo v20.11.1'),
			want: /^The libraries need Node 22\.22 or later; .* Remove node_modules and run this again: .* install Node 22\.22 or later\.$/,
		},
		{
			what: 'the cache directory cannot be made',
			prepare: () => writeFileSync(join(root, 'cache'), 'a file in its place'),
			want: /^The cache directory .*\/cache cannot be used: E\w+: .* Set KUBERNAUT_CACHE_DIR to a directory that can be written/,
		},
	])('$what', async ({ prepare, want }) => {
		prepare();
		const { problem } = await start().result;
		expect(problem).toMatch(want);
	});

	it('its Node is too old even to begin', async () => {
		const before = `Object.defineProperty(process.versions, 'node', { value: '18.20.0' });`;
		expect(await start({ before }).result).toMatchObject({
			problem: expect.stringMatching(/^Node 20 or later is needed; .* Install a newer Node and run this again\.$/),
		});
		expect(log()).toEqual([]);
	});
});

it('a newer Node that came with the dependencies is used instead of the host’s', async () => {
	writeProgram('node_modules/.bin/node', 'echo v22.23.2');
	expect(await start().result).toMatchObject({ node: join(root, 'node_modules', '.bin', 'node') });
});
