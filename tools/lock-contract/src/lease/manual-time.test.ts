import { expect, it } from 'vitest';
import { ManualTime } from './manual-time.ts';

const settled = () => Promise.resolve();

it('fires in order of time, and sets the time to what each timer waited for', async () => {
	const time = new ManualTime(settled);
	const clock = time.clock();
	const fired: [string, number][] = [];
	clock.setTimer(() => fired.push(['b', clock.now()]), 20);
	clock.setTimer(() => {
		fired.push(['a', clock.now()]);
		clock.setTimer(() => fired.push(['c', clock.now()]), 15);
	}, 10);
	await time.advance(30);
	expect(fired).toEqual([
		['a', 10],
		['b', 20],
		['c', 25],
	]);
	expect(time.now).toBe(30);
});

it('fires neither what is cancelled nor what is later', async () => {
	const time = new ManualTime(settled);
	const clock = time.clock();
	const fired: string[] = [];
	clock.setTimer(() => fired.push('cancelled'), 5)();
	clock.setTimer(() => fired.push('later'), 11);
	await time.advance(10);
	expect(fired).toEqual([]);
	expect(clock.pending).toBe(1);
});

it('keeps the timers of a stopped clock until it goes on', async () => {
	const time = new ManualTime(settled);
	const stopped = time.clock();
	const fired: number[] = [];
	stopped.setTimer(() => fired.push(stopped.now()), 10);
	stopped.stopped = true;
	await time.advance(60);
	expect(fired).toEqual([]);
	expect(stopped.now()).toBe(60);
	stopped.stopped = false;
	await time.advance(0);
	expect(fired).toEqual([60]);
});

it('gives clocks of one time another zero and another wall time', () => {
	const time = new ManualTime(settled);
	const ahead = time.clock({ zeroMs: 500, wallMs: 3_600_000 });
	expect(ahead.now() - time.clock().now()).toBe(500);
	expect(ahead.wallTime().getTime() - time.clock().wallTime().getTime()).toBe(3_600_000);
});
