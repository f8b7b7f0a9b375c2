import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	utimesSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
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
import { identityOf, isAlive, ownIdentity, type ProcessIdentity } from './process-identity.mjs';

const MODULE = new URL('./owned-processes.ts', import.meta.url).href;
const SLEEP = ['sleep', '1000'] as const;
const LOOP = 'while :; do sleep 0.02; done';
const DEAD = { pid: 2 ** 30, startedAt: 'never' };
const ELSEWHERE = { ...DEAD, place: 'another-host pid:[1]' };

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
	onTestFinished(() => void owner.kill('SIGKILL'));
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
	return trackPid(child.pid!);
}

function trackPid(pid: number): ProcessIdentity {
	const identity = identityOf(pid)!;
	started.push(identity);
	return identity;
}

/** How many run and have the text in their command line. */
function countNaming(text: string): number {
	const { stdout } = spawnSync('ps', ['-A', '-ww', '-o', 'args='], { encoding: 'utf8' });
	return stdout.split('\n').filter((line) => line.includes(text)).length;
}

/** From here on, the watchdog over the directory has decided what to do, and done it. */
async function killAndAwaitWatchdog(owner: ChildProcess, directory: string): Promise<void> {
	const watchdogs = () => countNaming(`watchdog.ts ${directory} `);
	await expect.poll(watchdogs).toBe(1);
	await kill(owner);
	await expect.poll(watchdogs).toBe(0);
}

function abandon(name: string): string {
	const directory = createOwnedDirectory(parent, name);
	writeFileSync(join(directory, 'owner.json'), JSON.stringify(DEAD));
	return directory;
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
			await expect.poll(() => existsSync(directory)).toBe(false);
			expect(processes.some(isAlive)).toBe(false);
		},
	);

	it('and there is no watchdog, the next sweep clears what it left', async () => {
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
		const { owner } = await spawnOwner({ watched: false });
		await kill(owner);
		for (let i = 0; i < 30; i++) {
			const directory = abandon(`abandoned-${i}`);
			for (let file = 0; file < 10; file++) writeFileSync(join(directory, `${file}.log`), '');
		}
		const code = `
			import { sweepOwned } from ${JSON.stringify(MODULE)};
			console.log('ready');
			process.stdin.once('data', () => sweepOwned(${JSON.stringify(parent)}).then(() => process.exit()));`;
		const sweepers = [1, 2].map(() => {
			const child = spawn(process.execPath, ['--input-type=module', '--eval', code]);
			onTestFinished(() => void child.kill('SIGKILL'));
			let errors = '';
			child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
			return {
				child,
				ready: once(child.stdout, 'data'),
				ended: once(child, 'close').then(([exit]) => ({ exit, errors })),
			};
		});
		await Promise.all(sweepers.map(({ ready }) => ready));
		for (const { child } of sweepers) child.stdin.write('go\n');
		for (const { ended } of sweepers) expect(await ended).toEqual({ exit: 0, errors: '' });
		expect(readdirSync(parent)).toEqual([]);
	});

	it('what it keeps stays, and neither watchdog nor sweep touch it', async () => {
		const { owner, directory } = await spawnOwner({ watched: true, andThen: 'owned.keepOwned(directory);' });
		await killAndAwaitWatchdog(owner, directory);
		expect(await sweepOwned(parent, { ownerless: false })).toEqual([]);
		expect(recordedProcesses(directory).map(isAlive)).toEqual([true, true]);
		await stopOwned(directory);
		expect(existsSync(directory)).toBe(false);
	});

	it('a directory that another owner has made anew under its name stays', async () => {
		const { owner, directory } = await spawnOwner({ watched: true });
		await stopOwned(directory);
		createOwnedDirectory(parent, basename(directory));
		await killAndAwaitWatchdog(owner, directory);
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

	it('names what it cannot clear, and goes on with the others', async () => {
		const unreadable = abandon('a');
		rmSync(join(unreadable, 'owner.json'));
		mkdirSync(join(unreadable, 'owner.json')); // unreadable, also for root
		const then = Date.now() / 1000 - 120;
		utimesSync(unreadable, then, then);
		const clear = abandon('b');
		const said = vi.spyOn(console, 'error').mockReturnValue();
		onTestFinished(() => said.mockRestore());
		expect(await sweepOwned(parent)).toEqual([clear]);
		expect(readdirSync(parent)).toEqual(['a']);
		expect(said.mock.calls).toEqual([
			[expect.stringMatching(/^\/.*\/a, left by .* \(EISDIR.*\)\. End what .* remove it\.$/)],
		]);
	});

	it('leaves alone what belongs to another host or container', async () => {
		const directory = abandon('elsewhere');
		writeFileSync(join(directory, 'owner.json'), JSON.stringify(ELSEWHERE));
		expect(await sweepOwned(parent)).toEqual([]);
		expect(existsSync(directory)).toBe(true);
	});
});

