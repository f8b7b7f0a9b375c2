import { expect } from 'vitest';
import { acquire, rejection } from '../../any-lock/answers.ts';
import { within } from '../../patience.ts';
import type { Rule } from '../../rule.ts';
import type { LeaseStage } from '../lease-stage.ts';

export const L18: Rule<LeaseStage> = {
	id: 'L18',
	title: 'shutdown: running work finishes or is aborted inside the grace period, leases are released',
	checks: [
		{
			title: 'work that ends inside the grace period ends well, and its lease is gone when the shutdown is done',
			async run(stage) {
				const pod = stage.pod();
				const key = stage.key();
				const [started, finish] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()];
				const running = pod.lock.withLock(key, async (held) => {
					started.resolve();
					const value = await finish.promise;
					held.assertHeld();
					return value;
				});
				await started.promise;
				const ending = pod.lock.shutdown(25_000);
				await stage.time.advance(15_000); // one renewal in it: the lock is kept while work runs
				expect(pod.client.verbs()).toContain('replace');
				finish.resolve('done');
				expect(await running).toEqual({ outcome: 'ran', value: 'done' });
				await stage.time.advance(100);
				await within('the shutdown', ending);
				expect(await stage.leaseOf(pod, key)).toBeUndefined();
				expect(pod.clock.pending).toBe(0);
			},
		},
		{
			title: 'work that does not end in the grace period is aborted, and its lease released',
			async run(stage) {
				const pod = stage.pod();
				const key = stage.key();
				const held = await acquire(pod, key);
				const ending = pod.lock.shutdown(5000);
				await stage.time.advance(4999);
				expect(held.signal.aborted).toBe(false);
				await stage.time.advance(1);
				await within('the shutdown', ending);
				expect(held.signal.aborted, 'the work was not aborted').toBe(true);
				expect(() => held.assertHeld()).toThrow();
				expect(await stage.leaseOf(pod, key)).toBeUndefined();
				expect(pod.clock.pending).toBe(0);
			},
		},
		{
			title: 'work that ends by its signal does so before its lease is released',
			async run(stage) {
				const pod = stage.pod();
				const key = stage.key();
				const started = Promise.withResolvers<void>();
				const running = pod.lock.withLock(key, async ({ signal }) => {
					started.resolve();
					await new Promise((resolve) => signal.addEventListener('abort', resolve));
					return pod.client.verbs();
				});
				await started.promise;
				const ending = pod.lock.shutdown(5000);
				await stage.time.advance(5000);
				expect(await within('the work', running)).toEqual({ outcome: 'ran', value: ['create'] });
				await within('the shutdown', ending);
				expect(await stage.leaseOf(pod, key)).toBeUndefined();
			},
		},
		{
			title: 'a create that was given up and has landed is removed by the shutdown',
			async run(stage) {
				const pod = stage.pod();
				const key = stage.key();
				pod.client.loseAnswer('create', stage.fault('timeout'));
				pod.client.fail('read', stage.fault('timeout'));
				expect(await rejection(pod.lock.tryAcquire(key))).toMatchObject({ kind: 'timeout' });
				await within('the shutdown', pod.lock.shutdown(1000));
				expect(await stage.leaseOf(pod, key)).toBeUndefined();
				expect(pod.clock.pending).toBe(0);
			},
		},
		{
			title: 'a release that fails during the shutdown leaves no timer',
			async run(stage) {
				const pod = stage.pod();
				await acquire(pod, stage.key());
				pod.client.cutOff(stage.fault('unavailable'));
				const ending = pod.lock.shutdown(1000);
				await stage.time.advance(1000);
				await within('the shutdown', ending);
				expect(pod.observer.count('releaseFailed')).toBe(1);
				expect(pod.clock.pending).toBe(0);
			},
		},
		{
			title: 'an acquisition under way when the shutdown begins is not left held',
			async run(stage) {
				for (const way of ['withLock', 'tryAcquire'] as const) {
					const pod = stage.pod();
					const key = stage.key();
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
					await stage.time.advance(100);
					gate.open();
					await stage.time.advance(100);
					await within('the shutdown', ending);
					expect(await asking, way).toBeInstanceOf(stage.site.modules.lock.LockClosedError);
					expect(ran).toBe(false);
					expect(await stage.leaseOf(pod, key), `${way} left a lease`).toBeUndefined();
				}
			},
		},
	],
};
