// How to use the lock. docs/locks prints this file, and test/lease-lock-example.int.test.ts runs it.
import type { KubeClient } from '../kube/kube.ts';
import { SYSTEM_CLOCK } from '../process/clock.ts';
import { createLeaseClient } from './lease-client.ts';
import { type Held, LeaseLock } from './lease-lock.ts';
import type { LockObserver } from './lock-ports.ts';

/** In an app, distributed-lock.ts does this, and feeds the lock with the Lease watch. */
export function createExampleLock(kube: KubeClient, namespace: string, podName: string, observer: LockObserver) {
	const client = createLeaseClient(kube, namespace, 'example');
	return new LeaseLock({ prefix: 'example-lock-', podName }, client, SYSTEM_CLOCK, observer);
}

/** The watch ends the wait at a release; without it, a waiter polls. */
const MAX_WAIT_MS = 100;

/** Runs `work` when no other replica does for the same key, and gives up when `abort` says so. */
export async function runAlone<T>(
	lock: LeaseLock,
	key: string,
	work: (held: Held) => Promise<T>,
	abort: AbortSignal,
): Promise<T> {
	for (;;) {
		const result = await lock.withLock(key, work, { signal: abort });
		switch (result.outcome) {
			case 'ran':
				return result.value;
			case 'contended': // a value, not an error: result.holder has the lock
				await lock.waitForRelease(key, Math.min(result.retryAfterMs, MAX_WAIT_MS), abort);
		}
	}
}

/** Work under the lock. Reads may take long; a write is stamped, and sent only while the lock is held. */
export async function incrementUnderLock(
	held: Held,
	counter: { read(abort: AbortSignal): Promise<number>; write(value: number, fencingToken: bigint): Promise<void> },
): Promise<number> {
	const value = (await counter.read(held.signal)) + 1; // the signal aborts when the lock is lost
	held.assertHeld(); // throws LockLostError when the lock is lost, also after a stalled process
	await counter.write(value, held.fencingToken); // and the API server rejects a write that comes too late (ADR 3)
	return value;
}