describe('stopping', () => {
	it('ends the last started first', async () => {
		const directory = createOwnedDirectory(parent);
		const order = join(parent, 'order');
		for (const name of ['a', 'b', 'c']) {
			const script = `trap 'echo ${name} >> "$0"; exit' TERM; echo ready; ${LOOP}`;
			const child = startOwnedProcess(directory, name, ['sh', '-c', script, order]);
			track(child);
			await expect.poll(() => readFileSync(logFile(directory, name), 'utf8')).toContain('ready');
		}
		await stopOwned(directory);
		expect(readFileSync(order, 'utf8')).toBe('c\nb\na\n');
	});

	it('ends what is being started meanwhile, and records nothing more', async () => {
		const directory = createOwnedDirectory(parent);
		const goOn = join(parent, 'go-on');
		const script = `trap 'echo stopping; while [ ! -e "$0" ]; do sleep 0.02; done; exit' TERM; echo ready; ${LOOP}`;
		track(startOwnedProcess(directory, 'slow', ['sh', '-c', script, goOn]));
		const log = () => readFileSync(logFile(directory, 'slow'), 'utf8');
		await expect.poll(log).toContain('ready');
		const stopped = stopOwned(directory);
		await expect.poll(log).toContain('stopping');
		const startLate = () => track(startOwnedProcess(directory, 'late', ['sh', '-c', LOOP, goOn]));
		expect(startLate).toThrow('ENOENT');
		writeFileSync(goOn, '');
		await stopped;
		await expect.poll(() => countNaming(goOn)).toBe(0);
		expect(existsSync(directory)).toBe(false);
	});

	it('that was interrupted is finished by the next one', async () => {
		const directory = createOwnedDirectory(parent);
		const identity = track(startOwnedProcess(directory, 'sleeper', SLEEP));
		renameSync(join(directory, 'processes'), join(directory, 'stopping'));
		await stopOwned(directory);
		expect(isAlive(identity)).toBe(false);
		expect(existsSync(directory)).toBe(false);
	});

	it('ends the others too when one cannot be ended, and keeps the directory', async () => {
		const directory = createOwnedDirectory(parent);
		const first = track(startOwnedProcess(directory, 'first', SLEEP));
		const second = track(startOwnedProcess(directory, 'second', SLEEP));
		const send = process.kill.bind(process);
		const refuse = vi.spyOn(process, 'kill').mockImplementation((pid, signal) => {
			if (pid === -second.pid) throw Object.assign(new Error('not permitted'), { code: 'EPERM' });
			return send(pid, signal);
		});
		onTestFinished(() => refuse.mockRestore());
		await expect(stopOwned(directory)).rejects.toThrow(`second: process ${second.pid} belongs to another user`);
		expect(isAlive(first)).toBe(false);
		expect(recordedProcesses(directory)).toHaveLength(2);
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

	it('is refused for what belongs to another host or container', async () => {
		const directory = createOwnedDirectory(parent);
		const record = { name: 'etcd', ...ELSEWHERE };
		writeFileSync(join(directory, 'processes', '000000-etcd.json'), JSON.stringify(record));
		await expect(stopOwned(directory)).rejects.toThrow('belongs to another host or container: another-host');
		expect(recordedProcesses(directory)).toEqual([record]);
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
		const late = ['sh', '-c', LOOP, directory] as const;
		for (const output of ['log', 'pipe'] as const)
			expect(() => track(startOwnedProcess(directory, 'late', late, { output }))).toThrow('ENOENT');
		await expect.poll(() => countNaming(directory)).toBe(0);
	});
});
