import { expect } from 'vitest';
import { acquire, refusal } from '../exam-room.ts';
import { within } from '../patience.ts';
import type { Rule } from '../rule.ts';

export const L18: Rule = {
	id: 'L18',
	title: 'shutdown: nothing new, running work finishes or aborts inside the grace period, leases are released',
	checks: [
		{
			title: 'nothing new is acquired, and the line is sent away',
			async run(room) {
				const pod = room.pod();
				const key = room.key();
				const held = await acquire(pod, key);
				const waiting = pod.lock.withLock(key, async () => {});
				const ending = pod.lock.shutdown(10_000);
				const { LockClosedError } = room.site.rooms.lock;
				expect(await refusal(within('the waiter', waiting))).toBeInstanceOf(LockClosedError);
				expect(await refusal(pod.lock.tryAcquire(room.key()))).toBeInstanceOf(LockClosedError);
				expect(await refusal(pod.lock.withLock(room.key(), async () => {}))).toBeInstanceOf(LockClosedError);
				await pod.lock.release(held);
				await room.time.advance(100);
				await within('the shutdown', ending);
				expect(pod.client.verbs()).toEqual(['create', 'remove']);
			},
		},
		{
			title: 'work that ends inside the grace period ends well, and its lease is gone when the shutdown is done',
			async run(room) {
				const pod = room.pod();
				const key = room.key();
				const [started, finish] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()];
				const running = pod.lock.withLock(key, async (held) => {
					started.resolve();
					const value = await finish.promise;
					held.assertHeld();
					return value;
				});
				await started.promise;
				const ending = pod.lock.shutdown(25_000);
				await room.time.advance(15_000); // one renewal in it: the lock is kept while work runs
				expect(pod.client.verbs()).toContain('replace');
				finish.resolve('done');
				expect(await running).toEqual({ outcome: 'ran', value: 'done' });
				await room.time.advance(100);
				await within('the shutdown', ending);
				expect(await room.leaseOf(pod, key)).toBeUndefined();
				expect(pod.clock.pending).toBe(0);
			},
		},
		{
			title: 'work that does not end is aborted, and its lease released',
			async run(room) {
				const pod = room.pod();
				const key = room.key();
				const held = await acquire(pod, key);
				const ending = pod.lock.shutdown(5000);
				await room.time.advance(4999);
				expect(held.signal.aborted).toBe(false);
				await room.time.advance(1);
				await within('the shutdown', ending);
				expect(held.signal.aborted, 'the work was not told').toBe(true);
				expect(() => held.assertHeld()).toThrow();
				expect(await room.leaseOf(pod, key)).toBeUndefined();
				expect(pod.clock.pending).toBe(0);
			},
		},
		{
			title: 'work that heeds its signal ends by it, before its lease is gone',
			async run(room) {
				const pod = room.pod();
				const key = room.key();
				const started = Promise.withResolvers<void>();
				const running = pod.lock.withLock(key, async ({ signal }) => {
					started.resolve();
					await new Promise((resolve) => signal.addEventListener('abort', resolve));
					return pod.client.verbs();
				});
				await started.promise;
				const ending = pod.lock.shutdown(5000);
				await room.time.advance(5000);
				expect(await within('the work', running)).toEqual({ outcome: 'ran', value: ['create'] });
				await within('the shutdown', ending);
				expect(await room.leaseOf(pod, key)).toBeUndefined();
			},
		},
		{
			title: 'a create that was given up and has landed is not left held either',
			async run(room) {
				const pod = room.pod();
				const key = room.key();
				pod.client.loseAnswer('create', room.fault('timeout'));
				pod.client.fail('read', room.fault('timeout'));
				expect(await refusal(pod.lock.tryAcquire(key))).toMatchObject({ kind: 'timeout' });
				await within('the shutdown', pod.lock.shutdown(1000));
				expect(await room.leaseOf(pod, key)).toBeUndefined();
				expect(pod.clock.pending).toBe(0);
			},
		},
		{
			title: 'a release that fails in the end leaves no timer behind',
			async run(room) {
				const pod = room.pod();
				await acquire(pod, room.key());
				pod.client.cutOff(room.fault('unavailable'));
				const ending = pod.lock.shutdown(1000);
				await room.time.advance(1000);
				await within('the shutdown', ending);
				expect(pod.observer.count('releaseFailed')).toBe(1);
				expect(pod.clock.pending).toBe(0);
			},
		},
		{
			title: 'an acquisition under way is not left held',
			async run(room) {
				for (const way of ['withLock', 'tryAcquire'] as const) {
					const pod = room.pod();
					const key = room.key();
					const gate = pod.client.holdAnswer('create');
					let ran = false;
					const work = async () => {
						ran = true;
					};
					const asking = (way === 'withLock' ? pod.lock.withLock(key, work) : pod.lock.tryAcquire(key)).catch(
						(error: unknown) => error,
					);
					await within('the call', gate.reached);
					const ending = pod.lock.shutdown(10_000);
					await room.time.advance(100);
					gate.open();
					await room.time.advance(100);
					await within('the shutdown', ending);
					expect(await asking, way).toBeInstanceOf(room.site.rooms.lock.LockClosedError);
					expect(ran).toBe(false);
					expect(await room.leaseOf(pod, key), `${way} left a lease`).toBeUndefined();
				}
			},
		},
	],
};
