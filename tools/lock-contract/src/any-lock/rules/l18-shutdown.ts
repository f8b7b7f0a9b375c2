import { expect } from 'vitest';
import { within } from '../../patience.ts';
import type { Rule } from '../../rule.ts';
import { acquire, rejection, withLock } from '../answers.ts';
import type { LockStage } from '../lock-stage.ts';

export const L18: Rule<LockStage> = {
	id: 'L18',
	title: 'shutdown: nothing new is acquired',
	checks: [
		{
			title: 'an attempt after the shutdown began is rejected, and leaves no lock object',
			async run(stage) {
				const pod = stage.pod();
				const key = stage.key();
				const ending = pod.lock.shutdown(10_000);
				expect(await rejection(pod.lock.tryAcquire(key))).toBeInstanceOf(stage.site.port.LockClosedError);
				await within('the shutdown', ending);
				expect(await stage.read(key)).toBeUndefined();
			},
		},
		{
			title: 'callers that wait when the shutdown begins are rejected, and those that come later too',
			needs: 'withLock',
			async run(stage) {
				const { LockClosedError } = stage.site.port;
				const pod = stage.pod();
				const key = stage.key();
				const held = await acquire(pod, key);
				const waiting = rejection(withLock(pod, key, async () => {}));
				const ending = pod.lock.shutdown(10_000);
				const later = rejection(withLock(pod, stage.key(), async () => {}));
				for (const error of await within('the callers', Promise.all([waiting, later])))
					expect(error).toBeInstanceOf(LockClosedError);
				await pod.lock.release(held);
				await within('the shutdown', ending);
			},
		},
	],
};
