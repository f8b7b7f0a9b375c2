import { getEventListeners } from 'node:events';
import { ManualClock } from '@kubernaut/testkit/manual-clock';
import { describe, expect, it } from 'vitest';
import { createAdmission, type OverloadReason, type Slot } from './admission.ts';

const never = new AbortController().signal;

function setUp(limits: { work?: number; queue?: number } = {}) {
	const clock = new ManualClock();
	const reported = { load: [0, 0], overloaded: [] as OverloadReason[] };
	const loop = { delayMs: 0 };
	const admission = createAdmission(
		{
			maxConcurrentRequests: limits.work ?? 1,
			maxQueuedRequests: limits.queue ?? 2,
			maxQueueWaitMs: 100,
			maxEventLoopDelayMs: 50,
		},
		{
			clock,
			eventLoopDelayMs: () => loop.delayMs,
			observer: {
				load: (running, queued) => (reported.load = [running, queued]),
				overloaded: (reason) => void reported.overloaded.push(reason),
			},
		},
	);
	const enter = async (signal = never): Promise<Slot> => {
		const answer = await admission.admit(signal);
		if (!answer.admitted) throw new Error(answer.reason);
		return answer;
	};
	return { admission, clock, loop, reported, enter };
}

describe('admission', () => {
	it('as many requests are admitted at once as the limit allows', async () => {
		const { enter, reported } = setUp({ work: 3 });
		await Promise.all([enter(), enter(), enter()]);
		expect(reported).toEqual({ load: [3, 0], overloaded: [] });
	});

	it('queued requests are admitted one by one, in their order', async () => {
		const { enter, reported } = setUp();
		const first = await enter();
		const order: string[] = [];
		const second = enter().then((admitted) => (order.push('second'), admitted));
		const third = enter().then((admitted) => (order.push('third'), admitted));
		expect(reported.load).toEqual([1, 2]);
		first.release();
		(await second).release();
		(await third).release();
		expect(order).toEqual(['second', 'third']);
		expect(reported.load).toEqual([0, 0]);
	});

	it('a request is rejected at once when the queue is full', async () => {
		const { admission, enter, reported } = setUp({ queue: 1 });
		await enter();
		void admission.admit(never);
		expect(await admission.admit(never)).toEqual({ admitted: false, reason: 'queue-full', retryAfterMs: 2000 });
		expect(reported).toEqual({ load: [1, 1], overloaded: ['queue-full'] });
	});

	it('with a queue of length 0 a request is rejected at once when all slots are taken', async () => {
		const { admission, enter } = setUp({ queue: 0 });
		await enter();
		expect(await admission.admit(never)).toMatchObject({ admitted: false, reason: 'queue-full' });
	});

	it('a request that waited too long is rejected, and gets no slot later', async () => {
		const { admission, clock, enter, reported } = setUp();
		const first = await enter();
		const waiting = admission.admit(never);
		clock.advance(99);
		expect(reported.load).toEqual([1, 1]);
		clock.advance(1);
		expect(await waiting).toMatchObject({ admitted: false, reason: 'queue-wait' });
		first.release();
		expect(reported.load).toEqual([0, 0]);
	});

	it('requests are rejected while the event loop is late, also when all slots are free', async () => {
		const { admission, loop, reported } = setUp();
		loop.delayMs = 51;
		expect(await admission.admit(never)).toEqual({ admitted: false, reason: 'event-loop-delay', retryAfterMs: 1000 });
		loop.delayMs = 50;
		expect(await admission.admit(never)).toMatchObject({ admitted: true });
		expect(reported.overloaded).toEqual(['event-loop-delay']);
	});

	it('releasing a slot twice frees one slot', async () => {
		const { admission, enter, reported } = setUp({ queue: 0 });
		const first = await enter();
		first.release();
		const second = await enter();
		first.release();
		expect(await admission.admit(never)).toMatchObject({ admitted: false });
		second.release();
		expect(reported.load).toEqual([0, 0]);
	});

	it('an abort ends the wait for a slot at once, and leaves no timer and no listener', async () => {
		const { admission, clock, enter, reported } = setUp();
		const first = await enter();
		const controller = new AbortController();
		const leaving = admission.admit(controller.signal);
		const staying = admission.admit(never);
		controller.abort(new Error('gone'));
		await expect(leaving).rejects.toThrow('gone');
		expect(reported.load).toEqual([1, 1]);
		expect(clock.pending).toBe(1);
		expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
		first.release();
		expect(await staying).toMatchObject({ admitted: true });
	});

	it('a request that was aborted before is not admitted', async () => {
		const { admission, reported } = setUp();
		await expect(admission.admit(AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
		expect(reported.load).toEqual([0, 0]);
	});
});
