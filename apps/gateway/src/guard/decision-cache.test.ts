import { ManualClock } from '@kubernaut/testkit/manual-clock';
import { describe, expect, it } from 'vitest';
import type { AuthDecision } from './auth.ts';
import { createDecisionCache } from './decision-cache.ts';

const never = new AbortController().signal;
const allowed: AuthDecision = { outcome: 'allowed' };
const forbidden: AuthDecision = { outcome: 'forbidden' };
const unauthenticated: AuthDecision = { outcome: 'unauthenticated' };
const unavailable: AuthDecision = { outcome: 'unavailable', retryAfterMs: 1 };

const OPTIONS = { allowedMs: 30, rejectedMs: 5, staleMs: 100, knownMs: 1000, maxEntries: 2 };

function setUp() {
	const clock = new ManualClock();
	const cache = createDecisionCache(OPTIONS, () => clock.now());
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
		for (const [laterMs, want] of [
			[keptMs - 1, 'cache'],
			[keptMs, 'api'],
		] as const) {
			const { clock, find } = setUp();
			expect(await find('t', decision)).toBe('api');
			clock.advance(laterMs);
			expect(await find('t', decision)).toBe(want);
		}
	});

	it('an allowed sender that is active never waits: its decision is renewed behind its back, from half its time on', async () => {
		const { clock, find, asked } = setUp();
		await find('t');
		for (let ms = 0; ms < 100; ms++) {
			clock.advance(1);
			expect(await find('t')).toBe('cache');
		}
		expect(asked()).toBe(1 + Math.floor(100 / 15));
	});

	it('a renewal that rejects takes effect at once', async () => {
		const { clock, find } = setUp();
		await find('t');
		clock.advance(15);
		expect(await find('t', forbidden)).toBe('cache');
		clock.advance(5);
		expect(await find('t', forbidden)).toBe('api'); // the rejection has ended, too
	});

	it('a renewal that fails is tried again soon, and does not prolong the decision', async () => {
		const { clock, find, asked } = setUp();
		await find('t');
		for (let ms = 0; ms < 29; ms++) {
			clock.advance(1);
			expect(await find('t', unavailable)).toBe('cache');
		}
		expect(asked()).toBe(4);
		clock.advance(1);
		expect(await find('t', unavailable)).toBe('api');
	});

	it('a sender that was allowed before is known; a rejected one, and one after a long time, is a stranger', async () => {
		const { cache, clock } = setUp();
		const from: string[] = [];
		const find = (token: string, decision: AuthDecision) =>
			cache.find(token, async (kind) => (from.push(`${token} ${kind}`), decision), never);
		await find('a', allowed);
		await find('b', forbidden);
		clock.advance(31);
		await find('a', allowed);
		await find('b', forbidden);
		clock.advance(1031);
		await find('a', allowed);
		expect(from).toEqual(['a stranger', 'b stranger', 'a known', 'b stranger', 'a stranger']);
	});

	it('strangers do not push an allowed sender out', async () => {
		const { find } = setUp();
		await find('t');
		for (let i = 0; i < 10; i++) await find(`stranger-${i}`, unauthenticated);
		expect(await find('t')).toBe('cache');
	});

	it('a review without a caller that waits is abandoned, and the next caller gets one of its own', async () => {
		const { cache, find } = setUp();
		const abandoned: AbortSignal[] = [];
		const [one, other] = [new AbortController(), new AbortController()];
		const review = (_: unknown, signal: AbortSignal) => (abandoned.push(signal), new Promise<AuthDecision>(() => {}));
		const waiting = [one, other].map(({ signal }) => cache.find('t', review, signal).catch(() => 'left'));
		one.abort(new Error('gone'));
		await waiting[0];
		expect(abandoned.map(({ aborted }) => aborted)).toEqual([false]);
		other.abort(new Error('gone'));
		await waiting[1];
		expect(abandoned.map(({ aborted }) => aborted)).toEqual([true]);
		expect(await find('t')).toBe('api');
	});

	it('while the API server is away an allowed decision is used beyond its end, for a while; a rejected one is not', async () => {
		const { cache, clock, find } = setUp();
		const away = async (token: string) => (await cache.find(token, async () => unavailable, never, true)).decision;
		await find('a', allowed);
		await find('b', forbidden);
		clock.advance(129);
		expect(await away('a')).toEqual(allowed);
		expect(await away('b')).toEqual(unavailable);
		clock.advance(1);
		expect(await away('a')).toEqual(unavailable);
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
