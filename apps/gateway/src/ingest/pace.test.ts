import { describe, expect, it } from 'vitest';
import { paceWrites } from './pace.ts';

async function pauseAfter(tookMs: number, slots: number, random: number): Promise<number | undefined> {
	let nowMs = 0;
	let pauseMs: number | undefined;
	const clock = {
		now: () => nowMs,
		setTimer(onElapsed: () => void, delayMs: number) {
			pauseMs = delayMs;
			onElapsed();
			return () => {};
		},
	};
	const paced = paceWrites({ clock, random: () => random })();
	nowMs += tookMs;
	await paced(slots);
	return pauseMs;
}

describe('the pause after a write', () => {
	it.each([
		{ slots: 0, tookMs: 500, random: 0.5, want: undefined },
		{ slots: 3, tookMs: 500, random: 0.5, want: undefined },
		{ slots: 4, tookMs: 100, random: 0, want: 100 },
		{ slots: 4, tookMs: 100, random: 0.5, want: 200 },
		{ slots: 100, tookMs: 100, random: 0.5, want: 200 },
		{ slots: 100, tookMs: 5000, random: 0.5, want: 1000 },
	])('a write of $tookMs ms on $slots slots is followed by $want ms', async ({ slots, tookMs, random, want }) => {
		expect(await pauseAfter(tookMs, slots, random)).toBe(want);
	});
});
