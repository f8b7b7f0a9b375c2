import { ManualClock } from '@kubernaut/testkit/manual-clock';
import { describe, expect, it } from 'vitest';
import type { AuthDecision } from './auth.ts';
import { createDecisionCache } from './decision-cache.ts';

const never = new AbortController().signal;
const allowed: AuthDecision = { outcome: 'allowed' };
const forbidden: AuthDecision = { outcome: 'forbidden' };
const unauthenticated: AuthDecision = { outcome: 'unauthenticated' };
const unavailable: AuthDecision = { outcome: 'unavailable', retryAfterMs: 1 };

function setUp() {
	const clock = new ManualClock();
	const cache = createDecisionCache({ allowedMs: 30, rejectedMs: 5, maxEntries: 2 }, () => clock.now());
	let asked = 0;
	const find = async (token: string, decision: AuthDecision = allowed) => {
		const found = await cache.find(token, async () => (asked++, decision), never);
		return found.from;
	};
	return { cache, clock, find, asked: () => asked };
}

describe('the cache of decisions', () => {
	it.each([
		{ decision: allowed, keptMs: 30 },
		{ decision: forbidden, keptMs: 5 },
		{ decision: unauthenticated, keptMs: 5 },
	])('a decision `$decision.outcome` is cached for $keptMs ms', async ({ decision, keptMs }) => {
		const { clock, find } = setUp();
		expect(await find('t', decision)).toBe('api');
		clock.advance(keptMs - 1);
		expect(await find('t', decision)).toBe('cache');
		clock.advance(1);
		expect(await find('t', decision)).toBe('api');
	});

	it('a decision that is used often is not cached longer', async () => {
		const { clock, find } = setUp();
		await find('t');
		for (let ms = 0; ms < 29; ms++) {
			clock.advance(1);
			expect(await find('t')).toBe('cache');
		}
		clock.advance(1);
		expect(await find('t')).toBe('api');
	});

	it('an `unavailable` decision is not cached', async () => {
		const { find } = setUp();
		expect(await find('t', unavailable)).toBe('api');
		expect(await find('t', unavailable)).toBe('api');
	});

	it('the decision on one token is not used for another', async () => {
		const { find } = setUp();
		await find('t');
		expect(await find('T')).toBe('api');
	});

	it('a full cache removes the least recently used decision', async () => {
		const { find } = setUp();
		await find('a');
		await find('b');
		await find('a');
		await find('c');
		expect([await find('a'), await find('c'), await find('b')]).toEqual(['cache', 'cache', 'api']);
	});

	it('callers with the same token share one review', async () => {
		const { find, asked } = setUp();
		await Promise.all(Array.from({ length: 50 }, () => find('t')));
		expect(asked()).toBe(1);
	});

	it('an abort ends only the wait of its own caller, not the shared review', async () => {
		const { cache } = setUp();
		const answer = Promise.withResolvers<AuthDecision>();
		const controller = new AbortController();
		const leaving = cache.find('t', () => answer.promise, controller.signal);
		const staying = cache.find('t', () => Promise.reject(new Error('asked twice')), never);
		controller.abort(new Error('gone'));
		await expect(leaving).rejects.toThrow('gone');
		answer.resolve(allowed);
		expect(await staying).toEqual({ decision: allowed, from: 'api' });
	});

	it('a failed review is not cached', async () => {
		const { cache, find } = setUp();
		await expect(cache.find('t', () => Promise.reject(new Error('broken')), never)).rejects.toThrow('broken');
		expect(await find('t')).toBe('api');
	});
});
