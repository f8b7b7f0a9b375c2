import { ManualClock } from '@kubernaut/testkit/manual-clock';
import { describe, expect, it } from 'vitest';
import { followEventLoopDelay } from './event-loop-delay.ts';

function setUp() {
	const clock = new ManualClock();
	const histogram = {
		mean: Number.NaN,
		enabled: false,
		enable: () => (histogram.enabled = true),
		reset: () => (histogram.mean = Number.NaN),
		disable: () => (histogram.enabled = false),
	};
	return { clock, histogram, delay: followEventLoopDelay(clock, histogram) };
}

describe('the delay of the event loop', () => {
	it.each([
		{ ticksMs: 10, want: 0 },
		{ ticksMs: 9.9, want: 0 },
		{ ticksMs: 310, want: 300 },
		{ ticksMs: Number.NaN, want: 0 },
	])('the delay is $want ms when ticks are $ticksMs ms apart', ({ ticksMs, want }) => {
		const { clock, histogram, delay } = setUp();
		histogram.mean = ticksMs * 1e6;
		clock.advance(500);
		expect(delay.meanMs()).toBeCloseTo(want);
	});

	it('the delay is the mean of the last window only', () => {
		const { clock, histogram, delay } = setUp();
		histogram.mean = 1e9;
		clock.advance(500);
		expect(delay.meanMs()).toBeCloseTo(990);
		clock.advance(500);
		expect(delay.meanMs()).toBe(0);
	});

	it('after the stop the delay is not sampled any more', () => {
		const { clock, histogram, delay } = setUp();
		expect(histogram.enabled).toBe(true);
		delay.stop();
		expect(histogram.enabled).toBe(false);
		expect(clock.pending).toBe(0);
	});
});
