import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { acquire } from '../../any-lock/answers.ts';
import { startContender } from '../../any-lock/contender-process.ts';
import { eventually, within } from '../../patience.ts';
import type { Rule } from '../../rule.ts';
import { leasePort } from '../lease-port.ts';
import type { LeaseStage } from '../lease-stage.ts';
import type { ContractHeld } from '../lock-modules.ts';

// As short as a loaded machine allows: an answer may take more than a second.
const SHORT = { leaseDurationMs: 4000, renewIntervalMs: 1000, requestTimeoutMs: 1300, marginMs: 300 };

function expectLost(stage: LeaseStage, held: ContractHeld, loss?: string): void {
	const { LockLostError } = stage.site.modules.lock;
	expect(() => held.assertHeld()).toThrow(LockLostError);
	expect(held.signal.aborted).toBe(true);
	expect(held.signal.reason).toBeInstanceOf(LockLostError);
	if (loss !== undefined) expect(held.signal.reason).toMatchObject({ loss });
}

export const L10: Rule<LeaseStage> = {
	id: 'L10',
	title: "the holder's deadline counts from before its last write was sent, and ends before a takeover is possible",
	checks: [
		{
			title: 'after acquiring, the deadline counts from before the create was sent, however late its answer comes',
			async run(stage) {
				const pod = stage.pod();
				const gate = pod.client.holdAnswer('create');
				const acquiring = pod.lock.tryAcquire(stage.key());
				await within('the call', gate.reached);
				pod.client.cutOff(stage.fault('timeout'));
				await stage.time.advance(20_000);
				gate.open();
				const acquisition = await acquiring;
				if (acquisition.outcome !== 'acquired') expect.fail('the answer came late, and it was yes');
				const { held } = acquisition;
				await stage.time.advance(8900);
				expect(() => held.assertHeld()).not.toThrow();
				await stage.time.advance(100); // 29 s after the create was sent
				expectLost(stage, held, 'expired');
			},
		},
		{
			title: 'after a renewal, the deadline counts from before it was sent, however late its answer comes',
			async run(stage) {
				const pod = stage.pod();
				const held = await acquire(pod, stage.key());
				const gate = pod.client.holdAnswer('replace');
				await stage.time.advance(10_000);
				await within('the call', gate.reached);
				await stage.time.advance(15_000);
				gate.open();
				await stage.settled();
				pod.client.cutOff(stage.fault('timeout'));
				await stage.time.advance(13_900);
				expect(() => held.assertHeld()).not.toThrow();
				await stage.time.advance(100); // 29 s after the renewal was sent
				expectLost(stage, held, 'expired');
			},
		},
		{
			title: 'the signal of a holder that cannot renew aborts at the deadline',
			async run(stage) {
				const pod = stage.pod();
				const held = await acquire(pod, stage.key());
				pod.client.cutOff(stage.fault('unavailable'));
				await stage.time.advance(28_999);
				expect(held.signal.aborted).toBe(false);
				await stage.time.advance(1);
				expect(held.signal.aborted).toBe(true);
				expectLost(stage, held, 'expired');
				expect(pod.observer.events.filter(({ name }) => name === 'lost')).toMatchObject([{ loss: 'expired' }]);
			},
		},
		{
			title: 'after a stall assertHeld throws, before any timer has run',
			async run(stage) {
				const pod = stage.pod();
				const held = await acquire(pod, stage.key());
				pod.clock.stopped = true;
				await stage.time.advance(29_000);
				expectLost(stage, held, 'expired');
			},
		},
		{
			title: 'after a stall the signal aborts, and the lease is not renewed',
			async run(stage) {
				const pod = stage.pod();
				const key = stage.key();
				const held = await acquire(pod, key);
				const before = await stage.leaseOf(pod, key);
				pod.clock.stopped = true;
				await stage.time.advance(60_000);
				pod.clock.stopped = false;
				await stage.time.advance(0);
				expect(held.signal.aborted).toBe(true);
				expectLost(stage, held, 'expired');
				expect(await stage.leaseOf(pod, key)).toEqual(before);
			},
		},
		{
			title: 'a lease that was taken is lost at the next renewal',
			async run(stage) {
				const pod = stage.pod();
				const key = stage.key();
				const held = await acquire(pod, key);
				await stage.overwrite(pod.lock.leaseName(key), { holderIdentity: 'other_1' });
				await stage.time.advance(10_000);
				expectLost(stage, held, 'taken');
			},
		},
		{
			title: 'a lease that was taken is lost as soon as the watch shows it',
			async run(stage) {
				const pod = stage.pod();
				const key = stage.key();
				await stage.watch(pod);
				const held = await acquire(pod, key);
				await stage.overwrite(pod.lock.leaseName(key), { holderIdentity: 'other_1' });
				await eventually(() => expect(held.signal.aborted).toBe(true));
				expectLost(stage, held, 'taken');
			},
		},
		{
			title: 'a lease that was taken is lost as soon as a fresh list shows it',
			async run(stage) {
				const pod = stage.pod();
				const key = stage.key();
				const held = await acquire(pod, key);
				const taken = await stage.overwrite(pod.lock.leaseName(key), { holderIdentity: 'other_1' });
				pod.lock.observations.replaceAll([stage.toLease(taken)], taken.metadata.resourceVersion);
				expectLost(stage, held, 'taken');
			},
		},
		{
			title: 'a late watch event of an earlier holder is not loss',
			async run(stage) {
				const [first, second] = [stage.pod(), stage.pod()];
				const key = stage.key();
				const before = await acquire(first, key);
				const old = await stage.leaseOf(first, key);
				if (old === undefined) throw new Error('it was acquired');
				await first.lock.release(before);
				const held = await acquire(second, key);
				second.lock.seen(stage.toLease(old));
				expect(() => held.assertHeld()).not.toThrow();
				await stage.time.advance(40_000);
				expect(() => held.assertHeld()).not.toThrow();
			},
		},
		{
			title: 'a lease that was deleted is lost at the next renewal',
			async run(stage) {
				const pod = stage.pod();
				const key = stage.key();
				const held = await acquire(pod, key);
				await stage.remove(pod.lock.leaseName(key));
				await stage.time.advance(10_000);
				expectLost(stage, held, 'removed');
				expect(await stage.leaseOf(pod, key), 'the renewal created it again').toBeUndefined();
			},
		},
		{
			title: 'after the release assertHeld throws, and no loss is reported',
			async run(stage) {
				const pod = stage.pod();
				const held = await acquire(pod, stage.key());
				await pod.lock.release(held);
				expect(() => held.assertHeld()).toThrow(stage.site.modules.lock.LockLostError);
				expect(pod.observer.count('lost')).toBe(0);
			},
		},
		{
			title: 'a real process that was stopped for longer than its lease has lost it when it continues',
			async run(stage) {
				const key = stage.key();
				const shortLived = leasePort(stage.site.app, stage.site.modules, SHORT);
				const stopped = startContender(stage, 'stopped', key, 'hold', shortLived.inOwnProcess);
				await stopped.nextLine();
				stopped.process.kill('SIGSTOP');
				const next = stage.podInRealTime(); // with time enough to be still there at the end
				const deadline = performance.now() + 40_000;
				let successor: ContractHeld | undefined;
				while (successor === undefined && performance.now() < deadline) {
					const attempt = await next.lock.tryAcquire(key);
					if (attempt.outcome === 'acquired') successor = attempt.held;
					else await delay(Math.min(attempt.retryAfterMs, 100));
				}
				expect(successor, 'the lease was never taken over').toBeDefined();
				stopped.process.stdin?.write('do you hold it?\n');
				stopped.process.kill('SIGCONT');
				expect(await stopped.nextLine()).toEqual({ held: false, aborted: true });
				expect(() => successor?.assertHeld()).not.toThrow();
			},
		},
	],
};
