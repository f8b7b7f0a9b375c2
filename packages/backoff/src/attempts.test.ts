import { getEventListeners } from 'node:events';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InstantClock } from '../test/instant-clock.ts';
import { ManualClock } from '../test/manual-clock.ts';
import type { Attempt, AttemptsOptions } from './attempts.ts';
import { BACKOFF_PRESETS } from './backoff-presets.ts';
import { createBackoff } from './create-backoff.ts';
import { sleep } from './sleep.ts';

const exactly = createBackoff(BACKOFF_PRESETS.standard, { random: () => 0.5 });
const listeners = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;

async function collect(options: AttemptsOptions): Promise<Attempt[]> {
	const seen: Attempt[] = [];
	for await (const attempt of exactly.attempts(options)) seen.push(attempt);
	return seen;
}

describe('a loop that goes to its end', () => {
	it('ten attempts have nine waits, 6.5 s in all', async () => {
		const clock = new InstantClock();
		const seen = await collect({ maxAttempts: 10, clock });
		expect(seen.map((attempt) => attempt.number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
		expect(clock.delaysMs).toEqual([100, 200, 400, 800, 1_000, 1_000, 1_000, 1_000, 1_000]);
		expect(clock.delaysMs.reduce((sum, delayMs) => sum + delayMs, 0)).toBe(6_500);
	});

	it('each attempt says whether it is the last and how long the wait after it will be', async () => {
		const seen = await collect({ maxAttempts: 3, clock: new InstantClock() });
		expect(seen).toEqual([
			{ number: 1, isLast: false, nextDelayMs: 100 },
			{ number: 2, isLast: false, nextDelayMs: 200 },
			{ number: 3, isLast: true, nextDelayMs: undefined },
		]);
	});

	it('one attempt has no wait', async () => {
		const clock = new InstantClock();
		expect(await collect({ maxAttempts: 1, clock })).toHaveLength(1);
		expect(clock.delaysMs).toEqual([]);
	});

	it('n attempts have n - 1 waits and leave no listener', async () => {
		expect.hasAssertions();
		await fc.assert(
			fc.asyncProperty(fc.integer({ min: 1, max: 50 }), async (maxAttempts) => {
				const clock = new InstantClock();
				const { signal } = new AbortController();
				expect(await collect({ maxAttempts, clock, signal })).toHaveLength(maxAttempts);
				expect(clock.delaysMs).toHaveLength(maxAttempts - 1);
				expect(listeners(signal)).toBe(0);
			}),
			{ numRuns: 30 },
		);
	});

	it('draws its waits with jitter', async () => {
		const clock = new InstantClock();
		const backoff = createBackoff(BACKOFF_PRESETS.standard, { random: () => 0 });
		for await (const attempt of backoff.attempts({ maxAttempts: 3, clock })) expect(attempt.number).toBeLessThan(4);
		expect(clock.delaysMs).toEqual([90, 180]);
	});
});

describe('a loop that is left early', () => {
	it('does not wait after the attempt that succeeded', async () => {
		const clock = new ManualClock();
		const { signal } = new AbortController();
		for await (const attempt of exactly.attempts({ maxAttempts: 10, clock, signal })) {
			expect(attempt.number).toBe(1);
			break;
		}
		expect(clock.pendingDelaysMs).toEqual([]);
		expect(listeners(signal)).toBe(0);
	});

	it('passes on what its body throws, and waits no more', async () => {
		const clock = new ManualClock();
		const failing = async () => {
			for await (const { number } of exactly.attempts({ maxAttempts: 10, clock }))
				throw new Error(`broken in ${number}`);
		};
		await expect(failing()).rejects.toThrow('broken in 1');
		expect(clock.pendingDelaysMs).toEqual([]);
	});
});

describe('an abort', () => {
	it('before the loop lets no attempt happen', async () => {
		expect(await collect({ maxAttempts: 10, signal: AbortSignal.abort(), clock: new ManualClock() })).toEqual([]);
	});

	it('during a wait ends the loop at once, and leaves no timer and no listener', async () => {
		const clock = new ManualClock();
		const controller = new AbortController();
		const loop = exactly.attempts({ maxAttempts: 10, signal: controller.signal, clock });
		await loop.next();
		const second = loop.next();
		expect(clock.pendingDelaysMs).toEqual([100]);
		expect(listeners(controller.signal)).toBe(1);
		controller.abort();
		expect(clock.pendingDelaysMs).toEqual([]);
		expect(listeners(controller.signal)).toBe(0);
		await expect(second).resolves.toEqual({ done: true, value: undefined });
	});

	it('during an attempt ends the loop without another wait', async () => {
		const clock = new InstantClock();
		const controller = new AbortController();
		let count = 0;
		for await (const attempt of exactly.attempts({ maxAttempts: 10, signal: controller.signal, clock })) {
			count++;
			if (attempt.number === 3) controller.abort();
		}
		expect(count).toBe(3);
		expect(clock.delaysMs).toEqual([100, 200]);
	});

	it('is the only end of a loop without a limit', async () => {
		const clock = new InstantClock();
		const controller = new AbortController();
		let last: Attempt | undefined;
		for await (const attempt of exactly.attempts({ maxAttempts: Infinity, signal: controller.signal, clock })) {
			last = attempt;
			if (attempt.number === 10_000) controller.abort();
		}
		expect(last).toEqual({ number: 10_000, isLast: false, nextDelayMs: 1_000 });
		expect(listeners(controller.signal)).toBe(0);
	});
});

describe('another wait in place of sleep', () => {
	it('can end sooner, for instance when a watch sees the lock released', async () => {
		const clock = new ManualClock();
		const released = new AbortController();
		const loop = exactly.attempts({
			maxAttempts: 10,
			clock,
			wait: (delayMs, options) => sleep(delayMs, { ...options, signal: released.signal }),
		});
		await loop.next();
		const second = loop.next();
		released.abort();
		await expect(second).resolves.toMatchObject({ value: { number: 2 } });
		expect(clock.pendingDelaysMs).toEqual([]);
	});

	it('is not begun after an abort', async () => {
		const controller = new AbortController();
		let waits = 0;
		const options = { maxAttempts: 3, signal: controller.signal, wait: async () => ++waits };
		for await (const attempt of exactly.attempts(options)) if (attempt.number === 1) controller.abort();
		expect(waits).toBe(0);
	});

	it('is given the delay, the signal and the clock of the loop', async () => {
		const clock = new ManualClock();
		const { signal } = new AbortController();
		const given: unknown[] = [];
		await collect({
			maxAttempts: 2,
			clock,
			signal,
			wait: async (delayMs, options) => given.push(delayMs, options.signal === signal, options.clock === clock),
		});
		expect(given).toEqual([100, true, true]);
	});
});

describe('maxAttempts', () => {
	it.each([{ maxAttempts: 0 }, { maxAttempts: -1 }, { maxAttempts: 2.5 }, { maxAttempts: Number.NaN }])(
		'$maxAttempts is refused at the call, before the first attempt',
		({ maxAttempts }) => {
			const start = () => exactly.attempts({ maxAttempts });
			expect(start).toThrow(
				`maxAttempts is ${maxAttempts}: must be an integer from 1 to 9007199254740991, or Infinity`,
			);
			expect(start).toThrow(expect.objectContaining({ code: 'BACKOFF_MAX_ATTEMPTS_INVALID' }));
		},
	);
});
