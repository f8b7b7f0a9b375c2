import { getEventListeners } from 'node:events';
import { expect } from 'vitest';
import { acquire, expectContended, rejection } from '../../any-lock/answers.ts';
import { eventually } from '../../patience.ts';
import type { Rule } from '../../rule.ts';
import type { LeaseStage } from '../lease-stage.ts';

const KEYS = 200;

export const L20: Rule<LeaseStage> = {
	id: 'L20',
	title: 'memory per key is gone with its last waiter and holder, except the observation of a Lease that exists',
	checks: [
		{
			title: 'keys that were used leave no slot, no observation and no timer',
			async run(stage) {
				const pod = stage.pod();
				await stage.watch(pod);
				const keys = Array.from({ length: KEYS }, () => stage.key());
				await Promise.all(
					keys.flatMap((key) => [0, 1].map(() => pod.lock.withLock(key, async () => pod.lock.activeKeys))),
				);
				await eventually(() => expect(pod.lock.activeKeys).toBe(0));
				// A lease that comes last is seen last: by then, all the others have come and gone.
				const last = stage.key();
				const held = await acquire(pod, last);
				await eventually(() => expect(pod.lock.observations.size).toBe(1));
				await pod.lock.release(held);
				await eventually(() => expect(pod.lock.observations.size).toBe(0));
				expect(pod.clock.pending).toBe(0);
			},
		},
		{
			title: 'callers that were contended, failed or aborted leave no slot and no timer',
			async run(stage) {
				const [holder, pod] = [stage.pod(), stage.pod()];
				const key = stage.key();
				await acquire(holder, key);
				await expectContended(pod, key);
				await pod.lock.withLock(key, async () => {});
				pod.client.fail('create', stage.fault('forbidden'));
				await rejection(pod.lock.tryAcquire(key));
				const caller = new AbortController();
				const other = stage.key();
				const held = await acquire(pod, other);
				const leaving = pod.lock.withLock(other, async () => {}, { signal: caller.signal });
				caller.abort(new Error('the caller left'));
				expect(await rejection(leaving)).toMatchObject({ message: expect.stringContaining('the caller left') });
				await pod.lock.release(held);
				expect(pod.lock.activeKeys).toBe(0);
				expect(pod.clock.pending).toBe(0);
			},
		},
		{
			title: 'a signal that outlives its calls keeps no listener',
			async run(stage) {
				const [holder, pod] = [stage.pod(), stage.pod()];
				const { signal } = new AbortController();
				const [free, taken] = [stage.key(), stage.key()];
				await acquire(holder, taken);
				await Promise.all([0, 1, 2].map(() => pod.lock.withLock(free, async () => {}, { signal })));
				await pod.lock.withLock(taken, async () => {}, { signal });
				pod.client.fail('create', stage.fault('forbidden'));
				await rejection(pod.lock.withLock(stage.key(), async () => {}, { signal }));
				await eventually(() => expect(pod.lock.activeKeys).toBe(0));
				expect(getEventListeners(signal, 'abort')).toEqual([]);
			},
		},
		{
			title: 'attempts that were given up leave no slot and no timer once they are settled',
			async run(stage) {
				const pod = stage.pod();
				for (let round = 0; round < 5; round++) {
					pod.client.fail('create', stage.fault('timeout'));
					await rejection(pod.lock.tryAcquire(stage.key()));
				}
				expect(pod.lock.activeKeys).toBe(0);
				await stage.time.advance(10_000);
				expect(pod.clock.pending).toBe(0);
			},
		},
		{
			title: 'the observation of a Lease stays as long as the Lease, and no longer',
			async run(stage) {
				const pod = stage.pod();
				const key = stage.key();
				const name = pod.lock.leaseName(key);
				const dead = { holderIdentity: 'dead_1', leaseDurationSeconds: 30 };
				await stage.watch(pod);
				await stage.plant(name, dead, { 'kubernaut.ai/lock': stage.site.app });
				await eventually(() => expect(pod.lock.observations.size).toBe(1));
				for (let seconds = 0; seconds < 30; seconds += 10) {
					await expectContended(pod, key);
					expect(pod.lock.activeKeys).toBe(0);
					expect(pod.lock.observations.size).toBe(1);
					await stage.time.advance(10_000);
				}
				await stage.remove(name);
				await eventually(() => expect(pod.lock.observations.size).toBe(0));
			},
		},
		{
			title: 'without a watch, the sweep removes observations of Leases that are gone',
			async run(stage) {
				const [holder, pod] = [stage.pod(), stage.pod()];
				const key = stage.key();
				pod.lock.start();
				const held = await acquire(holder, key);
				await expectContended(pod, key);
				await holder.lock.release(held);
				await stage.time.advance(180_000);
				expect(pod.lock.observations.size).toBe(0);
			},
		},
	],
};
