import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { acquire, expectContended, rejection } from '../../any-lock/answers.ts';
import { History, overlaps } from '../../history.ts';
import { within } from '../../patience.ts';
import type { Rule } from '../../rule.ts';
import type { LeaseStage } from '../lease-stage.ts';
import type { ContractHeld } from '../lock-modules.ts';

export const L1: Rule<LeaseStage> = {
	id: 'L1',
	title: 'across processes a key has at most one holder whose lease has not expired',
	checks: [
		{
			title: 'work does not run when the create of its lease failed, whatever the fault',
			async run(stage) {
				const pod = stage.pod();
				for (const kind of ['unavailable', 'timeout', 'forbidden'] as const) {
					pod.client.fail('create', stage.fault(kind));
					let ran = false;
					const work = pod.lock.withLock(stage.key(), async () => {
						ran = true;
					});
					expect(await rejection(work)).toMatchObject({ kind });
					expect(ran, 'the work ran without the lock').toBe(false);
				}
			},
		},
		{
			title: "of many pods that saw a dead holder's lease expire, one takes it over",
			async run(stage) {
				const [dead, ...others] = Array.from({ length: 6 }, () => stage.pod());
				const key = stage.key();
				if (dead === undefined) throw new Error('there are six');
				await acquire(dead, key);
				dead.clock.stopped = true;
				for (const pod of others) await expectContended(pod, key);
				await stage.time.advance(30_000);
				const answers = await Promise.all(others.map(({ lock }) => lock.tryAcquire(key)));
				expect(answers.filter(({ outcome }) => outcome === 'acquired')).toHaveLength(1);
			},
		},
		{
			title: 'a holder that is cut off has lost its lease before another pod takes it over',
			async run(stage) {
				const [first, second] = [stage.pod({ skew: { wallMs: 3_600_000 } }), stage.pod({ skew: { zeroMs: 777 } })];
				const key = stage.key();
				const held = await acquire(first, key);
				first.client.cutOff(stage.fault('timeout'));
				let successor: ContractHeld | undefined;
				for (let seconds = 0; seconds < 60 && successor === undefined; seconds++) {
					const attempt = await second.lock.tryAcquire(key);
					if (attempt.outcome === 'acquired') successor = attempt.held;
					else await stage.time.advance(1000);
				}
				expect(successor, 'the lease of a dead holder was never taken over').toBeDefined();
				expect(() => held.assertHeld()).toThrow(stage.site.modules.lock.LockLostError);
				expect(() => successor?.assertHeld()).not.toThrow();
			},
		},
		{
			title: 'work of pods that contend for a key runs in turn, never at the same time',
			async run(stage) {
				const history = new History();
				const key = stage.key();
				const pods = Array.from({ length: 4 }, () => stage.podInRealTime());
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
	],
};
