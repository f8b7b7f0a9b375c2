import { describe, expect, it } from 'vitest';
import { retryAfterMs } from './retry-after.ts';

describe('retryAfterMs', () => {
	it.each([
		{ waitMs: 0, random: 0, want: 1000 },
		{ waitMs: 0, random: 0.99, want: 2000 },
		{ waitMs: 5000, random: 0, want: 5000 },
		{ waitMs: 5000, random: 0.99, want: 10_000 },
		{ waitMs: 600_000, random: 0, want: 30_000 },
		{ waitMs: 600_000, random: 0.99, want: 60_000 },
	])('a wait of $waitMs ms with the random number $random is $want ms', ({ waitMs, random, want }) => {
		expect(retryAfterMs(waitMs, () => random)).toBe(want);
	});

	it('senders that are sent away together come back apart', () => {
		expect(new Set(Array.from({ length: 1000 }, () => retryAfterMs(10_000))).size).toBe(11);
	});
});
