import { expect } from 'vitest';
import { acquire, answerTo, expectContended } from '../../any-lock/answers.ts';
import { within } from '../../patience.ts';
import type { Rule } from '../../rule.ts';
import type { LeaseStage } from '../lease-stage.ts';
import { microTime } from '../raw-lease.ts';

export const L8: Rule<LeaseStage> = {
	id: 'L8',
	title: 'takeover is compare-and-set on the version that was observed, with all fields; the loser sees contention',
	checks: [
		{
			title: 'a takeover writes holder, acquireTime, renewTime, duration, and one transition more',
			async run(stage) {
				const pod = stage.pod({ leaseDurationMs: 27_000, skew: { wallMs: 5_000_000 } });
				const key = stage.key();
				const long = microTime(new Date(0));
				const old = await stage.plant(pod.lock.leaseName(key), {
					holderIdentity: 'dead_1',
					leaseDurationSeconds: 30,
					leaseTransitions: 4,
					acquireTime: long,
					renewTime: long,
				});
				await expectContended(pod, key, 'dead_1');
				await stage.time.advance(30_000);
				const now = microTime(pod.clock.wallTime());
				const held = await acquire(pod, key);
				const lease = await stage.leaseOf(pod, key);
				expect(lease?.spec).toEqual({
					holderIdentity: held.holder,
					leaseDurationSeconds: 27,
					leaseTransitions: 5,
					acquireTime: now,
					renewTime: now,
				});
				expect(lease?.metadata.uid).toBe(old.metadata.uid);
			},
		},
		{
			title: 'a renewal that the taker has not seen defeats a takeover',
			async run(stage) {
				const [holder, taker] = [stage.pod(), stage.pod()];
				const key = stage.key();
				const held = await acquire(holder, key);
				await expectContended(taker, key);
				await stage.time.advance(30_000); // the holder has renewed, the taker has not seen it
				const before = await stage.leaseOf(taker, key);
				await expectContended(taker, key, held.holder);
				expect(await stage.leaseOf(taker, key)).toEqual(before);
				expect(() => held.assertHeld()).not.toThrow();
			},
		},
		{
			title: 'a renewal that lands after the read which found the lease expired defeats a takeover',
			async run(stage) {
				const taker = stage.pod();
				const key = stage.key();
				const name = taker.lock.leaseName(key);
				await stage.plant(name, { holderIdentity: 'slow_1', leaseDurationSeconds: 30 });
				await expectContended(taker, key);
				await stage.time.advance(30_000);
				const looked = taker.client.holdAnswer('read');
				const attempt = answerTo(taker, key);
				await within('a look', looked.reached);
				const renewed = await stage.overwrite(name, { renewTime: microTime(new Date()) });
				looked.open();
				expect(await attempt).toMatchObject({ outcome: 'contended', holder: 'slow_1' });
				expect(await stage.lease(name)).toEqual(renewed);
			},
		},
		{
			title: 'a renewal that lands just before the write defeats a takeover',
			async run(stage) {
				const taker = stage.pod();
				const key = stage.key();
				const name = taker.lock.leaseName(key);
				await stage.plant(name, { holderIdentity: 'slow_1', leaseDurationSeconds: 30 });
				await expectContended(taker, key);
				await stage.time.advance(30_000);
				const gate = taker.client.holdBefore('replace');
				const attempt = answerTo(taker, key);
				await within('the write', gate.reached);
				const renewed = await stage.overwrite(name, { renewTime: microTime(new Date()) });
				gate.open();
				expect(await attempt).toMatchObject({ outcome: 'contended', holder: 'slow_1' });
				expect(await stage.lease(name)).toEqual(renewed);
			},
		},
		{
			title: 'a lease that was deleted and created again is not taken over for the old one',
			async run(stage) {
				const [taker, next] = [stage.pod(), stage.pod()];
				const key = stage.key();
				const name = taker.lock.leaseName(key);
				await stage.plant(name, { holderIdentity: 'dead_1', leaseDurationSeconds: 30 });
				await expectContended(taker, key);
				await stage.time.advance(30_000);
				const gate = taker.client.holdBefore('replace');
				const attempt = answerTo(taker, key);
				await within('the write', gate.reached);
				await stage.remove(name);
				const held = await acquire(next, key);
				gate.open();
				expect(await attempt).toMatchObject({ outcome: 'contended', holder: held.holder });
				expect((await stage.lease(name))?.spec.holderIdentity).toBe(held.holder);
			},
		},
		{
			title: 'of two takers one wins, and the other sees contention that names the winner',
			async run(stage) {
				const [first, second] = [stage.pod(), stage.pod()];
				const key = stage.key();
				await stage.plant(first.lock.leaseName(key), { holderIdentity: 'dead_1', leaseDurationSeconds: 30 });
				for (const pod of [first, second]) await expectContended(pod, key);
				await stage.time.advance(30_000);
				const gates = [first, second].map(({ client }) => client.holdBefore('replace'));
				const attempts = [first, second].map((pod) => answerTo(pod, key));
				await within('both writes', Promise.all(gates.map(({ reached }) => reached)));
				for (const gate of gates) gate.open();
				const answers = await Promise.all(attempts);
				const winner = answers.find((answer) => answer.outcome === 'acquired');
				const loser = answers.find((answer) => answer.outcome === 'contended');
				expect(loser?.holder).toBe(winner?.held.holder);
				expect(winner).toBeDefined();
			},
		},
	],
};
