import { expect } from 'vitest';
import { acquire, rejection } from '../../any-lock/answers.ts';
import { eventually, within } from '../../patience.ts';
import type { Rule } from '../../rule.ts';
import type { LeaseStage } from '../lease-stage.ts';

const LEFT = new Error('the caller left');

export const L14: Rule<LeaseStage> = {
	id: 'L14',
	title: "abort ends that caller's wait at once, and only that caller's; a cancelled waiter is never handed the lock",
	checks: [
		{
			title: 'a caller that has left before asks nobody',
			async run(stage) {
				const pod = stage.pod();
				const asking = pod.lock.withLock(stage.key(), async () => {}, { signal: AbortSignal.abort(LEFT) });
				expect(await rejection(asking)).toBe(LEFT);
				expect(pod.client.calls).toEqual([]);
			},
		},
		{
			title: 'a waiter leaves the line at once; the others keep their order',
			async run(stage) {
				const pod = stage.pod();
				const key = stage.key();
				const held = await acquire(pod, key);
				const ran: string[] = [];
				const caller = new AbortController();
				const wait = (name: string, signal?: AbortSignal) =>
					pod.lock.withLock(key, async () => void ran.push(name), signal === undefined ? {} : { signal });
				const [first, leaving, last] = [wait('first'), wait('leaving', caller.signal), wait('last')];
				const others = Promise.allSettled([first, last]);
				expect(pod.observer.waiters).toBe(3);
				caller.abort(LEFT);
				expect(await rejection(within('the caller that left', leaving))).toBe(LEFT);
				expect(pod.observer.waiters).toBe(2);
				await pod.lock.release(held);
				expect(await within('the others', others)).toMatchObject([{ status: 'fulfilled' }, { status: 'fulfilled' }]);
				expect(ran).toEqual(['first', 'last']);
			},
		},
		{
			title: 'a caller that leaves while the API server is asked leaves at once, and what comes is released',
			async run(stage) {
				const pod = stage.pod();
				const key = stage.key();
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
				expect(await rejection(within('the caller that left', asking))).toBe(LEFT);
				const next = pod.lock.withLock(key, async () => 'next');
				gate.open();
				expect(await within('the next caller', next)).toEqual({ outcome: 'ran', value: 'next' });
				expect(ran, 'a cancelled caller was handed the lock').toBe(false);
				await eventually(async () => expect(await stage.leaseOf(pod, key)).toBeUndefined());
			},
		},
		{
			title: 'a caller that leaves while the API server fails leaves the place to the next',
			async run(stage) {
				const pod = stage.pod();
				const key = stage.key();
				const caller = new AbortController();
				pod.client.next('create', async () => {
					caller.abort(LEFT);
					throw stage.fault('unavailable');
				});
				const asking = pod.lock.withLock(key, async () => {}, { signal: caller.signal });
				await rejection(asking);
				const next = pod.lock.withLock(key, async () => 'next');
				expect(await within('the next caller', next)).toEqual({ outcome: 'ran', value: 'next' });
			},
		},
		{
			title: 'work is told by its signal that its caller left',
			async run(stage) {
				const pod = stage.pod();
				const caller = new AbortController();
				const told = Promise.withResolvers<unknown>();
				const running = pod.lock.withLock(
					stage.key(),
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
			async run(stage) {
				const pod = stage.pod();
				const key = stage.key();
				const gate = pod.client.holdAnswer('remove');
				await pod.lock.withLock(key, async () => {});
				const next = pod.lock.withLock(key, async () => 'next');
				await within('the call', gate.reached);
				await stage.settled();
				expect(pod.client.verbs()).toEqual(['create', 'remove']);
				gate.open();
				expect(await within('the next caller', next)).toEqual({ outcome: 'ran', value: 'next' });
			},
		},
		{
			title: 'waiting for a release ends at once when the caller leaves, and leaves nothing behind',
			async run(stage) {
				const [holder, waiter] = [stage.pod(), stage.pod()];
				const key = stage.key();
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
