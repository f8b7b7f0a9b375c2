import { getEventListeners } from 'node:events';
import { ManualClock } from '@kubernaut/testkit/manual-clock';
import { describe, expect, it } from 'vitest';
import { createWorkPlaces, type WorkOptions, WorkOverload } from './work-places.ts';

function setUp(places = 1) {
	const clock = new ManualClock();
	const reported = { busy: 0, waiting: 0 };
	const observer = { places: (busy: number, waiting: number) => void Object.assign(reported, { busy, waiting }) };
	const work = createWorkPlaces({ now: () => clock.now(), observer }, places);
	const begun: string[] = [];
	/** Runs until it is ended. */
	function start(name: string, options?: WorkOptions) {
		const ended = Promise.withResolvers<string>();
		const result = work.run(() => {
			begun.push(name);
			return ended.promise;
		}, options);
		result.catch(() => undefined);
		return { result, end: () => (ended.resolve(name), result), fail: () => ended.reject(new Error(name)) };
	}
	return { clock, reported, work, begun, start };
}

describe('places of work', () => {
	it('as many pieces run as there are places; the others follow in their order', async () => {
		const { begun, start, reported } = setUp(2);
		const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => start(name));
		expect([begun, reported]).toEqual([['a', 'b'], { busy: 2, waiting: 2 }]);
		await b!.end();
		expect(begun).toEqual(['a', 'b', 'c']);
		for (const piece of [a, c, d]) await piece!.end();
		expect([begun, reported]).toEqual([['a', 'b', 'c', 'd'], { busy: 0, waiting: 0 }]);
	});

	it('a piece that fails frees its place', async () => {
		const { start, reported } = setUp();
		const failing = start('a');
		failing.fail();
		await expect(failing.result).rejects.toThrow('a');
		expect(reported.busy).toBe(0);
	});

	it('pieces that finish go first, and every third place is for one that begins', async () => {
		const { begun, start } = setUp();
		let running = start('running');
		const pieces = new Map<string, ReturnType<typeof start>>();
		for (const name of ['b1', 'b2', 'f1', 'f2', 'f3', 'f4'])
			pieces.set(name, start(name, { finishes: name.startsWith('f') }));
		for (let ended = 0; ended < 6; ended++) {
			await running.end();
			running = pieces.get(begun.at(-1)!)!;
		}
		expect(begun).toEqual(['running', 'f1', 'f2', 'b1', 'f3', 'f4', 'b2']);
	});

	it('an abort ends the wait for a place at once and leaves no listener; a piece that has begun goes on', async () => {
		const { begun, start, reported } = setUp();
		const abort = new AbortController();
		const first = start('first', { abort: abort.signal });
		const second = start('second', { abort: abort.signal });
		abort.abort(new Error('gone'));
		await expect(second.result).rejects.toThrow('gone');
		expect(reported).toEqual({ busy: 1, waiting: 0 });
		expect(getEventListeners(abort.signal, 'abort')).toEqual([]);
		expect(await first.end()).toBe('first');
		expect(begun).toEqual(['first']);
	});

	it('a piece that was aborted before does not begin', async () => {
		const { begun, start } = setUp();
		await expect(start('a', { abort: AbortSignal.abort(new Error('gone')) }).result).rejects.toThrow('gone');
		expect(begun).toEqual([]);
	});

	it('the backlog is the time of half of the pieces that wait, by the mean of the last, over all places', async () => {
		const { clock, start, work } = setUp(2);
		for (let piece = 0; piece < 100; piece++) {
			const { end } = start('a');
			clock.advance(100);
			await end();
		}
		expect(work.backlogMs()).toBe(0);
		for (let piece = 0; piece < 12; piece++) start('b');
		expect(work.backlogMs()).toBeCloseTo(250, 0);
	});

	it('a piece that could not begin before the deadline of its caller is rejected at once, others are not', async () => {
		const { clock, begun, start } = setUp();
		for (let piece = 0; piece < 100; piece++) {
			const { end } = start('a');
			clock.advance(100);
			await end();
		}
		start('running');
		start('waiting', { deadlineAt: clock.now() }); // nothing waits before it
		const hopeless = start('hopeless', { deadlineAt: clock.now() + 40 });
		await expect(hopeless.result).rejects.toBeInstanceOf(WorkOverload);
		const patient = start('patient', { deadlineAt: clock.now() + 200 });
		expect(await Promise.race([patient.result, Promise.resolve('waits')])).toBe('waits');
		expect(begun.at(-1)).toBe('running');
	});

	it.each([
		{ slow: 1, quick: 0, run: 16 },
		{ slow: 2, quick: 0, run: 12 },
		{ slow: 9, quick: 0, run: 8 },
		{ slow: 9, quick: 20, run: 10 },
		{ slow: 9, quick: 200, run: 20 },
	])('of twenty places $run are left after $slow slow pieces and $quick quick ones', async ({ slow, quick, run }) => {
		const { clock, start, reported } = setUp(20);
		for (const { times, ms } of [
			{ times: slow, ms: 1500 },
			{ times: quick, ms: 10 },
		])
			for (let piece = 0; piece < times; piece++) {
				const { end } = start('piece');
				clock.advance(ms);
				await end();
			}
		for (let piece = 0; piece < 30; piece++) start('piece');
		expect(reported).toEqual({ busy: run, waiting: 30 - run });
	});

	it('slow pieces that ran together count once', async () => {
		const { clock, start, reported } = setUp(20);
		const together = Array.from({ length: 20 }, () => start('piece'));
		clock.advance(1500);
		for (const { end } of together) await end();
		for (let piece = 0; piece < 30; piece++) start('piece');
		expect(reported.busy).toBe(16);
	});
});
