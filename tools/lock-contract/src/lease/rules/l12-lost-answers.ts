import { expect } from 'vitest';
import { acquire, expectContended, rejection } from '../../any-lock/answers.ts';
import { eventually, within } from '../../patience.ts';
import type { Rule } from '../../rule.ts';
import type { LeaseStage, Pod } from '../lease-stage.ts';
import type { ContractLease } from '../lock-modules.ts';

/** An attempt whose create is given up, and lands afterwards. */
async function landLate(stage: LeaseStage, pod: Pod, key: string): Promise<void> {
	const create = pod.client.landLate('create', stage.fault('timeout'));
	expect(await rejection(pod.lock.tryAcquire(key))).toMatchObject({ kind: 'timeout' });
	create.open();
	await create.landed;
}

export const L12: Rule<LeaseStage> = {
	id: 'L12',
	title: 'a write whose answer was lost is resolved by re-reading; an abandoned attempt leaves nothing held',
	checks: [
		{
			title: 'a create that landed although its answer was lost is ours',
			async run(stage) {
				const pod = stage.pod();
				const key = stage.key();
				pod.client.loseAnswer('create', stage.fault('timeout'));
				const held = await acquire(pod, key);
				const lease = await stage.leaseOf(pod, key);
				expect(lease?.spec.holderIdentity).toBe(held.holder);
				expect(String(held.fencingToken)).toBe(lease?.metadata.resourceVersion);
				await pod.lock.release(held);
				expect(await stage.leaseOf(pod, key)).toBeUndefined();
			},
		},
		{
			title: 'a create whose answer was lost is not ours when another holds the lease',
			async run(stage) {
				const [first, second] = [stage.pod(), stage.pod()];
				const key = stage.key();
				const held = await acquire(first, key);
				second.client.loseAnswer('create', stage.fault('timeout'));
				const outcome = await second.lock.tryAcquire(key).then(
					(answer) => answer.outcome,
					(error: { kind?: string }) => error.kind,
				);
				expect(['contended', 'timeout']).toContain(outcome);
				expect((await stage.leaseOf(first, key))?.spec.holderIdentity).toBe(held.holder);
				await stage.time.advance(20_000);
				expect((await stage.leaseOf(first, key))?.spec.holderIdentity).toBe(held.holder);
			},
		},
		{
			title: 'a takeover that landed although its answer was lost is ours',
			async run(stage) {
				const pod = stage.pod();
				const key = stage.key();
				await stage.plant(pod.lock.leaseName(key), { holderIdentity: 'dead_1', leaseDurationSeconds: 30 });
				await expectContended(pod, key);
				await stage.time.advance(30_000);
				pod.client.loseAnswer('replace', stage.fault('timeout'));
				const held = await acquire(pod, key);
				expect((await stage.leaseOf(pod, key))?.spec.holderIdentity).toBe(held.holder);
			},
		},
		{
			title: 'a renewal that landed although its answer was lost is not loss',
			async run(stage) {
				const pod = stage.pod();
				const held = await acquire(pod, stage.key());
				pod.client.loseAnswer('replace', stage.fault('timeout'));
				await stage.time.advance(60_000);
				expect(() => held.assertHeld()).not.toThrow();
				expect(pod.observer.count('lost')).toBe(0);
			},
		},
		{
			title: 'a delete that landed although its answer was lost is a release, and the key is free',
			async run(stage) {
				const pod = stage.pod();
				const key = stage.key();
				const held = await acquire(pod, key);
				pod.client.loseAnswer('remove', stage.fault('timeout'));
				await pod.lock.release(held);
				expect(pod.observer.names()).toEqual(['attempted', 'acquired', 'released']);
				await acquire(pod, key);
			},
		},
		{
			title: 'a delete that did not land is sent again',
			async run(stage) {
				const pod = stage.pod();
				const key = stage.key();
				const held = await acquire(pod, key);
				pod.client.fail('remove', stage.fault('timeout'));
				await pod.lock.release(held);
				expect(await stage.leaseOf(pod, key)).toBeUndefined();
			},
		},
		{
			title: 'a create that landed is removed later, without a watch, when re-reading failed too',
			async run(stage) {
				const pod = stage.pod();
				const key = stage.key();
				pod.client.loseAnswer('create', stage.fault('timeout'));
				pod.client.fail('read', stage.fault('timeout'));
				expect(await rejection(pod.lock.tryAcquire(key))).toMatchObject({ kind: 'timeout' });
				expect(await stage.leaseOf(pod, key)).toBeDefined();
				await stage.time.advance(10_000);
				expect(await stage.leaseOf(pod, key)).toBeUndefined();
			},
		},
		{
			title: 'a create that lands late is removed, without a watch',
			async run(stage) {
				const pod = stage.pod();
				const key = stage.key();
				await landLate(stage, pod, key);
				expect(await stage.leaseOf(pod, key)).toBeDefined();
				await stage.time.advance(10_000);
				expect(await stage.leaseOf(pod, key)).toBeUndefined();
				expect(pod.clock.pending).toBe(0);
			},
		},
		{
			title: 'a create that lands late is removed as soon as the watch sees it',
			async run(stage) {
				const pod = stage.pod();
				const key = stage.key();
				await stage.watch(pod);
				await landLate(stage, pod, key);
				await eventually(async () => expect(await stage.leaseOf(pod, key)).toBeUndefined());
			},
		},
		{
			title: 'a create that the watch saw before it was given up is removed at once',
			async run(stage) {
				const pod = stage.pod();
				const key = stage.key();
				pod.client.next('create', async (send) => {
					pod.lock.seen(await (send() as Promise<ContractLease>));
					throw stage.fault('timeout');
				});
				pod.client.fail('read', stage.fault('timeout'));
				expect(await rejection(pod.lock.tryAcquire(key))).toMatchObject({ kind: 'timeout' });
				await eventually(async () => expect(await stage.leaseOf(pod, key)).toBeUndefined());
			},
		},
		{
			title: 'looking for a create that may land late does not touch the holder of the key',
			async run(stage) {
				const [first, second] = [stage.pod(), stage.pod()];
				const key = stage.key();
				await stage.watch(first);
				const create = first.client.landLate('create', stage.fault('timeout'));
				expect(await rejection(first.lock.tryAcquire(key))).toMatchObject({ kind: 'timeout' });
				const held = await acquire(second, key);
				create.open();
				expect(await within('the late create', create.landed)).toBe('exists');
				await stage.time.advance(30_000);
				expect((await stage.leaseOf(second, key))?.spec.holderIdentity).toBe(held.holder);
				expect(() => held.assertHeld()).not.toThrow();
			},
		},
	],
};
