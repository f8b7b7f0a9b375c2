// One process at a time: for set-up and builds that share the cache directory.
// Guarantee: while its holder lives, no other process holds it; when the holder dies, however it dies, the next
// contender of the same host and pid namespace takes it. Whether a holder of another host or container lives cannot be
// seen from here: it is waited for, and if it died, the lock must be removed by hand (describeHolder says so).
// Not guaranteed: an order among those who wait.
// The lock is a symbolic link whose target is the holder in words: it appears with its content or not at all.
// Plain JavaScript without dependencies: it guards the very installation of the dependencies.
import { randomUUID } from 'node:crypto';
import { mkdirSync, readlinkSync, symlinkSync, unlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { codeOf } from './error-code.mjs';
import { isGone, isOfHere, ownIdentity } from './process-identity.mjs';

/** @typedef {import('./process-identity.mjs').ProcessIdentity & { nonce: string }} Holder */
/**
 * `onWait` is called once, with the first holder that is waited for; what it returns is called when the wait is over.
 * @typedef {{ onWait?: (holder: Holder) => (() => void) | void, pollMs?: number, signal?: AbortSignal }} FileLockOptions
 */

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
 * @param {FileLockOptions} [options]
 * @returns {Promise<() => void>} release
 */
export async function acquireFileLock(path, { onWait, pollMs = POLL_MS, signal } = {}) {
	mkdirSync(dirname(path), { recursive: true });
	const own = { ...ownIdentity(), nonce: randomUUID() };
	signal?.throwIfAborted();
	let holder = tryAcquire(path, own);
	if (holder !== undefined) {
		const onWaited = onWait?.(holder);
		try {
			while (holder !== undefined) {
				await delay(pollMs, undefined, signal ? { signal } : {});
				holder = tryAcquire(path, own);
			}
		} finally {
			onWaited?.();
		}
	}
	return () => removeOf(path, own);
}

/**
 * For people who wait for it.
 * @param {string} path
 * @param {Holder} holder
 */
export function describeHolder(path, holder) {
	if (isOfHere(holder)) return `process ${holder.pid}`;
	return `process ${holder.pid} of another host or container, ${holder.place}; if that is gone, remove ${path}`;
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
		if (!isGone(holder) || !tryRemoveDead(path, holder, own)) return holder;
	}
}

/**
 * Removing a dead holder's lock must not remove a lock that was taken a moment ago. So the right to remove it
 * is a lock too, named after that one holder; under it no other process removes, and a second look is final. A process that dies
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
 * The lock of this holder, of no other.
 * @param {string} path
 * @param {Holder} holder
 */
function removeOf(path, holder) {
	if (read(path)?.nonce === holder.nonce) unlinkSync(path);
}
