import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { LockQueue, type Slot } from './lock-queue.ts';

const LEFT = new Error('the caller left');

/** Callers of one key: those that have been admitted, in order, and their slots. */
function callersOf(queue: LockQueue, key = 'key') {
	const admitted: string[] = [];
	const slots: Slot[] = [];
	const enter = (name: string, signal?: AbortSignal) =>
		queue.enter(key, signal).then((slot) => {
			admitted.push(name);
			slots.push(slot);
		});
	const releaseFirst = async () => {
		slots.shift()?.release();
		await Promise.resolve();
		await Promise.resolve();
	};
	return { admitted, enter, releaseFirst };
}

it('callers of one key are admitted one at a time, in order', async () => {
	const { admitted, enter, releaseFirst } = callersOf(new LockQueue());
	const all = ['a', 'b', 'c'].map((name) => enter(name));
	await all[0];
	expect(admitted).toEqual(['a']);
	await releaseFirst();
	expect(admitted).toEqual(['a', 'b']);
	await releaseFirst();
	await Promise.all(all);
	expect(admitted).toEqual(['a', 'b', 'c']);
});

it('a slot that is released twice admits one caller, not two', async () => {
	const queue = new LockQueue();
	const slot = await queue.enter('key');
	const { admitted, enter } = callersOf(queue);
	const waiting = [enter('a'), enter('b')];
	slot.release();
	slot.release();
	await waiting[0];
	expect(admitted).toEqual(['a']);
});

it('a waiter that aborts is passed over, and leaves no listener on its signal', async () => {
	const queue = new LockQueue();
	const { admitted, enter, releaseFirst } = callersOf(queue);
	await enter('a');
	const caller = new AbortController();
	const leaving = enter('b', caller.signal);
	const last = enter('c');
	caller.abort(LEFT);
	await expect(leaving).rejects.toBe(LEFT);
	await releaseFirst();
	await last;
	expect(admitted).toEqual(['a', 'c']);
	expect(getEventListeners(caller.signal, 'abort')).toEqual([]);
});

it('a caller whose signal is already aborted does not get a free slot', async () => {
	const queue = new LockQueue();
	await expect(queue.enter('key', AbortSignal.abort(LEFT))).rejects.toBe(LEFT);
	expect(queue.keys).toBe(0);
});

it('an abort after admission removes no waiter', async () => {
	const queue = new LockQueue();
	const { admitted, enter, releaseFirst } = callersOf(queue);
	const caller = new AbortController();
	await enter('a');
	const second = enter('b', caller.signal);
	const third = enter('c');
	await releaseFirst();
	await second;
	caller.abort(LEFT);
	await releaseFirst();
	await third;
	expect(admitted).toEqual(['a', 'b', 'c']);
});

it('rejectAll rejects the waiters, and the caller that has the slot keeps it', async () => {
	const counts: number[] = [];
	const queue = new LockQueue((count) => counts.push(count));
	const slot = await queue.enter('key');
	const waiting = [queue.enter('key'), queue.enter('key')];
	queue.rejectAll(LEFT);
	for (const each of waiting) await expect(each).rejects.toBe(LEFT);
	expect(counts).toEqual([1, 2, 1, 0]);
	expect(queue.tryEnter('key')).toBeUndefined();
	slot.release();
	expect(queue.keys).toBe(0);
});
