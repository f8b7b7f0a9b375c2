import { describe, expect, it } from 'vitest';
import { createAdmission, type OverloadReason, type Slot } from './admission.ts';

function setUp(maxConcurrentRequests = 2) {
	const reported = { load: 0, overloaded: [] as OverloadReason[] };
	const now = { delayMs: 0, backlogMs: 0 };
	const admission = createAdmission(
		{ maxConcurrentRequests, maxEventLoopDelayMs: 50, httpDeadlineMs: 10_000 },
		{
			eventLoopDelayMs: () => now.delayMs,
			backlogMs: () => now.backlogMs,
			observer: {
				load: (requests) => (reported.load = requests),
				overloaded: (reason) => void reported.overloaded.push(reason),
			},
			random: () => 0.5,
		},
	);
	const enter = (): Slot => {
		const answer = admission.admit();
		if (!answer.admitted) throw new Error(answer.reason);
		return answer;
	};
	return { admission, now, reported, enter };
}

describe('admission', () => {
	it('as many requests are admitted at once as the limit allows; the next is rejected at once', () => {
		const { admission, enter, reported } = setUp();
		enter();
		const second = enter();
		expect(admission.admit()).toMatchObject({ admitted: false, reason: 'requests' });
		second.release();
		enter();
		expect(reported).toEqual({ load: 2, overloaded: ['requests'] });
	});

	it('releasing a slot twice frees one slot', () => {
		const { admission, enter, reported } = setUp(1);
		const first = enter();
		first.release();
		const second = enter();
		first.release();
		expect(admission.admit()).toMatchObject({ admitted: false });
		second.release();
		expect(reported.load).toBe(0);
	});

	it('requests are rejected while the event loop is late', () => {
		const { admission, now, reported } = setUp();
		now.delayMs = 51;
		expect(admission.admit()).toMatchObject({ admitted: false, reason: 'event-loop-delay' });
		now.delayMs = 50;
		expect(admission.admit()).toMatchObject({ admitted: true });
		expect(reported.overloaded).toEqual(['event-loop-delay']);
	});

	it('requests are rejected while the work that waits takes longer than a deadline', () => {
		const { admission, now } = setUp();
		now.backlogMs = 10_001;
		expect(admission.admit()).toMatchObject({ admitted: false, reason: 'backlog' });
		now.backlogMs = 10_000;
		expect(admission.admit()).toMatchObject({ admitted: true });
	});

	it.each([
		{ backlogMs: 0, want: 2000 },
		{ backlogMs: 4000, want: 6000 },
		{ backlogMs: 12_000, want: 18_000 },
	])('Retry-After grows with the backlog: of $backlogMs ms, $want ms', ({ backlogMs, want }) => {
		const { admission, now } = setUp();
		now.backlogMs = backlogMs;
		expect(admission.reject('bytes')).toEqual({ admitted: false, reason: 'bytes', retryAfterMs: want });
	});
});
