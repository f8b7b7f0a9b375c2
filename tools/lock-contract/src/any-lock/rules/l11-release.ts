import { expect } from 'vitest';
import { eventually } from '../../patience.ts';
import type { Rule } from '../../rule.ts';
import { acquire, expectContended, rejection, success, withLock } from '../answers.ts';
import type { LockStage } from '../lock-stage.ts';

export const L11: Rule<LockStage> = {
	id: 'L11',
	title: 'release removes only its own lock object, and never hides the result of the work',
	checks: [
		{
			title: 'release removes the lock object, and the key is free',
			async run(stage) {
				const [first, second] = [stage.pod(), stage.pod()];
				const key = stage.key();
				const held = await acquire(first, key);
				expect(await stage.read(key)).toMatchObject({ holder: held.holder });
				await success(first.lock.release(held));
				expect(await stage.read(key)).toBeUndefined();
				await acquire(second, key);
			},
		},
		{
			title: "release leaves a successor's lock object of the same name in place",
			async run(stage) {
				const [first, second] = [stage.pod(), stage.pod()];
				const key = stage.key();
				const old = await acquire(first, key);
				await stage.remove(key);
				await acquire(second, key);
				const before = await stage.read(key);
				await success(first.lock.release(old));
				expect(await stage.read(key)).toEqual(before);
			},
		},
		{
			title: 'releasing twice is releasing once: the next holder, in the same process or another, keeps the key',
			async run(stage) {
				const [first, second] = [stage.pod(), stage.pod()];
				for (const next of [first, second]) {
					const key = stage.key();
					const old = await acquire(first, key);
					await Promise.all([success(first.lock.release(old)), success(first.lock.release(old))]);
					const held = await acquire(next, key);
					await success(first.lock.release(old));
					await expectContended(stage.pod(), key, held.holder);
				}
			},
		},
		{
			title: 'a failed release does not reject, and the observer is notified',
			async run(stage) {
				const { pod, relay } = await stage.podBehindRelay();
				const key = stage.key();
				const held = await acquire(pod, key);
				relay.off();
				await success(pod.lock.release(held));
				expect(pod.observer.events.at(-1)).toMatchObject({ name: 'releaseFailed', key, holder: held.holder });
			},
		},
		{
			title: 'a failed release hides neither the value nor the error of the work',
			needs: 'withLock',
			async run(stage) {
				const { pod, relay } = await stage.podBehindRelay();
				const good = withLock(pod, stage.key(), async () => {
					relay.off();
					return 42;
				});
				expect(await success(good)).toEqual({ outcome: 'ran', value: 42 });
				await eventually(() => expect(pod.observer.count('releaseFailed')).toBe(1));
				relay.on();
				const bad = withLock(pod, stage.key(), async () => {
					relay.off();
					throw new Error('the work failed');
				});
				expect(await rejection(bad)).toMatchObject({ message: 'the work failed' });
				await eventually(() => expect(pod.observer.count('releaseFailed')).toBe(2));
			},
		},
	],
};
