import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { startContender } from '../contender-process.ts';
import type { ContractHeld } from '../contract-types.ts';
import { acquire, expectContended, refusal } from '../exam-room.ts';
import { History, overlaps, type Stay } from '../history.ts';
import { within } from '../patience.ts';
import type { Rule } from '../rule.ts';

export const L1: Rule = {
	id: 'L1',
	title: 'across processes at most one unexpired holder per key',
	checks: [
		{
			title: 'of many pods that reach for a free key at once, one gets it',
			async run(room) {
				const pods = Array.from({ length: 8 }, () => room.pod());
				for (let round = 0; round < 3; round++) {
					const key = room.key();
					const answers = await Promise.all(pods.map(({ lock }) => lock.tryAcquire(key)));
					const holders = answers.flatMap((answer) => (answer.outcome === 'acquired' ? [answer.held] : []));
					expect(holders).toHaveLength(1);
					for (const answer of answers)
						if (answer.outcome === 'contended') expect(answer.holder).toBe(holders[0]?.holder);
				}
			},
		},
		{
			title: 'a call that failed gives nobody the lock',
			async run(room) {
				const pod = room.pod();
				for (const kind of ['unavailable', 'timeout', 'forbidden'] as const) {
					pod.client.fail('create', room.fault(kind));
					let ran = false;
					const work = pod.lock.withLock(room.key(), async () => {
						ran = true;
					});
					expect(await refusal(work)).toMatchObject({ kind });
					expect(ran, 'the work ran although nobody held the lock').toBe(false);
				}
			},
		},
		{
			title: "of many pods that saw a dead holder's lease expire, one gets it",
			async run(room) {
				const [dead, ...others] = Array.from({ length: 6 }, () => room.pod());
				const key = room.key();
				if (dead === undefined) throw new Error('there are six');
				await acquire(dead, key);
				dead.clock.stopped = true;
				for (const pod of others) await expectContended(pod, key);
				await room.time.advance(30_000);
				const answers = await Promise.all(others.map(({ lock }) => lock.tryAcquire(key)));
				expect(answers.filter(({ outcome }) => outcome === 'acquired')).toHaveLength(1);
			},
		},
		{
			title: 'a holder that is cut off is out before another is in',
			async run(room) {
				const [first, second] = [room.pod({ skew: { wallMs: 3_600_000 } }), room.pod({ skew: { zeroMs: 777 } })];
				const key = room.key();
				const held = await acquire(first, key);
				first.client.cutOff(room.fault('timeout'));
				let successor: ContractHeld | undefined;
				for (let seconds = 0; seconds < 60 && successor === undefined; seconds++) {
					const attempt = await second.lock.tryAcquire(key);
					if (attempt.outcome === 'acquired') successor = attempt.held;
					else await room.time.advance(1000);
				}
				expect(successor, 'nobody got the lock of a dead holder').toBeDefined();
				expect(() => held.assertHeld()).toThrow(room.site.rooms.lock.LockLostError);
				expect(() => successor?.assertHeld()).not.toThrow();
			},
		},
		{
			title: 'pods that contend all get their turns, one at a time',
			async run(room) {
				const history = new History();
				const key = room.key();
				const pods = Array.from({ length: 4 }, () => room.podInRealTime());
				const takeTurns = async ({ name, lock }: (typeof pods)[number]) => {
					for (let turns = 0; turns < 5; ) {
						const result = await lock.withLock(key, () => history.record(name, () => delay(2)));
						if (result.outcome === 'ran') turns++;
						else await delay(2);
					}
				};
				await within('every pod has its turns', Promise.all(pods.map(takeTurns)), 20_000);
				expect(history.stays).toHaveLength(20);
				expect(overlaps(history.stays)).toEqual([]);
			},
		},
		{
			title: 'so do real processes',
			async run(room) {
				const key = room.key();
				const contenders = [0, 1, 2].map((n) => startContender(room, `process-${n}`, key, { rounds: 6, stayMs: 2 }));
				const stays = (await Promise.all(contenders.map((contender) => contender.ended<Stay>()))).flat();
				expect(stays).toHaveLength(18);
				expect(overlaps(stays)).toEqual([]);
			},
		},
	],
};
