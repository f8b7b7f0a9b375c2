import { describe, expect, it } from 'vitest';
import { createReviewQueue } from './review-queue.ts';

const never = new AbortController().signal;

function setUp() {
	const queue = createReviewQueue({ maxRunning: 2, maxStrangers: 1, maxQueued: 2 });
	const begun: string[] = [];
	const ends = new Map<string, () => void>();
	const ask = (name: string, from: 'known' | 'stranger' = 'stranger', abandoned = never) =>
		queue.run(
			from,
			() => {
				begun.push(name);
				return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
			},
			abandoned,
		);
	const end = async (name: string) => {
		ends.get(name)?.();
		await new Promise((resolve) => setImmediate(resolve));
	};
	return { ask, end, begun };
}

describe('reviews of tokens', () => {
	it('a stranger beyond the queue is `full` at once; the others are reviewed in their order', async () => {
		const { ask, end, begun } = setUp();
		const asked = [ask('a'), ask('b'), ask('c')];
		expect(await ask('d')).toBe('full');
		expect(begun).toEqual(['a']);
		for (const name of ['a', 'b', 'c']) await end(name);
		expect(await Promise.all(asked)).toEqual(['a', 'b', 'c']);
	});

	it('a known sender has a place beside strangers, and goes ahead of those that wait', async () => {
		const { ask, end, begun } = setUp();
		void ask('a');
		void ask('b');
		void ask('known-1', 'known');
		void ask('known-2', 'known');
		expect(begun).toEqual(['a', 'known-1']);
		await end('a');
		expect(begun).toEqual(['a', 'known-1', 'known-2']);
		await end('known-1');
		await end('known-2');
		expect(begun.at(-1)).toBe('b');
	});

	it('a full queue of strangers does not concern known senders', async () => {
		const { ask, begun } = setUp();
		for (const name of ['a', 'b', 'c']) void ask(name);
		expect(await ask('d')).toBe('full');
		void ask('known', 'known');
		expect(begun).toContain('known');
	});

	it('a review whose callers have left leaves the queue and never begins', async () => {
		const { ask, end, begun } = setUp();
		void ask('a');
		const client = new AbortController();
		const left = ask('b', 'stranger', client.signal);
		const waiting = ask('c');
		client.abort(new Error('gone'));
		await expect(left).rejects.toThrow('gone');
		await end('a');
		expect(begun).toEqual(['a', 'c']);
		await end('c');
		expect(await waiting).toBe('c');
	});

	it('a review that fails gives its place back', async () => {
		const queue = createReviewQueue({ maxRunning: 1, maxStrangers: 1, maxQueued: 1 });
		await expect(queue.run('stranger', () => Promise.reject(new Error('no answer')), never)).rejects.toThrow();
		expect(await queue.run('stranger', async () => 'next', never)).toBe('next');
	});
});
