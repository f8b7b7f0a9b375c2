import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { History, overlaps, type Stay } from '../../history.ts';
import { within } from '../../patience.ts';
import type { Rule } from '../../rule.ts';
import { acquire, answerTo, expectContended, rejection, success } from '../answers.ts';
import { startContender } from '../contender-process.ts';
import type { LockPod, LockStage } from '../lock-stage.ts';

export const L1: Rule<LockStage> = {
	id: 'L1',
	title: 'across processes a key has at most one holder',
	checks: [
		{
			title: 'of many pods that try a free key at once, one acquires it',
			async run(stage) {
				const pods = Array.from({ length: 8 }, () => stage.pod());
				for (let round = 0; round < 3; round++) {
					const key = stage.key();
					const answers = await Promise.all(pods.map((pod) => answerTo(pod, key)));
					const holders = answers.flatMap((answer) => (answer.outcome === 'acquired' ? [answer.held] : []));
					expect(holders).toHaveLength(1);
					for (const answer of answers)
						if (answer.outcome === 'contended') expect(answer.holder).toBe(holders[0]?.holder);
				}
			},
		},
		{
			title: 'a key that a foreign process holds is not acquired, and its lock object stays as it is',
			async run(stage) {
				const key = stage.key();
				await stage.plant(key, 'foreign-1');
				const before = await stage.read(key);
				await expectContended(stage.pod(), key);
				expect(await stage.read(key)).toEqual(before);
			},
		},
		{
			title: 'an attempt that the API server does not answer acquires nothing',
			async run(stage) {
				const { pod, relay } = await stage.podBehindRelay();
				const key = stage.key();
				relay.off();
				expect(await rejection(pod.lock.tryAcquire(key))).toMatchObject({ kind: 'unavailable' });
				await acquire(stage.pod(), key);
			},
		},
		{
			title: 'pods that contend for a key all hold it in turn, never two at once',
			async run(stage) {
				const history = new History();
				const key = stage.key();
				const pods = Array.from({ length: 4 }, () => stage.pod());
				const takeTurns = async (pod: LockPod) => {
					for (let turns = 0; turns < 5; ) {
						const answer = await answerTo(pod, key);
						if (answer.outcome === 'acquired') {
							turns++;
							await history.record(pod.name, () => delay(2));
							await success(pod.lock.release(answer.held));
						} else await delay(2);
					}
				};
				await within('every pod has its turns', Promise.all(pods.map(takeTurns)), 20_000);
				expect(history.stays).toHaveLength(20);
				expect(overlaps(history.stays)).toEqual([]);
			},
		},
		{
			title: 'real processes that contend for a key all hold it in turn, never two at once',
			async run(stage) {
				const key = stage.key();
				const contenders = [0, 1, 2].map((n) => startContender(stage, `process-${n}`, key, { rounds: 6, stayMs: 2 }));
				await Promise.all(contenders.map((contender) => contender.nextLine()));
				for (const contender of contenders) contender.process.stdin?.write('go\n'); // all at once
				const stays = (await Promise.all(contenders.map((contender) => contender.ended<Stay>()))).flat();
				expect(stays).toHaveLength(18);
				expect(overlaps(stays)).toEqual([]);
			},
		},
	],
};
