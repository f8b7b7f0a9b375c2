import { setImmediate as turn } from 'node:timers/promises';
import { ManualClock } from '@kubernaut/testkit/manual-clock';
import { describe, expect, it } from 'vitest';
import { type Requeue, WorkQueue } from './work-queue.ts';

/** Reconciles end when the test says so. */
function aQueue(concurrency = 10, isStarted = true) {
	const clock = new ManualClock();
	const running = new Map<string, { resolve(requeue?: Requeue): void; reject(error: Error): void }>();
	const started: string[] = [];
	const failed: string[] = [];
	const waited: number[] = [];
	let depth = '';
	let waitMs = 0;
	const reconcile = (key: string) => {
		if (running.has(key)) throw new Error(`${key} runs twice at once`);
		started.push(key);
		return new Promise<Requeue>((resolve, reject) => {
			const end = () => running.delete(key);
			running.set(key, {
				resolve: (requeue = {}) => (end(), resolve(requeue)),
				reject: (error) => (end(), reject(error)),
			});
		});
	};
	const queue = new WorkQueue({
		concurrency,
		waitMs: () => waitMs,
		backoff: { calculate: (failures) => 100 * 2 ** (failures - 1) },
		clock,
		observer: {
			depth: (ready, now) => (depth = `${ready} ready, ${now} running`),
			started: (seconds) => waited.push(seconds),
			finished() {},
			failed: (key, error, retryInMs) => failed.push(`${key}: ${(error as Error).message}, retry in ${retryInMs}`),
		},
	});
	if (isStarted) queue.start(reconcile);
	return {
		queue,
		start(ms = 0) {
			waitMs = ms;
			queue.start(reconcile);
		},
		addAfter(key: string, ms: number) {
			waitMs = ms;
			queue.add(key);
			waitMs = 0;
		},
		clock,
		started,
		failed,
		waited,
		depth: () => depth,
		async end(key: string, requeue?: Requeue) {
			running.get(key)?.resolve(requeue);
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
		const { queue, addAfter, clock, started, end } = aQueue();
		queue.add('a');
		addAfter('a', 50);
		clock.advance(50);
		expect(started).toEqual(['a']);
		await end('a');
		expect(started).toEqual(['a', 'a']);
	});

	it('is requeued when its reconcile asks for it', async () => {
		const { queue, clock, started, end } = aQueue();
		queue.add('a');
		await end('a', { afterMs: 30 });
		clock.advance(29);
		expect(started).toEqual(['a']);
		clock.advance(1);
		expect(started).toEqual(['a', 'a']);
	});
});

describe('a key that is added before the start', () => {
	it('runs once, after a wait that begins at the start', async () => {
		const { start, queue, clock, started, end } = aQueue(10, false);
		queue.add('a');
		queue.add('a');
		clock.advance(1000);
		expect(clock.pending).toBe(0);
		expect(queue.keys).toBe(1);
		start(50);
		clock.advance(49);
		expect(started).toEqual([]);
		clock.advance(1);
		expect(started).toEqual(['a']);
		await end('a');
		expect(queue.keys).toBe(0);
	});

	it('does not run when the queue was stopped first', async () => {
		const { start, queue, started } = aQueue(10, false);
		queue.add('a');
		await queue.stop();
		start();
		expect(started).toEqual([]);
		expect(queue.keys).toBe(0);
	});
});

describe('on hold', () => {
	it('no key starts; after the next start all run that were due, delayed or added', async () => {
		const { start, queue, clock, started, addAfter, end } = aQueue(1);
		queue.add('running');
		queue.add('due');
		addAfter('delayed', 50);
		queue.hold();
		queue.add('added');
		clock.advance(100);
		await end('running');
		expect(started).toEqual(['running']);
		start();
		for (const key of ['due', 'delayed', 'added']) await end(key);
		expect(started).toEqual(['running', 'due', 'delayed', 'added']);
		expect(queue.keys).toBe(0);
	});
});

