import { expect } from 'vitest';
import type { Rule } from '../../rule.ts';
import { acquire, expectContended, success, withLock } from '../answers.ts';
import type { LockStage } from '../lock-stage.ts';

export const L5: Rule<LockStage> = {
	id: 'L5',
	title: 'contention is a value that names the holder, never an exception',
	checks: [
		{
			title: 'an attempt at a held key names the holder and a time to wait, from any pod',
			async run(stage) {
				const [first, second] = [stage.pod(), stage.pod()];
				const key = stage.key();
				const held = await acquire(first, key);
				for (const pod of [first, second]) expect(await expectContended(pod, key, held.holder)).toBeGreaterThan(0);
			},
		},
		{
			title: 'inspecting a key names its holder, and nothing when it is free',
			async run(stage) {
				const [first, second] = [stage.pod(), stage.pod()];
				const key = stage.key();
				expect(await success(second.lock.inspect(key))).toBeUndefined();
				const held = await acquire(first, key);
				expect(await success(second.lock.inspect(key))).toMatchObject({ holder: held.holder });
				await first.lock.release(held);
				expect(await success(second.lock.inspect(key))).toBeUndefined();
			},
		},
		{
			title: 'a foreign holder is named as its lock object names it',
			async run(stage) {
				const key = stage.key();
				await stage.plant(key, 'foreign-1');
				await expectContended(stage.pod(), key, 'foreign-1');
			},
		},
		{
			title: 'the holder that is named is the present one, not one that was seen before',
			async run(stage) {
				const [first, second, third] = [stage.pod(), stage.pod(), stage.pod()];
				const key = stage.key();
				const before = await acquire(first, key);
				await expectContended(third, key, before.holder);
				await first.lock.release(before);
				const present = await acquire(second, key);
				await expectContended(third, key, present.holder);
			},
		},
		{
			title: 'work that meets a held key does not run, and its caller gets the holder',
			needs: 'withLock',
			async run(stage) {
				const [first, second] = [stage.pod(), stage.pod()];
				const key = stage.key();
				const held = await acquire(first, key);
				let ran = false;
				const work = withLock(second, key, async () => {
					ran = true;
				});
				expect(await success(work)).toMatchObject({ outcome: 'contended', holder: held.holder });
				expect(ran, 'contended work ran').toBe(false);
			},
		},
	],
};
