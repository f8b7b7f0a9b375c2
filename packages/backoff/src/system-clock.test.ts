import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MAX_TIMEOUT_MS, systemClock } from './system-clock.ts';

// Like Node's, the fake setTimeout turns a delay past the limit into 1 ms.
beforeEach(() => {
	vi.useFakeTimers();
});
afterEach(() => {
	vi.useRealTimers();
});

function startTimer(delayMs: number): { elapsedAtMs: () => number | undefined; cancel: () => void } {
	const start = Date.now();
	let elapsedAtMs: number | undefined;
	const cancel = systemClock.setTimer(() => {
		elapsedAtMs = Date.now() - start;
	}, delayMs);
	return { elapsedAtMs: () => elapsedAtMs, cancel };
}

describe('the system clock', () => {
	it.each([
		{ delayMs: 1 },
		{ delayMs: 1_000 },
		{ delayMs: MAX_TIMEOUT_MS },
		{ delayMs: MAX_TIMEOUT_MS + 1 },
		{ delayMs: 3 * MAX_TIMEOUT_MS },
		{ delayMs: 10 * MAX_TIMEOUT_MS + 5 },
	])('fires once after $delayMs ms', ({ delayMs }) => {
		const { elapsedAtMs } = startTimer(delayMs);
		vi.advanceTimersByTime(delayMs - 1);
		expect(elapsedAtMs()).toBeUndefined();
		vi.advanceTimersByTime(1);
		expect(elapsedAtMs()).toBe(delayMs);
		expect(vi.getTimerCount()).toBe(0);
	});

	it.each([{ afterMs: 0 }, { afterMs: MAX_TIMEOUT_MS + 1_000 }])(
		'a timer cancelled after $afterMs ms leaves nothing',
		({ afterMs }) => {
			const { elapsedAtMs, cancel } = startTimer(5 * MAX_TIMEOUT_MS);
			vi.advanceTimersByTime(afterMs);
			expect(vi.getTimerCount()).toBe(1);
			cancel();
			expect(vi.getTimerCount()).toBe(0);
			vi.advanceTimersByTime(10 * MAX_TIMEOUT_MS);
			expect(elapsedAtMs()).toBeUndefined();
		},
	);
});

describe('the limit that makes it necessary', () => {
	it('a bare setTimeout one past the limit fires after 1 ms', () => {
		const onElapsed = vi.fn<() => void>();
		setTimeout(onElapsed, MAX_TIMEOUT_MS + 1);
		vi.advanceTimersByTime(1);
		expect(onElapsed).toHaveBeenCalledOnce();
	});
});
