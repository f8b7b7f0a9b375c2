import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
	mkdtempSync,
	readdirSync,
	readFileSync,
	readlinkSync,
	rmSync,
	symlinkSync,
	unlinkSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { acquireFileLock, describeHolder, withFileLock } from './file-lock.mjs';
import { ownIdentity } from './process-identity.mjs';

const QUICK = { pollMs: 1 };
const LOCK_MODULE = new URL('./file-lock.mjs', import.meta.url).href;
// No process: no such pid, and no such start.
const DEAD = { pid: 2 ** 30, startedAt: 'never', nonce: 'dead' };

let directory: string;
let lock: string;
beforeEach(() => {
	directory = mkdtempSync(join(tmpdir(), 'file-lock-'));
	lock = join(directory, 'lock');
});
afterEach(() => rmSync(directory, { recursive: true }));

/** A process of its own that has `acquireFileLock`, `lock` and `directory`. */
function spawnContender(code: string): ChildProcess {
	const head = `
		import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
		import { acquireFileLock } from ${JSON.stringify(LOCK_MODULE)};
		const [directory, lock] = ${JSON.stringify([directory, lock])};`;
	const child = spawn(process.execPath, ['--input-type=module', '--eval', head + code], {
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	onTestFinished(() => void child.kill('SIGKILL'));
	return child;
}

// Adds one to the counter without any care: it comes out right only when no other process does the same.
const INCREMENT = `
	const counter = directory + '/counter';
	async function increment() {
		const release = await acquireFileLock(lock, { pollMs: 1 });
		try { writeFileSync(directory + '/inside', '', { flag: 'wx' }); }
		catch { appendFileSync(directory + '/violations', process.pid + ' found another inside\\n'); }
		const before = Number(readFileSync(counter, 'utf8'));
		await new Promise((resolve) => setTimeout(resolve, Math.random() * 2));
		writeFileSync(counter, String(before + 1));
		rmSync(directory + '/inside', { force: true });
		return release;
	}`;

describe('between processes', () => {
	it('lets one in at a time, and no update is lost', async () => {
		writeFileSync(join(directory, 'counter'), '0');
		const contenders = Array.from({ length: 6 }, () =>
			spawnContender(`${INCREMENT} for (let i = 0; i < 20; i++) (await increment())();`),
		);
		await Promise.all(contenders.map((child) => once(child, 'close')));
		expect(readFileSync(join(directory, 'counter'), 'utf8')).toBe('120');
		expect(readdirSync(directory)).toEqual(['counter']); // no violations, no lock, nothing that was on the way to one
	});

	it('lets one in at a time also while holders are killed and many want to take over', async () => {
		writeFileSync(join(directory, 'counter'), '0');
		const mortals = Array.from({ length: 8 }, () =>
			spawnContender(`${INCREMENT} await increment(); process.kill(process.pid, 'SIGKILL');`),
		);
		const others = Array.from({ length: 3 }, () =>
			spawnContender(`${INCREMENT} for (let i = 0; i < 20; i++) (await increment())();`),
		);
		await Promise.all([...mortals, ...others].map((child) => once(child, 'close')));
		await withFileLock(lock, async () => {}, QUICK); // the last one may have died with it
		expect(readFileSync(join(directory, 'counter'), 'utf8')).toBe('68');
		expect(readdirSync(directory)).toEqual(['counter']);
	});

	it('waits for a holder that lives, and takes over when it is killed', async () => {
		const holder = spawnContender(`await acquireFileLock(lock); console.log('in'); setInterval(() => {}, 1000);`);
		await once(holder.stdout!, 'data');
		const waitedFor: number[] = [];
		let inside = false;
		const acquired = acquireFileLock(lock, { ...QUICK, onWait: ({ pid }) => void waitedFor.push(pid) }).then(
			(release) => {
				inside = true;
				return release;
			},
		);
		await expect.poll(() => waitedFor).toEqual([holder.pid]);
		expect(inside).toBe(false);
		holder.kill('SIGKILL');
		(await acquired)();
		expect(waitedFor).toEqual([holder.pid]);
		expect(readdirSync(directory)).toEqual([]);
	});
});

describe('in one process', () => {
	it('excludes two tasks of the same process as well', async () => {
		const order: string[] = [];
		const task = (name: string) =>
			withFileLock(
				lock,
				async () => {
					order.push(`${name} in`);
					await new Promise((resolve) => setTimeout(resolve, 5));
					order.push(`${name} out`);
				},
				QUICK,
			);
		await Promise.all([task('a'), task('b')]);
		expect(order).toEqual(['a in', 'a out', 'b in', 'b out']);
	});

	it('releases when the task fails, and passes the error on', async () => {
		const failing = withFileLock(lock, () => Promise.reject(new Error('task failed')));
		await expect(failing).rejects.toThrow('task failed');
		expect(readdirSync(directory)).toEqual([]);
	});

	it('makes the directories above it', async () => {
		const release = await acquireFileLock(join(directory, 'a', 'b', 'lock'));
		expect(readdirSync(join(directory, 'a', 'b'))).toEqual(['lock']);
		release();
	});

	it('ends the wait when aborted, and leaves the holder alone', async () => {
		const release = await acquireFileLock(lock);
		const held = readlinkSync(lock);
		const controller = new AbortController();
		const waiting = acquireFileLock(lock, { signal: controller.signal, onWait: () => controller.abort() });
		await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
		expect(readlinkSync(lock)).toBe(held);
		release();
	});
});

describe('a process that waits for the lock', () => {
	it('is called back when the wait begins, and when it ends with the lock', async () => {
		const release = await acquireFileLock(lock);
		const calls: string[] = [];
		const acquired = acquireFileLock(lock, {
			...QUICK,
			onWait: () => {
				calls.push('waiting');
				release();
				return () => void calls.push('over');
			},
		});
		(await acquired)();
		expect(calls).toEqual(['waiting', 'over']);
	});

	it('is called back when the wait ends without it', async () => {
		const release = await acquireFileLock(lock);
		const controller = new AbortController();
		let over = false;
		const onWait = () => {
			controller.abort();
			return () => void (over = true);
		};
		await expect(acquireFileLock(lock, { signal: controller.signal, onWait })).rejects.toThrow();
		expect(over).toBe(true);
		release();
	});
});

describe('a holder of another host or container', () => {
	const ELSEWHERE = { ...DEAD, place: 'another-host pid:[1]' };

	it('may live: its lock is waited for', async () => {
		symlinkSync(JSON.stringify(ELSEWHERE), lock);
		const controller = new AbortController();
		const waiting = acquireFileLock(lock, { signal: controller.signal, onWait: () => controller.abort() });
		await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
		expect(JSON.parse(readlinkSync(lock))).toEqual(ELSEWHERE);
	});

	it('is named with what to do when it does not', () => {
		expect(describeHolder(lock, ELSEWHERE)).toBe(
			`process ${DEAD.pid} of another host or container, another-host pid:[1]; if that is gone, remove ${lock}`,
		);
		expect(describeHolder(lock, DEAD)).toBe(`process ${DEAD.pid}`);
	});
});

describe('dead holders', () => {
	it.each([
		{ what: 'of a pid that no process has', holder: DEAD },
		{ what: 'of a pid that another process has now', holder: { ...DEAD, pid: process.pid } },
	])('takes over the lock $what', async ({ holder }) => {
		symlinkSync(JSON.stringify(holder), lock);
		const release = await acquireFileLock(lock);
		expect(JSON.parse(readlinkSync(lock))).toMatchObject(ownIdentity());
		release();
		expect(readdirSync(directory)).toEqual([]);
	});

	it('takes over also from a process that died while taking over', async () => {
		symlinkSync(JSON.stringify(DEAD), lock);
		symlinkSync(JSON.stringify({ ...DEAD, nonce: 'second' }), `${lock}.dead`);
		symlinkSync(JSON.stringify({ ...DEAD, nonce: 'third' }), `${lock}.dead.second`);
		(await acquireFileLock(lock))();
		expect(readdirSync(directory)).toEqual([]);
	});

	it('leaves a dead lock to the one that is taking it over right now', async () => {
		symlinkSync(JSON.stringify(DEAD), lock);
		symlinkSync(JSON.stringify({ ...ownIdentity(), nonce: 'other' }), `${lock}.dead`);
		const controller = new AbortController();
		const waiting = acquireFileLock(lock, { signal: controller.signal, onWait: () => controller.abort() });
		await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
		expect(JSON.parse(readlinkSync(lock))).toEqual(DEAD);
	});
});

it('release leaves the lock of a successor in place', async () => {
	const release = await acquireFileLock(lock);
	const successor = JSON.stringify({ ...ownIdentity(), nonce: 'successor' });
	unlinkSync(lock);
	symlinkSync(successor, lock);
	release();
	expect(readlinkSync(lock)).toBe(successor);
});

it('release twice is release once', async () => {
	const release = await acquireFileLock(lock);
	release();
	release();
	expect(readdirSync(directory)).toEqual([]);
});
