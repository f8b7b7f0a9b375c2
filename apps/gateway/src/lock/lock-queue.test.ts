import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { LockQueue, type Place } from './lock-queue.ts';

const LEFT = new Error('the caller left');

/** Who was let in, in order; each leaves when told to. */
function visitors(queue: LockQueue, key = 'key') {
	const inside: string[] = [];
	const places: Place[] = [];
	const come = (name: string, signal?: AbortSignal) =>
		queue.enter(key, signal).then((place) => {
			inside.push(name);
			places.push(place);
		});
	const leave = async () => {
		places.shift()?.leave();
		await Promise.resolve();
		await Promise.resolve();
	};
	return { inside, come, leave };
}

it('lets callers of one key in one at a time, in order', async () => {
	const { inside, come, leave } = visitors(new LockQueue());
	const all = ['a', 'b', 'c'].map((name) => come(name));
	await all[0];
	expect(inside).toEqual(['a']);
	await leave();
	expect(inside).toEqual(['a', 'b']);
	await leave();
	await Promise.all(all);
	expect(inside).toEqual(['a', 'b', 'c']);
});

it('a place that is left twice lets one in, not two', async () => {
	const queue = new LockQueue();
	const place = await queue.enter('key');
	const { inside, come } = visitors(queue);
	const waiting = [come('a'), come('b')];
	place.leave();
	place.leave();
	await waiting[0];
	expect(inside).toEqual(['a']);
});

it('who leaves the line is passed over, and leaves nothing on the signal', async () => {
	const queue = new LockQueue();
	const { inside, come, leave } = visitors(queue);
	await come('a');
	const caller = new AbortController();
	const leaving = come('b', caller.signal);
	const last = come('c');
	caller.abort(LEFT);
	await expect(leaving).rejects.toBe(LEFT);
	await leave();
	await last;
	expect(inside).toEqual(['a', 'c']);
	expect(getEventListeners(caller.signal, 'abort')).toEqual([]);
});

it('a caller that had left before does not get a free place', async () => {
	const queue = new LockQueue();
	await expect(queue.enter('key', AbortSignal.abort(LEFT))).rejects.toBe(LEFT);
	expect(queue.keys).toBe(0);
});

it('an abort after being let in takes nobody out of line', async () => {
	const queue = new LockQueue();
	const { inside, come, leave } = visitors(queue);
	const caller = new AbortController();
	await come('a');
	const second = come('b', caller.signal);
	const third = come('c');
	await leave();
	await second;
	caller.abort(LEFT);
	await leave();
	await third;
	expect(inside).toEqual(['a', 'b', 'c']);
});

it('those who wait can be sent away; who is inside stays', async () => {
	const counts: number[] = [];
	const queue = new LockQueue((count) => counts.push(count));
	const place = await queue.enter('key');
	const waiting = [queue.enter('key'), queue.enter('key')];
	queue.sendAllAway(LEFT);
	for (const each of waiting) await expect(each).rejects.toBe(LEFT);
	expect(counts).toEqual([1, 2, 1, 0]);
	expect(queue.tryEnter('key')).toBeUndefined();
	place.leave();
	expect(queue.keys).toBe(0);
});
