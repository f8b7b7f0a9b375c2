import { expect } from 'vitest';
import { acquire, type ExamRoom, expectContended, refusal, success } from '../exam-room.ts';
import { eventually, within } from '../patience.ts';
import type { Rule } from '../rule.ts';

/** A holder that slept through its lease, and the one who took it over. */
async function afterTakeover(room: ExamRoom) {
	const [first, second] = [room.pod(), room.pod()];
	const key = room.key();
	const old = await acquire(first, key);
	await expectContended(second, key);
	first.clock.stopped = true;
	await room.time.advance(30_000);
	const held = await acquire(second, key);
	return { first, second, key, old, held };
}

export const L11: Rule = {
	id: 'L11',
	title: 'release removes only our own lease, after the work has settled, and never hides the result of the work',
	checks: [
		{
			title: "release leaves a successor's lease in place",
			async run(room) {
				const { first, second, key, old } = await afterTakeover(room);
				const before = await room.leaseOf(second, key);
				await first.lock.release(old);
				expect(await room.leaseOf(second, key)).toEqual(before);
			},
		},
		{
			title: 'also when the successor made a new one of the same name',
			async run(room) {
				const [first, second] = [room.pod(), room.pod()];
				const key = room.key();
				const old = await acquire(first, key);
				await room.remove(first.lock.leaseName(key));
				await acquire(second, key);
				const before = await room.leaseOf(second, key);
				await first.lock.release(old);
				expect(await room.leaseOf(second, key)).toEqual(before);
			},
		},
		{
			title: 'the client itself removes and replaces the very version that it is given, or nothing',
			async run(room) {
				const { client, lock } = room.pod();
				const name = lock.leaseName(room.key());
				const old = room.toLease(await room.plant(name, { holderIdentity: 'a_1', leaseDurationSeconds: 30 }));
				const current = room.toLease(await room.overwrite(name, { holderIdentity: 'b_1' }));
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
			title: 'a renewal in flight is settled first',
			async run(room) {
				const pod = room.pod();
				const key = room.key();
				const held = await acquire(pod, key);
				const gate = pod.client.holdAnswer('replace');
				await room.time.advance(10_000);
				await within('the call', gate.reached);
				const releasing = pod.lock.release(held);
				await room.settled();
				expect(pod.client.verbs()).not.toContain('remove');
				gate.open();
				await within('the release', releasing);
				expect(pod.client.verbs()).toEqual(['create', 'replace', 'remove']);
				expect(await room.leaseOf(pod, key)).toBeUndefined();
			},
		},
		{
			title: 'a version that we do not know is read again, and removed while the nonce is ours',
			async run(room) {
				const pod = room.pod();
				const key = room.key();
				const held = await acquire(pod, key);
				pod.client.loseAnswer('replace', room.fault('timeout'));
				await room.time.advance(10_000);
				await pod.lock.release(held);
				expect(await room.leaseOf(pod, key)).toBeUndefined();
				expect(pod.observer.count('released')).toBe(1);
			},
		},
		{
			title: 'a failed release is told to the observer, and hides neither value nor error',
			async run(room) {
				const pod = room.pod();
				pod.client.always('remove', () => Promise.reject(room.fault('unavailable')));
				pod.client.always('read', () => Promise.reject(room.fault('unavailable')));
				const [good, bad] = [room.key(), room.key()];
				expect(await success(pod.lock.withLock(good, async () => 42))).toEqual({ outcome: 'ran', value: 42 });
				const failing = pod.lock.withLock(bad, () => Promise.reject(new Error('the work failed')));
				expect(await refusal(failing)).toMatchObject({ message: expect.stringContaining('the work failed') });
				await eventually(() => expect(pod.observer.count('releaseFailed')).toBe(2));
				const held = await acquire(pod, room.key());
				expect(await success(pod.lock.release(held))).toBeUndefined();
			},
		},
		{
			title: 'a release that failed is made good when the API server is back',
			async run(room) {
				const pod = room.pod();
				const key = room.key();
				const held = await acquire(pod, key);
				pod.client.cutOff(room.fault('unavailable'));
				await pod.lock.release(held);
				await room.time.advance(10_000);
				pod.client.cutOff(undefined);
				pod.client.fail('remove', room.fault('unavailable'));
				await room.time.advance(20_000);
				expect(await room.leaseOf(pod, key)).toBeUndefined();
				expect(pod.clock.pending).toBe(0);
			},
		},
		{
			title: "it waits for the work, and not for the caller's patience",
			async run(room) {
				const pod = room.pod();
				const key = room.key();
				const caller = new AbortController();
				const [started, finish] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()];
				const work = async () => {
					started.resolve();
					return finish.promise;
				};
				const running = pod.lock.withLock(key, work, { signal: caller.signal });
				await started.promise;
				caller.abort(new Error('the caller left'));
				await room.settled();
				expect(await room.leaseOf(pod, key), 'released while the work still ran').toBeDefined();
				finish.resolve('done');
				expect(await within('the work', running)).toEqual({ outcome: 'ran', value: 'done' });
				await eventually(async () => expect(await room.leaseOf(pod, key)).toBeUndefined());
			},
		},
		{
			title: 'releasing twice is releasing once',
			async run(room) {
				const [first, second] = [room.pod(), room.pod()];
				const key = room.key();
				const held = await acquire(first, key);
				await Promise.all([first.lock.release(held), first.lock.release(held)]);
				await acquire(second, key);
				await first.lock.release(held);
				expect(first.client.verbs()).toEqual(['create', 'remove']);
				expect(await room.leaseOf(second, key)).toBeDefined();
			},
		},
	],
};
