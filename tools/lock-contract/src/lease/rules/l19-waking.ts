import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { acquire } from '../../any-lock/answers.ts';
import { eventually, PATIENCE_MS, within } from '../../patience.ts';
import type { Rule } from '../../rule.ts';
import type { LeaseStage, Pod } from '../lease-stage.ts';
import type { ContractClock } from '../lock-modules.ts';

/** As callers do: try, wait for a release or for the next attempt, try again. */
async function runWhenFree(pod: Pod<ContractClock>, key: string, backoffMs: number): Promise<number> {
	for (;;) {
		const result = await pod.lock.withLock(key, async () => performance.now());
		if (result.outcome === 'ran') return result.value;
		await pod.lock.waitForRelease(key, backoffMs);
	}
}

// Two round trips take a few ms; a machine under load takes longer, but never as long as the backoff.
const LONG_BACKOFF_MS = 2 * PATIENCE_MS;

export const L19: Rule<LeaseStage> = {
	id: 'L19',
	title: 'a waiter runs within about two API round trips of a release (watch); without a watch, by backoff',
	checks: [
		{
			title: 'with a watch, a release wakes the waiter, and one create later it runs',
			async run(stage) {
				const [holder, waiter] = [stage.podInRealTime(), stage.podInRealTime()];
				const key = stage.key();
				await stage.watch(waiter);
				const held = await acquire(holder, key);
				const ran = runWhenFree(waiter, key, LONG_BACKOFF_MS);
				await eventually(() => expect(waiter.observer.count('contended')).toBe(1));
				await delay(50); // it waits, or is about to
				const before = waiter.client.calls.length;
				const releasedAt = performance.now();
				await holder.lock.release(held);
				const ranAt = await within('the waiter', ran);
				expect(ranAt - releasedAt).toBeLessThan(LONG_BACKOFF_MS);
				expect(waiter.client.verbs().slice(before, before + 1)).toEqual(['create']);
				expect(waiter.client.verbs().slice(before)).not.toContain('read');
			},
		},
		{
			title: 'without a watch, the next attempt of a waiter finds the key free',
			async run(stage) {
				const [holder, waiter] = [stage.podInRealTime(), stage.podInRealTime()];
				const key = stage.key();
				const held = await acquire(holder, key);
				const ran = runWhenFree(waiter, key, 50);
				await eventually(() => expect(waiter.observer.count('contended')).toBeGreaterThan(0));
				await holder.lock.release(held);
				await within('the waiter', ran);
			},
		},
		{
			title: 'waitForRelease ends when its time is up, or at once when the lease is known to be gone',
			async run(stage) {
				const [holder, waiter] = [stage.pod(), stage.pod()];
				const key = stage.key();
				await within('a wait for nothing', waiter.lock.waitForRelease(key, 1000));
				await acquire(holder, key);
				await waiter.lock.tryAcquire(key);
				let over = false;
				const waiting = waiter.lock.waitForRelease(key, 1000).then(() => {
					over = true;
				});
				await stage.time.advance(999);
				expect(over).toBe(false);
				await stage.time.advance(1);
				await within('the wait', waiting);
				expect(waiter.clock.pending).toBe(0);
			},
		},
		{
			title: 'a fresh list after a gap wakes the waiter of a lease that is gone',
			async run(stage) {
				const [holder, waiter] = [stage.pod(), stage.pod()];
				const key = stage.key();
				const held = await acquire(holder, key);
				await waiter.lock.tryAcquire(key);
				const waiting = waiter.lock.waitForRelease(key, 60_000);
				await holder.lock.release(held);
				waiter.lock.observations.replaceAll([], String(held.fencingToken + 1n));
				await within('the wait', waiting);
			},
		},
	],
};
