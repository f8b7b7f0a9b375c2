import { expect } from 'vitest';
import { History, overlaps } from '../../history.ts';
import { within } from '../../patience.ts';
import type { Rule } from '../../rule.ts';
import { acquire, answerTo, expectContended, withLock } from '../answers.ts';
import type { LockStage } from '../lock-stage.ts';

const CALLERS = 100;

export const L2: Rule<LockStage> = {
	id: 'L2',
	title: 'inside one process callers of one key never run together',
	checks: [
		{
			title: 'a process that holds a key does not acquire it again until it has released it',
			async run(stage) {
				const pod = stage.pod();
				const key = stage.key();
				const held = await acquire(pod, key);
				await expectContended(pod, key, held.holder);
				await pod.lock.release(held);
				await acquire(pod, key);
			},
		},
		{
			title: 'of many attempts of one process at once, one acquires the key',
			async run(stage) {
				const pod = stage.pod();
				const key = stage.key();
				const answers = await Promise.all(Array.from({ length: 8 }, () => answerTo(pod, key)));
				expect(answers.filter(({ outcome }) => outcome === 'acquired')).toHaveLength(1);
			},
		},
		{
			title: 'a process that holds a key acquires another key at once',
			async run(stage) {
				const pod = stage.pod();
				await acquire(pod, stage.key());
				await within('the other key', acquire(pod, stage.key()));
			},
		},
		{
			title: 'many callers of one process run one at a time, in the order in which they came',
			needs: 'withLock',
			async run(stage) {
				const history = new History();
				const pod = stage.pod();
				const key = stage.key();
				const calls = Array.from({ length: CALLERS }, (_, n) =>
					withLock(pod, key, () => history.record(String(n), () => Promise.resolve())),
				);
				const results = await within('all callers', Promise.all(calls), 50_000);
				expect(results.filter(({ outcome }) => outcome === 'contended')).toEqual([]);
				expect(overlaps(history.stays)).toEqual([]);
				expect(history.stays.map(({ who }) => Number(who))).toEqual(Array.from({ length: CALLERS }, (_, n) => n));
			},
		},
	],
};
