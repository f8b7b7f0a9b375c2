import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { InstantClock } from '../test/instant-clock.ts';
import { ManualClock } from '../test/manual-clock.ts';
import { sleep } from './sleep.ts';

const listeners = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;
const activeTimers = () => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;

describe('sleep', () => {
	it('ends as elapsed when its time has come, and leaves no timer and no listener', async () => {
		const clock = new ManualClock();
		const { signal } = new AbortController();
		const sleeping = sleep(250, { signal, clock });
		expect(clock.pendingDelaysMs).toEqual([250]);
		expect(listeners(signal)).toBe(1);
		clock.elapse();
		await expect(sleeping).resolves.toBe('elapsed');
		expect(clock.pendingDelaysMs).toEqual([]);
		expect(listeners(signal)).toBe(0);
	});

	it('ends as aborted at once, and leaves no timer and no listener', async () => {
		const clock = new ManualClock();
		const controller = new AbortController();
		const sleeping = sleep(250, { signal: controller.signal, clock });
		controller.abort();
		expect(clock.pendingDelaysMs).toEqual([]);
		expect(listeners(controller.signal)).toBe(0);
		await expect(sleeping).resolves.toBe('aborted');
	});

	it('does not begin when the signal is aborted already', async () => {
		const clock = new ManualClock();
		const signal = AbortSignal.abort();
		await expect(sleep(250, { signal, clock })).resolves.toBe('aborted');
		expect(clock.pendingDelaysMs).toEqual([]);
		expect(listeners(signal)).toBe(0);
	});

	it('an abort after its time has come changes nothing', async () => {
		const clock = new ManualClock();
		const controller = new AbortController();
		const sleeping = sleep(250, { signal: controller.signal, clock });
		clock.elapse();
		controller.abort();
		await expect(sleeping).resolves.toBe('elapsed');
	});

	it('many on one signal pile up no listeners', async () => {
		const clock = new InstantClock();
		const { signal } = new AbortController();
		for (let round = 0; round < 1_000; round++) await sleep(round, { signal, clock });
		expect(listeners(signal)).toBe(0);
		expect(clock.delaysMs).toHaveLength(1_000);
	});

	it('works without a signal, and for no time at all', async () => {
		await expect(sleep(0, { clock: new InstantClock() })).resolves.toBe('elapsed');
	});

	it('copes with a clock that fires before it returns', async () => {
		const { signal } = new AbortController();
		const hastyClock = {
			setTimer(onElapsed: () => void) {
				onElapsed();
				return () => {};
			},
		};
		await expect(sleep(5, { signal, clock: hastyClock })).resolves.toBe('elapsed');
		expect(listeners(signal)).toBe(0);
	});

	it('on the system clock holds one timer until it is aborted', async () => {
		const before = activeTimers();
		const controller = new AbortController();
		const sleeping = sleep(60_000, { signal: controller.signal });
		expect(activeTimers()).toBe(before + 1);
		controller.abort();
		expect(activeTimers()).toBe(before);
		await expect(sleeping).resolves.toBe('aborted');
	});

	it.each([{ delayMs: -1 }, { delayMs: Number.NaN }, { delayMs: Infinity }])(
		'$delayMs ms is refused',
		async ({ delayMs }) => {
			const sleeping = sleep(delayMs);
			await expect(sleeping).rejects.toThrow(`delayMs is ${delayMs}: must be a finite number of at least 0`);
			await expect(sleeping).rejects.toMatchObject({ code: 'BACKOFF_DELAY_INVALID' });
		},
	);
});
