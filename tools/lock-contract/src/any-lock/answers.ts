// Asking a lock so that a wrong answer fails the check by an assertion, also when the lock throws.
import { expect } from 'vitest';
import type { AnyHeld } from './lock-port.ts';
import type { LockPod } from './lock-stage.ts';

type Asked<A> = { readonly name: string; readonly lock: { tryAcquire(key: string): Promise<A> } };
type Acquired<H> = { readonly outcome: 'acquired'; readonly held: H };
type Contended = { readonly outcome: 'contended'; readonly holder: string; readonly retryAfterMs: number };

export async function acquire<H extends AnyHeld>(pod: Asked<Acquired<H> | Contended>, key: string): Promise<H> {
	const acquisition = await answerTo(pod, key);
	if (acquisition.outcome !== 'acquired')
		return expect.fail(`${pod.name} did not get ${key}: ${acquisition.holder} holds it`);
	return acquisition.held;
}

/** Returns `retryAfterMs`. */
export async function expectContended(
	pod: Asked<Acquired<AnyHeld> | Contended>,
	key: string,
	holder?: string,
): Promise<number> {
	const acquisition = await answerTo(pod, key);
	if (acquisition.outcome !== 'contended') return expect.fail(`${pod.name} got ${key}, which another holds`);
	if (holder !== undefined) expect(acquisition.holder).toBe(holder);
	return acquisition.retryAfterMs;
}

/** Where the check made no fault, an exception is a wrong answer like any other. */
export function answerTo<A>(pod: Asked<A>, key: string): Promise<A> {
	return pod.lock
		.tryAcquire(key)
		.catch((error: unknown) => expect.fail(`${pod.name} asked for ${key}, and it threw: ${String(error)}`));
}

/** Calls `withLock` of a lock that has it. */
export function withLock<T>({ lock }: LockPod, key: string, run: (held: AnyHeld) => Promise<T>) {
	return lock.withLock === undefined
		? expect.fail('the lock has no withLock, and does not waive it')
		: lock.withLock(key, run);
}

/**
 * The error that it rejects with. Not `expect(…).rejects`: of tests that run at once, vitest books the outcome on the one
 * that began last.
 */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
	try {
		await promise;
	} catch (error) {
		return error;
	}
	return expect.fail('it resolved, and should have been rejected');
}

/** Its value; a rejection is the lock's mistake, not an accident. */
export async function success<T>(promise: Promise<T>): Promise<T> {
	try {
		return await promise;
	} catch (error) {
		return expect.fail(`it was rejected, and should have resolved: ${String(error)}`);
	}
}
