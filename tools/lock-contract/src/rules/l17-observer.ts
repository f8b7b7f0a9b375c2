import { expect } from 'vitest';
import { acquire, expectContended, refusal } from '../exam-room.ts';
import { within } from '../patience.ts';
import type { Rule } from '../rule.ts';

export const L17: Rule = {
	id: 'L17',
	title: 'attempts, successes, failures, times, releases, takeovers and losses go to an observer, in closed sets',
	checks: [
		{
			title: 'an acquisition and its release are told, with their times',
			async run(room) {
				const pod = room.pod();
				const key = room.key();
				const gate = pod.client.holdAnswer('create');
				const acquiring = acquire(pod, key);
				await within('the call', gate.reached);
				await room.time.advance(250);
				gate.open();
				const held = await acquiring;
				await room.time.advance(5000);
				await pod.lock.release(held);
				const { holder } = held;
				expect(pod.observer.events).toEqual([
					{ name: 'attempted' },
					{ name: 'acquired', key, holder, seconds: 0.25, takeover: false },
					{ name: 'released', key, holder, heldSeconds: 5 },
				]);
			},
		},
		{
			title: 'every attempt ends as one of success, contention and failure',
			async run(room) {
				const [first, second] = [room.pod(), room.pod()];
				const key = room.key();
				const held = await acquire(first, key);
				await expectContended(first, key); // inside the process
				await expectContended(second, key); // across processes
				second.client.fail('create', room.fault('unavailable'));
				await refusal(second.lock.tryAcquire(key));
				await first.lock.release(held);
				await second.lock.withLock(key, async () => {});
				for (const { observer } of [first, second]) {
					const ends = observer.count('acquired') + observer.count('contended') + observer.count('failed');
					expect(ends).toBe(observer.count('attempted'));
				}
				expect(first.observer.names()).toEqual(['attempted', 'acquired', 'attempted', 'contended', 'released']);
				expect(second.observer.events).toMatchObject([
					{ name: 'attempted' },
					{ name: 'contended', key, holder: held.holder },
					{ name: 'attempted' },
					{ name: 'failed', key, fault: { kind: 'unavailable' } },
					{ name: 'attempted' },
					{ name: 'acquired' },
					...(second.observer.count('released') > 0 ? [{ name: 'released' }] : []),
				]);
			},
		},
		{
			title: 'a takeover is told as one, and the loss of it once',
			async run(room) {
				const [first, second] = [room.pod(), room.pod()];
				const key = room.key();
				const old = await acquire(first, key);
				await expectContended(second, key);
				first.clock.stopped = true;
				await room.time.advance(30_000);
				const held = await acquire(second, key);
				expect(second.observer.events.at(-1)).toMatchObject({ name: 'acquired', takeover: true, holder: held.holder });
				for (let times = 0; times < 2; times++) expect(() => old.assertHeld()).toThrow();
				first.clock.stopped = false;
				await room.time.advance(1000);
				expect(first.observer.events.filter(({ name }) => name === 'lost')).toEqual([
					{ name: 'lost', key, holder: old.holder, loss: 'expired' },
				]);
			},
		},
		{
			title: 'the metrics have every series from the start, and no key nor holder makes another',
			async run({ site }) {
				const { registry, lock } = site.rooms.metrics.createMetrics();
				const series = async () =>
					(await registry.metrics())
						.split('\n')
						.filter((line) => /^\w+_lock_/.test(line))
						.map((line) => line.slice(0, line.lastIndexOf(' ')));
				const atStart = await series();
				for (const word of ['acquisition_attempts', 'acquisition_failures', 'releases', 'takeovers', 'lost', 'waiters'])
					expect(
						atStart.some((line) => line.includes(`_lock_${word}`)),
						word,
					).toBe(true);
				for (const key of ['a/b', 'c/d']) {
					const holder = `pod_${key}`;
					lock.attempted();
					for (const takeover of [true, false]) lock.acquired({ key, holder, seconds: 0.1, takeover });
					lock.contended({ key, holder });
					for (const kind of site.rooms.lock.LOCK_FAULTS)
						lock.failed({ key, fault: new site.rooms.lock.LockFault(kind as 'timeout', key) });
					lock.released({ key, holder, heldSeconds: 1 });
					lock.releaseFailed({ key, holder, error: new Error(key) });
					for (const loss of site.rooms.lock.LOSSES) lock.lost({ key, holder, loss });
					lock.swept({ name: key, holder });
					lock.waiting(1);
				}
				expect(await series()).toEqual(atStart);
			},
		},
		{
			title: 'reasons are closed sets',
			async run({ site }) {
				expect(site.rooms.lock.LOCK_FAULTS).toEqual(['forbidden', 'unavailable', 'timeout']);
				expect(site.rooms.lock.LOSSES).toEqual(['expired', 'taken', 'removed']);
			},
		},
		{
			title: 'the number of waiters is told as it changes, down to none',
			async run(room) {
				const pod = room.pod();
				const key = room.key();
				const held = await acquire(pod, key);
				const waiters = [1, 2, 3].map(() => pod.lock.withLock(key, async () => {}));
				expect(pod.observer.inLine).toBe(3);
				await pod.lock.release(held);
				await Promise.all(waiters);
				expect(pod.observer.inLine).toBe(0);
			},
		},
	],
};
