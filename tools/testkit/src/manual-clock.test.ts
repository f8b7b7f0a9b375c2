import { expect, it } from 'vitest';
import { ManualClock } from './manual-clock.ts';

it('timers fire in the order of their times, each at its own time', () => {
	const clock = new ManualClock();
	const fired: string[] = [];
	clock.setTimer(() => fired.push(`late at ${clock.now()}`), 30);
	clock.setTimer(() => fired.push(`early at ${clock.now()}`), 10);
	clock.advance(20);
	expect(fired).toEqual(['early at 10']);
	expect(clock.now()).toBe(20);
	clock.advance(10);
	expect(fired).toEqual(['early at 10', 'late at 30']);
});

it('a timer that is set while time advances fires in the same advance if it is due', () => {
	const clock = new ManualClock();
	const fired: number[] = [];
	clock.setTimer(() => clock.setTimer(() => fired.push(clock.now()), 5), 10);
	clock.advance(15);
	expect(fired).toEqual([15]);
});

it('a cancelled timer does not fire and is not pending', () => {
	const clock = new ManualClock();
	const fired: string[] = [];
	const cancel = clock.setTimer(() => fired.push('cancelled'), 10);
	clock.setTimer(() => fired.push('kept'), 10);
	cancel();
	expect(clock.pending).toBe(1);
	clock.advance(10);
	expect(fired).toEqual(['kept']);
	expect(clock.pending).toBe(0);
});

it('the wall time moves with the clock', () => {
	const clock = new ManualClock();
	clock.advance(1_500);
	expect(clock.wallTime()).toEqual(new Date(1_500));
});
