import { expect } from 'vitest';
import { acquire, rejection } from '../../any-lock/answers.ts';
import { eventually, within } from '../../patience.ts';
import type { Rule } from '../../rule.ts';
import type { LeaseStage } from '../lease-stage.ts';

const LEFT = new Error('the caller left');

export const L14: Rule<LeaseStage> = {
	id: 'L14',
	title: "abort ends that caller's wait at once, and only that caller's; an aborted waiter never gets the lock",
	checks: [
		{
			title: 'a caller whose signal is already aborted sends no call',
			async run(stage) {
				const pod = stage.pod();
				const asking = pod.lock.withLock(stage.key(), async () => {}, { signal: AbortSignal.abort(LEFT) });
				expect(await rejection(asking)).toBe(LEFT);
				expect(pod.client.calls).toEqual([]);
			},
		},
		{
			title: 'a waiter that aborts leaves the line at once; the others keep their order',
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
				expect(await rejection(within('the caller that aborted', leaving))).toBe(LEFT);
				expect(pod.observer.waiters).toBe(2);
				await pod.lock.release(held);
				expect(await within('the others', others)).toMatchObject([{ status: 'fulfilled' }, { status: 'fulfilled' }]);
				expect(ran).toEqual(['first', 'last']);
			},
		},
		{
			title: 'a caller that aborts during the create is rejected at once, and the lease is released when it comes',
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
				expect(await rejection(within('the caller that aborted', asking))).toBe(LEFT);
				const next = pod.lock.withLock(key, async () => 'next');
				gate.open();
				expect(await within('the next caller', next)).toEqual({ outcome: 'ran', value: 'next' });
				expect(ran, 'an aborted caller got the lock').toBe(false);
				await eventually(async () => expect(await stage.leaseOf(pod, key)).toBeUndefined());
			},
		},
		{
			title: 'a caller that aborts while the create fails frees the slot for the next caller',
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
			title: 'the signal of the work aborts when its caller aborts',
			async run(stage) {
				const pod = stage.pod();
				const caller = new AbortController();
				const aborted = Promise.withResolvers<unknown>();
				const running = pod.lock.withLock(
					stage.key(),
					async ({ signal }) => {
						signal.addEventListener('abort', () => aborted.resolve(signal.reason));
						caller.abort(LEFT);
						return aborted.promise;
					},
					{ signal: caller.signal },
				);
				expect(await within('the work', running)).toEqual({ outcome: 'ran', value: LEFT });
			},
		},
		{
			title: 'the next caller runs when the release has settled, not before',
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
			title: 'waitForRelease ends at once when the caller aborts, and leaves no timer',
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
