import { expect } from 'vitest';
import { acquire, expectContended, rejection } from '../../any-lock/answers.ts';
import { within } from '../../patience.ts';
import type { Rule } from '../../rule.ts';
import type { LeaseStage } from '../lease-stage.ts';

export const L17: Rule<LeaseStage> = {
	id: 'L17',
	title: 'times, takeovers, losses and waiters go to an observer, in closed sets',
	checks: [
		{
			title: 'the times of an acquisition and of its release are reported',
			async run(stage) {
				const pod = stage.pod();
				const key = stage.key();
				const gate = pod.client.holdAnswer('create');
				const acquiring = acquire(pod, key);
				await within('the call', gate.reached);
				await stage.time.advance(250);
				gate.open();
				const held = await acquiring;
				await stage.time.advance(5000);
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
			title: 'a takeover is reported as one, and the loss once',
			async run(stage) {
				const [first, second] = [stage.pod(), stage.pod()];
				const key = stage.key();
				const old = await acquire(first, key);
				await expectContended(second, key);
				first.clock.stopped = true;
				await stage.time.advance(30_000);
				const held = await acquire(second, key);
				expect(second.observer.events.at(-1)).toMatchObject({ name: 'acquired', takeover: true, holder: held.holder });
				for (let times = 0; times < 2; times++) expect(() => old.assertHeld()).toThrow();
				first.clock.stopped = false;
				await stage.time.advance(1000);
				expect(first.observer.events.filter(({ name }) => name === 'lost')).toEqual([
					{ name: 'lost', key, holder: old.holder, loss: 'expired' },
				]);
			},
		},
		{
			title: 'attempts of withLock are reported like those of tryAcquire',
			async run(stage) {
				const [first, second] = [stage.pod(), stage.pod()];
				const key = stage.key();
				const held = await acquire(first, key);
				await second.lock.withLock(key, async () => {});
				second.client.fail('create', stage.fault('unavailable'));
				await rejection(second.lock.withLock(key, async () => {}));
				await first.lock.release(held);
				await second.lock.withLock(key, async () => {});
				expect(second.observer.names().slice(0, 6)).toEqual([
					'attempted',
					'contended',
					'attempted',
					'failed',
					'attempted',
					'acquired',
				]);
			},
		},
		{
			title: 'metrics of takeovers, losses, orphans and waiters are there from the start, and no lease adds one',
			async run({ site }) {
				const { registry, lock } = site.modules.metrics.createMetrics();
				const series = async () =>
					(await registry.metrics())
						.split('\n')
						.filter((line) => /^\w+_lock_/.test(line))
						.map((line) => line.slice(0, line.lastIndexOf(' ')));
				const atStart = await series();
				for (const word of ['takeovers', 'lost', 'orphans_removed', 'waiters'])
					expect(
						atStart.some((line) => line.includes(`_lock_${word}`)),
						word,
					).toBe(true);
				for (const key of ['a/b', 'c/d']) {
					for (const loss of site.modules.lock.LOSSES) lock.lost({ key, holder: key, loss });
					lock.swept({ name: key, holder: key });
					lock.waiting(1);
				}
				expect(await series()).toEqual(atStart);
				expect(site.modules.lock.LOSSES).toEqual(['expired', 'taken', 'removed']);
			},
		},
		{
			title: 'the number of waiters is reported as it changes, down to none',
			async run(stage) {
				const pod = stage.pod();
				const key = stage.key();
				const held = await acquire(pod, key);
				const waiters = [1, 2, 3].map(() => pod.lock.withLock(key, async () => {}));
				expect(pod.observer.waiters).toBe(3);
				await pod.lock.release(held);
				await Promise.all(waiters);
				expect(pod.observer.waiters).toBe(0);
			},
		},
	],
};
