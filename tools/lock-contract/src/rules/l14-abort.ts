import { expect } from 'vitest';
import { acquire, refusal } from '../exam-room.ts';
import { eventually, within } from '../patience.ts';
import type { Rule } from '../rule.ts';

const LEFT = new Error('the caller left');

export const L14: Rule = {
	id: 'L14',
	title: "abort ends that caller's wait at once, and only that caller's; a cancelled waiter is never handed the lock",
	checks: [
		{
			title: 'a caller that has left before asks nobody',
			async run(room) {
				const pod = room.pod();
				const asking = pod.lock.withLock(room.key(), async () => {}, { signal: AbortSignal.abort(LEFT) });
				expect(await refusal(asking)).toBe(LEFT);
				expect(pod.client.calls).toEqual([]);
			},
		},
		{
			title: 'a waiter leaves the line at once; the others keep their order',
			async run(room) {
				const pod = room.pod();
				const key = room.key();
				const held = await acquire(pod, key);
				const ran: string[] = [];
				const caller = new AbortController();
				const wait = (name: string, signal?: AbortSignal) =>
					pod.lock.withLock(key, async () => void ran.push(name), signal === undefined ? {} : { signal });
				const [first, leaving, last] = [wait('first'), wait('leaving', caller.signal), wait('last')];
				expect(pod.observer.inLine).toBe(3);
				caller.abort(LEFT);
				expect(await refusal(within('the caller that left', leaving))).toBe(LEFT);
				expect(pod.observer.inLine).toBe(2);
				await pod.lock.release(held);
				const others = await within('the others', Promise.allSettled([first, last]));
				expect(others).toMatchObject([{ status: 'fulfilled' }, { status: 'fulfilled' }]);
				expect(ran).toEqual(['first', 'last']);
			},
		},
		{
			title: 'a caller that leaves while the API server is asked leaves at once, and what comes is released',
			async run(room) {
				const pod = room.pod();
				const key = room.key();
				const caller = new AbortController();
				const gate = pod.client.holdAnswer('create');
				let ran = false;
				const asking = pod.lock.withLock(
					key,
					async () => {
						ran = true;
					},
					{ signal: caller.signal },
				);
				await within('the call', gate.reached);
				caller.abort(LEFT);
				expect(await refusal(within('the caller that left', asking))).toBe(LEFT);
				const next = pod.lock.withLock(key, async () => 'next');
				gate.open();
				expect(await within('the next caller', next)).toEqual({ outcome: 'ran', value: 'next' });
				expect(ran, 'a cancelled caller was handed the lock').toBe(false);
				await eventually(async () => expect(await room.leaseOf(pod, key)).toBeUndefined());
			},
		},
		{
			title: 'a caller that leaves while the API server fails leaves the place to the next',
			async run(room) {
				const pod = room.pod();
				const key = room.key();
				const caller = new AbortController();
				pod.client.next('create', async () => {
					caller.abort(LEFT);
					throw room.fault('unavailable');
				});
				const asking = pod.lock.withLock(key, async () => {}, { signal: caller.signal });
				await refusal(asking);
				const next = pod.lock.withLock(key, async () => 'next');
				expect(await within('the next caller', next)).toEqual({ outcome: 'ran', value: 'next' });
			},
		},
		{
			title: 'work is told by its signal that its caller left',
			async run(room) {
				const pod = room.pod();
				const caller = new AbortController();
				const told = Promise.withResolvers<unknown>();
				const running = pod.lock.withLock(
					room.key(),
					async ({ signal }) => {
						signal.addEventListener('abort', () => told.resolve(signal.reason));
						caller.abort(LEFT);
						return told.promise;
					},
					{ signal: caller.signal },
				);
				expect(await within('the work is told', running)).toEqual({ outcome: 'ran', value: LEFT });
			},
		},
		{
			title: 'the place passes on when the release has settled, and not before',
			async run(room) {
				const pod = room.pod();
				const key = room.key();
				const gate = pod.client.holdAnswer('remove');
				await pod.lock.withLock(key, async () => {});
				const next = pod.lock.withLock(key, async () => 'next');
				await within('the call', gate.reached);
				await room.settled();
				expect(pod.client.verbs()).toEqual(['create', 'remove']);
				gate.open();
				expect(await within('the next caller', next)).toEqual({ outcome: 'ran', value: 'next' });
			},
		},
		{
			title: 'waiting for a release ends at once when the caller leaves, and leaves nothing behind',
			async run(room) {
				const [holder, waiter] = [room.pod(), room.pod()];
				const key = room.key();
				await acquire(holder, key);
				await waiter.lock.tryAcquire(key);
				const caller = new AbortController();
				const waiting = waiter.lock.waitForRelease(key, 60_000, caller.signal);
				expect(waiter.clock.pending).toBe(1);
				caller.abort(LEFT);
				await within('the wait', waiting);
				expect(waiter.clock.pending).toBe(0);
			},
		},
	],
};
