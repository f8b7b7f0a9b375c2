import { expect } from 'vitest';
import { acquire, expectContended } from '../../any-lock/answers.ts';
import { within } from '../../patience.ts';
import type { Rule } from '../../rule.ts';
import type { LeaseStage } from '../lease-stage.ts';

export const L9: Rule<LeaseStage> = {
	id: 'L9',
	title: 'while work runs, renewal at a third of the duration; none overlap; one failure is not loss',
	checks: [
		{
			title: 'renewals come at a third of the duration, and change the renewTime only',
			async run(stage) {
				const pod = stage.pod();
				const key = stage.key();
				await acquire(pod, key);
				const before = await stage.leaseOf(pod, key);
				await stage.time.advance(35_000);
				const renewals = pod.client.calls.filter(({ verb }) => verb === 'replace');
				expect(renewals.map(({ at }) => at)).toEqual([10_000, 20_000, 30_000]);
				const after = await stage.leaseOf(pod, key);
				expect(after?.spec).toEqual({ ...before?.spec, renewTime: expect.any(String) });
				expect(Date.parse(after?.spec.renewTime ?? '') - Date.parse(before?.spec.renewTime ?? '')).toBe(30_000);
			},
		},
		{
			title: 'work that takes longer than the lease duration keeps its lease',
			async run(stage) {
				const [first, second] = [stage.pod(), stage.pod()];
				const key = stage.key();
				const held = await acquire(first, key);
				for (let seconds = 0; seconds < 100; seconds += 5) {
					await expectContended(second, key);
					expect(() => held.assertHeld()).not.toThrow();
					await stage.time.advance(5000);
				}
				expect(held.signal.aborted).toBe(false);
			},
		},
		{
			title: 'renewals never overlap',
			async run(stage) {
				const pod = stage.pod();
				await acquire(pod, stage.key());
				const gate = pod.client.holdAnswer('replace');
				await stage.time.advance(10_000);
				await within('the call', gate.reached);
				await stage.time.advance(15_000);
				expect(pod.client.calls.filter(({ verb }) => verb === 'replace')).toHaveLength(1);
				gate.open();
				await stage.time.advance(30_000);
				expect(pod.client.maxAtOnce.replace).toBe(1);
			},
		},
		{
			title: 'one failed renewal is not loss; it is retried before the next is due',
			async run(stage) {
				const pod = stage.pod();
				const held = await acquire(pod, stage.key());
				pod.client.fail('replace', stage.fault('unavailable'));
				await stage.time.advance(19_999);
				const renewals = pod.client.calls.filter(({ verb }) => verb === 'replace');
				expect(renewals.length).toBeGreaterThanOrEqual(2);
				await stage.time.advance(60_000);
				expect(() => held.assertHeld()).not.toThrow();
				expect(pod.observer.count('lost')).toBe(0);
			},
		},
		{
			title: 'a released lease is not renewed',
			async run(stage) {
				const pod = stage.pod();
				const held = await acquire(pod, stage.key());
				await pod.lock.release(held);
				await stage.time.advance(60_000);
				expect(pod.client.verbs()).toEqual(['create', 'remove']);
				expect(pod.clock.pending).toBe(0);
			},
		},
		{
			title: 'a configuration with which one lost answer loses the lock is rejected',
			async run(stage: LeaseStage) {
				for (const options of [
					{ leaseDurationMs: 30_000, renewIntervalMs: 10_000, requestTimeoutMs: 9500, marginMs: 1000 },
					{ leaseDurationMs: 10_000 }, // with the other defaults, two timeouts are longer than the lease
					{ leaseDurationMs: 30_000, renewIntervalMs: 19_000, requestTimeoutMs: 5000, marginMs: 1000 },
					{ leaseDurationMs: 1500, renewIntervalMs: 100, requestTimeoutMs: 100, marginMs: 100 },
					{ leaseDurationMs: 30_000, maxPeerDurationMs: 20_000 },
				])
					expect(() => stage.pod(options), JSON.stringify(options)).toThrow(/\d+ ms/);
				for (const options of [
					{ leaseDurationMs: 30_000 },
					{ leaseDurationMs: 30_000, renewIntervalMs: 10_000, requestTimeoutMs: 9499, marginMs: 1000 },
				])
					expect(() => stage.pod(options), JSON.stringify(options)).not.toThrow();
			},
		},
	],
};