describe('delays', () => {
	it('the earliest of several delays counts, and the key runs once', async () => {
		const { addAfter, clock, started, end } = aQueue();
		addAfter('a', 100);
		addAfter('a', 40);
		addAfter('a', 70);
		expect(clock.pending).toBe(1);
		clock.advance(40);
		expect(started).toEqual(['a']);
		await end('a');
		clock.advance(1000);
		expect(started).toEqual(['a']);
	});

	it('a key that is added without a wait runs at once, whatever its delay was', () => {
		const { queue, addAfter, clock, started } = aQueue();
		addAfter('a', 100);
		queue.add('a');
		expect(started).toEqual(['a']);
		expect(clock.pending).toBe(0);
	});

	it('a key without a delay runs at once', () => {
		const { addAfter, clock, started } = aQueue();
		addAfter('a', 0);
		addAfter('b', -5);
		expect(started).toEqual(['a', 'b']);
		expect(clock.pending).toBe(0);
	});
});

describe('a failure', () => {
	it('is retried after a growing wait, which begins anew after a success', async () => {
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
		expect(failed).toEqual([100, 200, 400, 100].map((ms) => `a: broken, retry in ${ms}`));
	});

	it('keeps its wait when the key was added while it failed', async () => {
		const { queue, clock, started, fail } = aQueue();
		queue.add('a');
		queue.add('a');
		await fail('a');
		expect(started).toEqual(['a']);
		clock.advance(100);
		expect(started).toEqual(['a', 'a']);
	});

	it('keeps its wait when the key is added after it, or was due earlier', async () => {
		const { queue, addAfter, clock, started, fail } = aQueue();
		queue.add('a');
		addAfter('a', 50);
		await fail('a');
		queue.add('a');
		clock.advance(99);
		expect(started).toEqual(['a']);
		clock.advance(1);
		expect(started).toEqual(['a', 'a']);
	});

	it('counts on over a reconcile that tried nothing, because another replica was at it', async () => {
		const { queue, clock, failed, fail, end } = aQueue();
		queue.add('a');
		await fail('a');
		clock.advance(100);
		await end('a', { untried: true });
		queue.add('a');
		await fail('a');
		expect(failed).toEqual(['a: broken, retry in 100', 'a: broken, retry in 200']);
	});

	it('of one key does not affect the others, also when it is thrown synchronously', async () => {
		const { clock } = aQueue();
		const seen: string[] = [];
		const reconcile = (key: string) => {
			seen.push(key);
			if (key === 'bad') throw new Error('at once');
			return Promise.resolve({});
		};
		const observer = { depth() {}, started() {}, finished() {}, failed() {} };
		const backoff = { calculate: () => 100 };
		const queue = new WorkQueue({ concurrency: 1, waitMs: () => 0, backoff, clock, observer });
		queue.start(reconcile);
		queue.add('bad');
		queue.add('good');
		await turn();
		expect(seen).toEqual(['bad', 'good']);
	});
});

describe('concurrency', () => {
	it('is bounded; the other keys wait in their order, and how long is observed', async () => {
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
	it('starts no key any more, leaves no timer, and settles when no key runs', async () => {
		const { queue, addAfter, clock, started, end, fail } = aQueue(2);
		for (const key of ['a', 'b', 'c']) queue.add(key);
		addAfter('d', 100);
		queue.add('a');
		let stopped = false;
		void queue.stop().then(() => (stopped = true));
		expect(clock.pending).toBe(0);
		await end('a', { afterMs: 10 });
		expect(stopped).toBe(false);
		await fail('b');
		expect(stopped).toBe(true);
		queue.add('e');
		addAfter('f', 1);
		clock.advance(10_000);
		expect(started).toEqual(['a', 'b']);
		expect(clock.pending).toBe(0);
	});

	it('settles at once when no key runs', async () => {
		await expect(aQueue().queue.stop()).resolves.toBeUndefined();
	});
});
