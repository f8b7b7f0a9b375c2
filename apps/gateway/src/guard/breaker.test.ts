import { ManualClock } from '@kubernaut/testkit/manual-clock';
import { describe, expect, it } from 'vitest';
import { type BreakerStateName, createBreaker, type Pass } from './breaker.ts';

function setUp() {
	const clock = new ManualClock();
	const changes: BreakerStateName[] = [];
	const breaker = createBreaker(
		{ calculate: (opening) => opening * 1000 },
		clock,
		{ breakerChanged: (state) => void changes.push(state) },
		{ failuresToOpen: 3 },
	);
	const pass = (): Pass => {
		const answer = breaker.tryPass();
		if ('retryAfterMs' in answer) throw new Error(`refused for ${answer.retryAfterMs} ms`);
		return answer;
	};
	const fail = (times: number) => {
		for (let time = 0; time < times; time++) pass().failed();
	};
	return { breaker, clock, changes, pass, fail };
}

describe('a closed breaker', () => {
	it('lets everybody pass at once', () => {
		const { breaker, pass } = setUp();
		for (let call = 0; call < 100; call++) pass();
		expect(breaker.rejection()).toBeUndefined();
		expect(breaker.state()).toBe('closed');
	});

	it('opens after so many failures in a row, not before', () => {
		const { breaker, changes, fail } = setUp();
		fail(2);
		expect(breaker.state()).toBe('closed');
		fail(1);
		expect(breaker.state()).toBe('open');
		expect(changes).toEqual(['open']);
	});

	it('counts from the beginning after a success', () => {
		const { breaker, pass, fail } = setUp();
		fail(2);
		pass().succeeded();
		fail(2);
		expect(breaker.state()).toBe('closed');
	});

	it('learns nothing from a call that was abandoned', () => {
		const { breaker, pass, fail } = setUp();
		fail(2);
		pass().abandoned();
		fail(1);
		expect(breaker.state()).toBe('open');
	});

	it('hears each call once', () => {
		const { breaker, pass } = setUp();
		const issued = pass();
		for (let time = 0; time < 5; time++) issued.failed();
		expect(breaker.state()).toBe('closed');
	});
});

describe('an open breaker', () => {
	it('refuses, and says how long it still will', () => {
		const { breaker, clock, fail } = setUp();
		fail(3);
		expect(breaker.tryPass()).toEqual({ retryAfterMs: 1000 });
		clock.advance(400);
		expect(breaker.rejection()).toEqual({ retryAfterMs: 600 });
	});

	it('does not listen to calls from before it opened', () => {
		const { breaker, clock, pass, fail } = setUp();
		const [early, late] = [pass(), pass()];
		fail(3);
		early.succeeded();
		late.failed();
		expect(breaker.state()).toBe('open');
		clock.advance(1000);
		expect(breaker.state()).toBe('half-open');
	});

	it('becomes half open by itself', () => {
		const { breaker, clock, changes, fail } = setUp();
		fail(3);
		clock.advance(999);
		expect(breaker.state()).toBe('open');
		clock.advance(1);
		expect(changes).toEqual(['open', 'half-open']);
	});
});

describe('a half-open breaker', () => {
	function halfOpen() {
		const parts = setUp();
		parts.fail(3);
		parts.clock.advance(1000);
		return parts;
	}

	it('lets one call try, and refuses the others meanwhile', () => {
		const { breaker, pass } = halfOpen();
		expect(breaker.rejection()).toBeUndefined();
		pass();
		expect(breaker.tryPass()).toEqual({ retryAfterMs: 1000 });
		expect(breaker.rejection()).toEqual({ retryAfterMs: 1000 });
	});

	it('closes when that call succeeds', () => {
		const { breaker, changes, pass, fail } = halfOpen();
		pass().succeeded();
		expect(changes).toEqual(['open', 'half-open', 'closed']);
		fail(2);
		expect(breaker.state()).toBe('closed');
	});

	it('opens for longer each time when that call fails, until one succeeds', () => {
		const { breaker, clock, pass, fail } = halfOpen();
		pass().failed();
		expect(breaker.rejection()).toEqual({ retryAfterMs: 2000 });
		clock.advance(2000);
		pass().succeeded();
		fail(3);
		expect(breaker.rejection()).toEqual({ retryAfterMs: 1000 });
	});

	it('lets the next one try when that call was abandoned', () => {
		const { breaker, pass } = halfOpen();
		pass().abandoned();
		expect(breaker.rejection()).toBeUndefined();
		pass().succeeded();
		expect(breaker.state()).toBe('closed');
	});

	it('leaves no timer behind once it is closed', () => {
		const { clock, pass } = halfOpen();
		pass().succeeded();
		expect(clock.pending).toBe(0);
	});
});
