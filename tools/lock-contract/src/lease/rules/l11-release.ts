import { expect } from 'vitest';
import { acquire, expectContended } from '../../any-lock/answers.ts';
import { eventually, within } from '../../patience.ts';
import type { Rule } from '../../rule.ts';
import type { LeaseStage } from '../lease-stage.ts';

/** A holder that slept through its lease, and the pod that took it over. */
async function afterTakeover(stage: LeaseStage) {
	const [first, second] = [stage.pod(), stage.pod()];
	const key = stage.key();
	const old = await acquire(first, key);
	await expectContended(second, key);
	first.clock.stopped = true;
	await stage.time.advance(30_000);
	const held = await acquire(second, key);
	return { first, second, key, old, held };
}

export const L11: Rule<LeaseStage> = {
	id: 'L11',
	title: 'release removes the very version of the lease that is ours, after the work has settled',
	checks: [
		{
			title: 'release leaves a lease in place that was taken over',
			async run(stage) {
				const { first, second, key, old } = await afterTakeover(stage);
				const before = await stage.leaseOf(second, key);
				await first.lock.release(old);
				expect(await stage.leaseOf(second, key)).toEqual(before);
			},
		},
		{
			title: 'the client removes and replaces the very version that it is given, or nothing',
			async run(stage) {
				const { client, lock } = stage.pod();
				const name = lock.leaseName(stage.key());
				const old = stage.toLease(await stage.plant(name, { holderIdentity: 'a_1', leaseDurationSeconds: 30 }));
				const current = stage.toLease(await stage.overwrite(name, { holderIdentity: 'b_1' }));
				const write = {
					name,
					key: 'k',
					holder: 'c_1',
					durationMs: 30_000,
					transitions: 1,
					acquireTime: '2026-01-01T00:00:00.000Z',
					renewTime: '2026-01-01T00:00:00.000Z',
				};
				expect(await client.remove(old)).toBe('changed');
				expect(await client.replace(old, write)).toBe('changed');
				expect(await client.remove({ ...current, uid: crypto.randomUUID() })).toBe('changed');
				expect((await client.read(name))?.holder).toBe('b_1');
				expect(await client.remove(current)).toBe('removed');
				expect(await client.remove(current)).toBe('gone');
				expect(await client.replace(current, write)).not.toMatchObject({ name });
				expect(await client.read(name)).toBeUndefined();
			},
		},
		{
			title: 'release waits for a renewal in flight',
			async run(stage) {
				const pod = stage.pod();
				const key = stage.key();
				const held = await acquire(pod, key);
				const gate = pod.client.holdAnswer('replace');
				await stage.time.advance(10_000);
				await within('the call', gate.reached);
				const releasing = pod.lock.release(held);
				await stage.settled();
				expect(pod.client.verbs()).not.toContain('remove');
				gate.open();
				await within('the release', releasing);
				expect(pod.client.verbs()).toEqual(['create', 'replace', 'remove']);
				expect(await stage.leaseOf(pod, key)).toBeUndefined();
			},
		},
		{
			title: 'release removes a version that it does not know as long as the holder in it is its own',
			async run(stage) {
				const pod = stage.pod();
				const key = stage.key();
				const held = await acquire(pod, key);
				pod.client.loseAnswer('replace', stage.fault('timeout'));
				await stage.time.advance(10_000);
				await pod.lock.release(held);
				expect(await stage.leaseOf(pod, key)).toBeUndefined();
				expect(pod.observer.count('released')).toBe(1);
			},
		},
		{
			title: 'a release that failed is done when the API server is back',
			async run(stage) {
				const pod = stage.pod();
				const key = stage.key();
				const held = await acquire(pod, key);
				pod.client.cutOff(stage.fault('unavailable'));
				await pod.lock.release(held);
				await stage.time.advance(10_000);
				pod.client.cutOff(undefined);
				pod.client.fail('remove', stage.fault('unavailable'));
				await stage.time.advance(20_000);
				expect(await stage.leaseOf(pod, key)).toBeUndefined();
				expect(pod.clock.pending).toBe(0);
			},
		},
		{
			title: 'a lease is released when the work has settled, not when its caller has left',
			async run(stage) {
				const pod = stage.pod();
				const key = stage.key();
				const caller = new AbortController();
				const [started, finish] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()];
				const work = async () => {
					started.resolve();
					return finish.promise;
				};
				const running = pod.lock.withLock(key, work, { signal: caller.signal });
				await started.promise;
				caller.abort(new Error('the caller left'));
				await stage.settled();
				expect(await stage.leaseOf(pod, key), 'released while the work still ran').toBeDefined();
				finish.resolve('done');
				expect(await within('the work', running)).toEqual({ outcome: 'ran', value: 'done' });
				await eventually(async () => expect(await stage.leaseOf(pod, key)).toBeUndefined());
			},
		},
		{
			title: 'releasing twice sends one delete',
			async run(stage) {
				const [first, second] = [stage.pod(), stage.pod()];
				const key = stage.key();
				const held = await acquire(first, key);
				await Promise.all([first.lock.release(held), first.lock.release(held)]);
				await acquire(second, key);
				await first.lock.release(held);
				expect(first.client.verbs()).toEqual(['create', 'remove']);
				expect(await stage.leaseOf(second, key)).toBeDefined();
			},
		},
	],
};
