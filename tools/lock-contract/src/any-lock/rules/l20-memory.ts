import { expect } from 'vitest';
import { eventually } from '../../patience.ts';
import type { Rule } from '../../rule.ts';
import { acquire, expectContended, rejection, withLock } from '../answers.ts';
import type { LockStage } from '../lock-stage.ts';

const KEYS = 50;

export const L20: Rule<LockStage> = {
	id: 'L20',
	title: 'memory per key is gone with its last waiter and holder',
	checks: [
		{
			title: 'keys that were acquired and released leave nothing',
			async run(stage) {
				const pod = stage.pod();
				const keys = Array.from({ length: KEYS }, () => stage.key());
				await Promise.all(keys.map(async (key) => pod.lock.release(await acquire(pod, key))));
				expect(pod.lock.activeKeys).toBe(0);
			},
		},
		{
			title: 'attempts that were contended or failed leave nothing',
			async run(stage) {
				const [holder, { pod, relay }] = [stage.pod(), await stage.podBehindRelay()];
				const key = stage.key();
				await acquire(holder, key);
				await expectContended(pod, key);
				relay.off();
				await rejection(pod.lock.tryAcquire(stage.key()));
				expect(pod.lock.activeKeys).toBe(0);
			},
		},
		{
			title: 'callers that waited in line leave nothing',
			needs: 'withLock',
			async run(stage) {
				const pod = stage.pod();
				const key = stage.key();
				await Promise.all([0, 1, 2].map(() => withLock(pod, key, async () => {})));
				await eventually(() => expect(pod.lock.activeKeys).toBe(0));
			},
		},
	],
};
