import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../test/harness/manual-clock.ts';
import { type Again, WorkQueue } from './work-queue.ts';

/** Work that ends when the test says so. */
function aQueue(concurrency = 10) {
	const clock = new ManualClock();
	const running = new Map<string, { resolve(again?: Again): void; reject(error: Error): void }>();
	const started: string[] = [];
	const failed: string[] = [];
	const waited: number[] = [];
	let depth = '';
	const work = (key: string) => {
		if (running.has(key)) throw new Error(`${key} runs twice at once`);
		started.push(key);
		return new Promise<Again>((resolve, reject) => {
			const end = () => running.delete(key);
			running.set(key, {
				resolve: (again = {}) => (end(), resolve(again)),
				reject: (error) => (end(), reject(error)),
			});
		});
	};
	const queue = new WorkQueue(work, {
		concurrency,
		backoff: { calculate: (failures) => 100 * 2 ** (failures - 1) },
		clock,
		observer: {
			depth: (ready, now) => (depth = `${ready} ready, ${now} running`),
			started: (seconds) => waited.push(seconds),
			finished() {},
			failed: (key, error, retryInMs) => failed.push(`${key}: ${(error as Error).message}, again in ${retryInMs}`),
		},
	});
	return {
		queue,
		clock,
		started,
		failed,
		waited,
		depth: () => depth,
		async end(key: string, again?: Again) {
			running.get(key)?.resolve(again);
			await turn();
		},
		async fail(key: string) {
			running.get(key)?.reject(new Error('broken'));
			await turn();
		},
	};
}

describe('a key', () => {
	it('runs when it is added, and takes no memory afterwards', async () => {
		const { queue, started, end } = aQueue();
		queue.add('a');
		expect(started).toEqual(['a']);
		expect(queue.keys).toBe(1);
		await end('a');
		expect(queue.keys).toBe(0);
	});

	it('never runs twice at once, and runs once more however often it was added meanwhile', async () => {
		const { queue, started, end } = aQueue();
		queue.add('a');
		for (let times = 0; times < 5; times++) queue.add('a');
		expect(started).toEqual(['a']);
		await end('a');
		expect(started).toEqual(['a', 'a']);
		await end('a');
		expect(started).toEqual(['a', 'a']);
		expect(queue.keys).toBe(0);
	});

	it('that became due while it ran runs afterwards', async () => {
		const { queue, clock, started, end } = aQueue();
		queue.add('a');
		queue.addAfter('a', 50);
		clock.advance(50);
		expect(started).toEqual(['a']);
		await end('a');
		expect(started).toEqual(['a', 'a']);
	});

	it('comes again when its work says so', async () => {
		const { queue, clock, started, end } = aQueue();
		queue.add('a');
		await end('a', { againAfterMs: 30 });
		clock.advance(29);
		expect(started).toEqual(['a']);
		clock.advance(1);
		expect(started).toEqual(['a', 'a']);
	});
});

describe('delays', () => {
	it('the earliest of several wins, and it runs once', async () => {
		const { queue, clock, started, end } = aQueue();
		queue.addAfter('a', 100);
		queue.addAfter('a', 40);
		queue.addAfter('a', 70);
		expect(clock.pending).toBe(1);
		clock.advance(40);
		expect(started).toEqual(['a']);
		await end('a');
		clock.advance(1000);
		expect(started).toEqual(['a']);
	});

	it('adding at once ends the wait', () => {
		const { queue, clock, started } = aQueue();
		queue.addAfter('a', 100);
		queue.add('a');
		expect(started).toEqual(['a']);
		expect(clock.pending).toBe(0);
	});

	it('no delay is at once', () => {
		const { queue, clock, started } = aQueue();
		queue.addAfter('a', 0);
		queue.addAfter('b', -5);
		expect(started).toEqual(['a', 'b']);
		expect(clock.pending).toBe(0);
	});
});

describe('a failure', () => {
	it('comes again after a wait that grows, and begins anew after a success', async () => {
		const { queue, clock, started, failed, fail, end } = aQueue();
		queue.add('a');
		for (const waitMs of [100, 200, 400]) {
			await fail('a');
			clock.advance(waitMs - 1);
			const before = started.length;
			clock.advance(1);
			expect(started).toHaveLength(before + 1);
		}
		expect(queue.keys).toBe(1);
		await end('a');
		expect(queue.keys).toBe(0);
		queue.add('a');
		await fail('a');
		expect(failed).toEqual([100, 200, 400, 100].map((ms) => `a: broken, again in ${ms}`));
	});

	it('is not repeated at once because something changed while it failed', async () => {
		const { queue, clock, started, fail } = aQueue();
		queue.add('a');
		queue.add('a');
		await fail('a');
		expect(started).toEqual(['a']);
		clock.advance(100);
		expect(started).toEqual(['a', 'a']);
	});

	it('of one key leaves the others alone, also one that throws before it waits', async () => {
		const { clock } = aQueue();
		const seen: string[] = [];
		const work = (key: string) => {
			seen.push(key);
			if (key === 'bad') throw new Error('at once');
			return Promise.resolve({});
		};
		const observer = { depth() {}, started() {}, finished() {}, failed() {} };
		const queue = new WorkQueue(work, { concurrency: 1, backoff: { calculate: () => 100 }, clock, observer });
		queue.add('bad');
		queue.add('good');
		await turn();
		expect(seen).toEqual(['bad', 'good']);
	});
});

describe('concurrency', () => {
	it('is bounded; the rest wait in their order, and how long is told', async () => {
		const { queue, clock, started, waited, depth, end } = aQueue(2);
		for (const key of ['a', 'b', 'c', 'd', 'c']) queue.add(key);
		expect(started).toEqual(['a', 'b']);
		expect(depth()).toBe('2 ready, 2 running');
		clock.advance(3000);
		await end('b');
		expect(started).toEqual(['a', 'b', 'c']);
		expect(waited).toEqual([0, 0, 3]);
		await end('a');
		expect(started).toEqual(['a', 'b', 'c', 'd']);
		await end('c');
		await end('d');
		expect(depth()).toBe('0 ready, 0 running');
	});
});

describe('stop', () => {
	it('starts nothing more, leaves no timer, and is done when nothing runs', async () => {
		const { queue, clock, started, end, fail } = aQueue(2);
		for (const key of ['a', 'b', 'c']) queue.add(key);
		queue.addAfter('d', 100);
		queue.add('a');
		let stopped = false;
		void queue.stop().then(() => (stopped = true));
		expect(clock.pending).toBe(0);
		await end('a', { againAfterMs: 10 });
		expect(stopped).toBe(false);
		await fail('b');
		expect(stopped).toBe(true);
		queue.add('e');
		queue.addAfter('f', 1);
		clock.advance(10_000);
		expect(started).toEqual(['a', 'b']);
		expect(clock.pending).toBe(0);
	});

	it('is done at once when nothing runs', async () => {
		await expect(aQueue().queue.stop()).resolves.toBeUndefined();
	});
});
