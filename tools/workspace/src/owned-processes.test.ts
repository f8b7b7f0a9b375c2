import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	utimesSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
	createOwnedDirectory,
	keepOwned,
	logFile,
	ownerOf,
	recordedProcesses,
	startOwnedProcess,
	stopOwned,
	sweepOwned,
	watchOver,
} from './owned-processes.ts';
import { isAlive, ownIdentity, type ProcessIdentity, startTimeOf } from './process-identity.mjs';

vi.setConfig({ testTimeout: 30_000 }); // real processes, on a machine that may be busy

const MODULE = new URL('./owned-processes.ts', import.meta.url).href;
const SLEEP = ['sleep', '1000'] as const;
const SOON = { timeout: 8_000, interval: 10 };

let parent: string;
const started: ProcessIdentity[] = [];
beforeEach(() => {
	parent = mkdtempSync(join(tmpdir(), 'owned-processes-'));
});
afterEach(() => {
	for (const identity of started.splice(0)) if (isAlive(identity)) process.kill(identity.pid, 'SIGKILL');
	rmSync(parent, { recursive: true, force: true });
});

/** Another process that owns a directory with two sleeping processes; `watched` has a watchdog over it. */
async function spawnOwner(options: {
	watched: boolean;
	andThen?: string;
}): Promise<{ owner: ChildProcess; directory: string }> {
	const code = `
		import * as owned from ${JSON.stringify(MODULE)};
		const directory = owned.createOwnedDirectory(${JSON.stringify(parent)});
		${options.watched ? 'owned.watchOver(directory);' : ''}
		for (const name of ['first', 'second']) owned.startOwnedProcess(directory, name, ['sleep', '1000']);
		${options.andThen ?? ''}
		console.log(directory);
		setInterval(() => {}, 1000);`;
	const owner = spawn(process.execPath, ['--input-type=module', '--eval', code], {
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	const [line] = (await once(owner.stdout, 'data')) as [Buffer];
	const directory = String(line).trim();
	started.push(...recordedProcesses(directory));
	return { owner, directory };
}

async function kill(owner: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
	owner.kill(signal);
	await once(owner, 'exit');
}

function track(child: ChildProcess): ProcessIdentity {
	const identity = { pid: child.pid!, startedAt: startTimeOf(child.pid!)! };
	started.push(identity);
	return identity;
}

describe('when the owner ends', () => {
	it.each(['SIGKILL', 'SIGINT', 'SIGTERM'] as const)(
		'by %s, its processes end and its directory goes',
		async (signal) => {
			const { owner, directory } = await spawnOwner({ watched: true });
			const processes = recordedProcesses(directory);
			expect(processes.map(({ name }) => name)).toEqual(['first', 'second']);
			expect(processes.every(isAlive)).toBe(true);
			await kill(owner, signal);
			await expect.poll(() => existsSync(directory), SOON).toBe(false);
			expect(processes.some(isAlive)).toBe(false);
		},
	);

	it('and nobody watches, the next sweep clears what it left', async () => {
		const { owner, directory } = await spawnOwner({ watched: false });
		const processes = recordedProcesses(directory);
		expect(await sweepOwned(parent)).toEqual([]); // it lives
		await kill(owner);
		expect(processes.every(isAlive)).toBe(true);
		expect(await sweepOwned(parent)).toEqual([directory]);
		expect(processes.some(isAlive)).toBe(false);
		expect(readdirSync(parent)).toEqual([]);
	});

	it('two sweeps at once do not trip over each other', async () => {
		const { owner, directory } = await spawnOwner({ watched: false });
		await kill(owner);
		await Promise.all([sweepOwned(parent), sweepOwned(parent), stopOwned(directory)]);
		expect(readdirSync(parent)).toEqual([]);
	});

	it('what it keeps stays, and neither watchdog nor sweep touch it', async () => {
		const { owner, directory } = await spawnOwner({ watched: true, andThen: 'owned.keepOwned(directory);' });
		await kill(owner);
		expect(await sweepOwned(parent, { ownerless: false })).toEqual([]);
		await new Promise((resolve) => setTimeout(resolve, 300)); // the watchdog's chance to be wrong
		expect(recordedProcesses(directory).every(isAlive)).toBe(true);
		await stopOwned(directory);
		expect(existsSync(directory)).toBe(false);
	});

	it('a directory that somebody else has made anew under its name stays', async () => {
		const { owner, directory } = await spawnOwner({ watched: true });
		await stopOwned(directory);
		createOwnedDirectory(parent, basename(directory));
		await kill(owner);
		await new Promise((resolve) => setTimeout(resolve, 300)); // the watchdog's chance to be wrong
		expect(ownerOf(directory)).toEqual(ownIdentity());
	});

	it('a record that is cut off does not keep the others from ending', async () => {
		const { owner, directory } = await spawnOwner({ watched: false });
		const processes = recordedProcesses(directory);
		writeFileSync(join(directory, 'processes', '000009-half.json'), '{"name":"ha');
		await kill(owner);
		await sweepOwned(parent);
		expect(processes.some(isAlive)).toBe(false);
		expect(readdirSync(parent)).toEqual([]);
	});
});

describe('sweeping', () => {
	it.each([
		{ what: 'an old directory without an owner goes', ageS: 120, ownerless: true, wantLeft: 0 },
		{ what: 'a young one may be in the making and stays', ageS: 0, ownerless: true, wantLeft: 1 },
		{ what: 'where the ownerless are kept, an old one stays', ageS: 120, ownerless: false, wantLeft: 1 },
	])('$what', async ({ ageS, ownerless, wantLeft }) => {
		const directory = join(parent, 'made');
		mkdirSync(directory);
		const then = Date.now() / 1000 - ageS;
		utimesSync(directory, then, then);
		await sweepOwned(parent, { ownerless });
		expect(readdirSync(parent)).toHaveLength(wantLeft);
	});

	it('of a parent that is not there is no error', async () => {
		expect(await sweepOwned(join(parent, 'nowhere'))).toEqual([]);
	});
});

describe('stopping', () => {
	it('ends the last started first', async () => {
		const directory = createOwnedDirectory(parent);
		const order = join(parent, 'order');
		for (const name of ['a', 'b', 'c']) {
			const script = `trap 'echo ${name} >> ${order}; exit' TERM; echo ready; while :; do sleep 0.02; done`;
			const child = startOwnedProcess(directory, name, ['sh', '-c', script]);
			track(child);
			await expect.poll(() => readFileSync(logFile(directory, name), 'utf8'), SOON).toContain('ready');
		}
		await stopOwned(directory);
		expect(readFileSync(order, 'utf8')).toBe('c\nb\na\n');
	});

	it('kills what does not end in time', async () => {
		const directory = createOwnedDirectory(parent);
		const script = `trap '' TERM; echo ready; while :; do sleep 0.02; done`;
		const identity = track(startOwnedProcess(directory, 'stubborn', ['sh', '-c', script]));
		await expect.poll(() => readFileSync(logFile(directory, 'stubborn'), 'utf8'), SOON).toContain('ready');
		await stopOwned(directory, 50);
		expect(isAlive(identity)).toBe(false);
	});

	it('ends also a child that outlives its parent of the same group', async () => {
		const directory = createOwnedDirectory(parent);
		const script = `sh -c "trap '' TERM; while :; do sleep 0.02; done" & echo $!; wait`;
		track(startOwnedProcess(directory, 'parent', ['sh', '-c', script]));
		await expect.poll(() => readFileSync(logFile(directory, 'parent'), 'utf8'), SOON).toMatch(/\d+\n/);
		const pid = Number(readFileSync(logFile(directory, 'parent'), 'utf8'));
		const child = { pid, startedAt: startTimeOf(pid)! };
		started.push(child);
		await new Promise((resolve) => setTimeout(resolve, 100)); // until it ignores the signal
		await stopOwned(directory);
		await expect.poll(() => isAlive(child), SOON).toBe(false);
	});

	it('never signals a process that only has the recorded pid', async () => {
		const directory = createOwnedDirectory(parent);
		const stranger = track(spawn(SLEEP[0], [SLEEP[1]], { detached: true }));
		const record = { name: 'gone', pid: stranger.pid, startedAt: 'earlier' };
		writeFileSync(join(directory, 'processes', '000000-gone.json'), JSON.stringify(record));
		await stopOwned(directory);
		expect(isAlive(stranger)).toBe(true);
		expect(existsSync(directory)).toBe(false);
	});

	it('twice is stopping once', async () => {
		const directory = createOwnedDirectory(parent);
		const watchdog = watchOver(directory);
		await stopOwned(directory);
		await stopOwned(directory);
		watchdog.dismiss();
		watchdog.dismiss();
		expect(readdirSync(parent)).toEqual([]);
	});
});

describe('a directory', () => {
	it('belongs to the process that made it until it is kept', () => {
		const directory = createOwnedDirectory(parent, 'named');
		expect(directory).toBe(join(parent, 'named'));
		expect(ownerOf(directory)).toEqual(ownIdentity());
		keepOwned(directory);
		expect(ownerOf(directory)).toBeUndefined();
	});

	it('is not given twice', () => {
		createOwnedDirectory(parent, 'named');
		expect(() => createOwnedDirectory(parent, 'named')).toThrow('EEXIST');
	});
});

describe('a process', () => {
	it('writes to its log', async () => {
		const directory = createOwnedDirectory(parent);
		await once(startOwnedProcess(directory, 'talker', ['sh', '-c', 'echo out; echo err >&2']), 'exit');
		expect(readFileSync(logFile(directory, 'talker'), 'utf8')).toBe('out\nerr\n');
	});

	it('leaves no file of ours open', async () => {
		const directory = createOwnedDirectory(parent);
		const count = 40;
		const before = readdirSync('/dev/fd').length;
		for (let i = 0; i < count; i++) await once(startOwnedProcess(directory, `p${i}`, ['true']), 'exit');
		expect(readdirSync('/dev/fd').length).toBeLessThan(before + count / 2);
	});

	it('is not started in a directory that is gone', async () => {
		const directory = createOwnedDirectory(parent);
		await stopOwned(directory);
		const mark = join(parent, 'mark');
		const script = `sleep 0.2; touch ${mark}`;
		expect(() => startOwnedProcess(directory, 'late', ['sh', '-c', script])).toThrow('ENOENT');
		expect(() => startOwnedProcess(directory, 'late', ['sh', '-c', script], { output: 'pipe' })).toThrow('ENOENT');
		await new Promise((resolve) => setTimeout(resolve, 300));
		expect(existsSync(mark)).toBe(false);
	});
});
