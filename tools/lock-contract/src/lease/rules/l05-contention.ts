import { expect } from 'vitest';
import { acquire, expectContended } from '../../any-lock/answers.ts';
import type { Rule } from '../../rule.ts';
import type { LeaseStage } from '../lease-stage.ts';

export const L5: Rule<LeaseStage> = {
	id: 'L5',
	title: 'contention says when the lease expires, also when nothing names its holder',
	checks: [
		{
			title: 'the time to wait is at most the duration of the lease',
			async run(stage) {
				const [first, second] = [stage.pod(), stage.pod()];
				const key = stage.key();
				const held = await acquire(first, key);
				for (const pod of [first, second])
					expect(await expectContended(pod, key, held.holder)).toBeLessThanOrEqual(30_000);
				expect(await second.lock.inspect(key)).toMatchObject({ holder: held.holder, transitions: 0 });
			},
		},
		{
			title: 'a lease without a holder is contended, and its holder is named "unknown"',
			async run(stage) {
				const pod = stage.pod();
				const key = stage.key();
				await stage.plant(pod.lock.leaseName(key), {});
				await expectContended(pod, key, 'unknown');
			},
		},
	],
};
