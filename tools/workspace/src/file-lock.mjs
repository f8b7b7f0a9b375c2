// One of several processes of this machine at a time: for set-up and builds that share the cache directory.
// Guarantee: while its holder lives, nobody else holds it; when the holder dies, however it dies, the next
// contender takes it. Not guaranteed: an order among those who wait, and anything between different machines or
// pid namespaces on one file system.
// The lock is a symbolic link whose target is the holder in words: it appears with its content or not at all.
// Plain JavaScript without dependencies: it guards the very installation of the dependencies.
import { randomUUID } from 'node:crypto';
import { mkdirSync, readlinkSync, symlinkSync, unlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isAlive, ownIdentity } from './process-identity.mjs';

/** @typedef {{ pid: number, startedAt: string, nonce: string }} Holder */
/** @typedef {{ onWait?: (holder: Holder) => void, pollMs?: number, signal?: AbortSignal }} FileLockOptions */

const POLL_MS = 200;

/**
 * @template T
 * @param {string} path
 * @param {() => Promise<T>} run
 * @param {FileLockOptions} [options]
 * @returns {Promise<T>}
 */
export async function withFileLock(path, run, options = {}) {
	const release = await acquireFileLock(path, options);
	try {
		return await run();
	} finally {
		release();
	}
}

/**
 * @param {string} path
 * @param {FileLockOptions} [options] `onWait` is called once, with the first holder that is waited for
 * @returns {Promise<() => void>} release
 */
export async function acquireFileLock(path, { onWait, pollMs = POLL_MS, signal } = {}) {
	mkdirSync(dirname(path), { recursive: true });
	const own = { ...ownIdentity(), nonce: randomUUID() };
	let told = false;
	for (;;) {
		signal?.throwIfAborted();
		const holder = tryAcquire(path, own);
		if (holder === undefined) return () => removeOf(path, own);
		if (!told) onWait?.(holder);
		told = true;
		await delay(pollMs, undefined, signal ? { signal } : {});
	}
}

/**
 * @param {string} path
 * @param {Holder} own
 * @returns {Holder | undefined} who holds it; undefined when we do
 */
function tryAcquire(path, own) {
	for (;;) {
		if (tryCreate(path, own)) return undefined;
		const holder = read(path);
		if (holder === undefined) continue; // released between the two calls
		if (isAlive(holder) || !tryRemoveDead(path, holder, own)) return holder;
	}
}

/**
 * Removing a dead holder's lock must not remove the lock of whoever took it a moment ago. So the right to remove it
 * is a lock too, named after that one holder; under it nobody else removes, and a second look is final. Whoever dies
 * in here leaves a dead lock of the same kind, which is removed in the same way.
 * @param {string} path
 * @param {Holder} dead
 * @param {Holder} own
 */
function tryRemoveDead(path, dead, own) {
	const right = `${path}.${dead.nonce}`;
	if (tryAcquire(right, own) !== undefined) return false;
	removeOf(path, dead);
	removeOf(right, own);
	return true;
}

/**
 * @param {string} path
 * @param {Holder} own
 */
function tryCreate(path, own) {
	try {
		symlinkSync(JSON.stringify(own), path);
		return true;
	} catch (error) {
		if (codeOf(error) === 'EEXIST') return false;
		throw error;
	}
}

/**
 * @param {string} path
 * @returns {Holder | undefined}
 */
function read(path) {
	try {
		return JSON.parse(readlinkSync(path));
	} catch (error) {
		if (codeOf(error) === 'ENOENT') return undefined;
		throw error;
	}
}

/**
 * The lock of this holder, nobody else's.
 * @param {string} path
 * @param {Holder} holder
 */
function removeOf(path, holder) {
	if (read(path)?.nonce === holder.nonce) unlinkSync(path);
}

/** @param {unknown} error */
function codeOf(error) {
	return error instanceof Error && 'code' in error ? error.code : undefined;
}
