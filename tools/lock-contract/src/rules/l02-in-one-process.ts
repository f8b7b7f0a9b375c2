import { expect } from 'vitest';
import { acquire, expectContended } from '../exam-room.ts';
import { History, overlaps } from '../history.ts';
import { within } from '../patience.ts';
import type { Rule } from '../rule.ts';

const CALLERS = 200;

export const L2: Rule = {
	id: 'L2',
	title: 'inside one process callers for one key never run together; they queue in order or share one run',
	checks: [
		{
			title: 'many callers run one at a time, in the order in which they came',
			async run(room) {
				const history = new History();
				const pod = room.podInRealTime();
				const key = room.key();
				const calls = Array.from({ length: CALLERS }, (_, n) =>
					pod.lock.withLock(key, () => history.record(String(n), () => Promise.resolve())),
				);
				const results = await within('all callers are served', Promise.all(calls), 50_000);
				expect(results.filter(({ outcome }) => outcome === 'contended')).toEqual([]);
				expect(overlaps(history.stays)).toEqual([]);
				expect(history.stays.map(({ who }) => Number(who))).toEqual(Array.from({ length: CALLERS }, (_, n) => n));
				expect(pod.client.mostAtOnce).toMatchObject({ create: 1, remove: 1 });
			},
		},
		{
			title: 'who holds a key is not handed it once more',
			async run(room) {
				const pod = room.pod();
				const key = room.key();
				const held = await acquire(pod, key);
				await expectContended(pod, key, held.holder);
				await pod.lock.release(held);
				await acquire(pod, key);
			},
		},
		{
			title: 'another key does not wait',
			async run(room) {
				const pod = room.pod();
				await acquire(pod, room.key());
				const other = pod.lock.withLock(room.key(), async () => 'ran');
				expect(await within('the other key', other)).toEqual({ outcome: 'ran', value: 'ran' });
			},
		},
	],
};
