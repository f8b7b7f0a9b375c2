import { describe, expect, it } from 'vitest';
import { ServerClock } from './server-clock.ts';

const NOON = Date.UTC(2026, 0, 1, 12);
const header = (ms: number) => new Date(ms).toUTCString();

/** A server whose clock is right, and a process whose wall clock is ten minutes ahead. */
function skewed() {
	let monotonic = 5000;
	const clock = new ServerClock(
		() => monotonic,
		() => new Date(NOON + 600_000 + monotonic - 5000),
	);
	const serverTime = () => NOON + monotonic - 5000;
	return {
		clock,
		/** How far it is behind the server's clock. */
		behindMs: () => serverTime() - clock.wallTime().getTime(),
		pass: (ms: number) => void (monotonic += ms),
		/** An answer that was sent so long ago. */
		answer: (travelMs = 0, offsetMs = 0) => clock.heard(header(serverTime() + offsetMs - travelMs)),
	};
}

describe('the clock of the API server', () => {
	it('is our wall clock until the first answer, and never after it', () => {
		const { behindMs, answer, pass } = skewed();
		expect(behindMs()).toBe(-600_000);
		answer();
		expect(behindMs()).toBe(0);
		pass(3_600_000);
		expect(behindMs()).toBe(0);
	});

	it('takes the answer that travelled least: the others are only later', () => {
		const { behindMs, answer, pass } = skewed();
		answer(3000);
		expect(behindMs()).toBe(3000);
		pass(1000);
		answer(200); // headers have whole seconds
		expect(behindMs()).toBe(1000);
		pass(1000);
		answer(0);
		pass(1000);
		answer(5000);
		expect(behindMs()).toBe(0);
	});

	it('is never ahead, whatever the fraction of a second in which answers arrive', () => {
		const { behindMs, answer, pass } = skewed();
		for (let i = 0; i < 300; i++) {
			pass(137);
			answer(3);
			expect(behindMs()).toBeGreaterThanOrEqual(0);
		}
		expect(behindMs()).toBeLessThan(150);
	});

	it('follows a server whose clock was set back after a minute, and forward at once', () => {
		const { behindMs, answer, pass } = skewed();
		answer();
		pass(30_000);
		answer(0, -20_000);
		expect(behindMs()).toBe(0);
		pass(31_000);
		answer(0, -20_000);
		expect(behindMs()).toBe(20_000);
		pass(1000);
		answer(0, 60_000);
		expect(behindMs()).toBe(-60_000);
	});

	it('is not reliable after a minute without an answer, and is again with the next', () => {
		const { clock, answer, pass } = skewed();
		expect(clock.problem()).toBeUndefined();
		pass(60_001);
		expect(clock.problem()).toBe("no answer with a Date for 60 s, so the API server's time is not known");
		answer();
		expect(clock.problem()).toBeUndefined();
		pass(60_001);
		clock.heard(undefined); // a proxy took it away
		expect(clock.problem()).toMatch(/^no answer with a Date/);
	});

	it('ignores a Date that is none', () => {
		const { clock, behindMs, answer } = skewed();
		answer();
		clock.heard('yesterday');
		expect(behindMs()).toBe(0);
	});
});
