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
		if ('retryAfterMs' in answer) throw new Error(`rejected for ${answer.retryAfterMs} ms`);
		return answer;
	};
	const fail = (times: number) => {
		for (let time = 0; time < times; time++) pass().failed();
	};
	return { breaker, clock, changes, pass, fail };
}

describe('a closed breaker', () => {
	it('a closed breaker lets every call pass', () => {
		const { breaker, pass } = setUp();
		for (let call = 0; call < 100; call++) pass();
		expect(breaker.rejection()).toBeUndefined();
		expect(breaker.state()).toBe('closed');
	});

	it('the breaker opens after `failuresToOpen` failures in a row, not before', () => {
		const { breaker, changes, fail } = setUp();
		fail(2);
		expect(breaker.state()).toBe('closed');
		fail(1);
		expect(breaker.state()).toBe('open');
		expect(changes).toEqual(['open']);
	});

	it('a success resets the count of failures', () => {
		const { breaker, pass, fail } = setUp();
		fail(2);
		pass().succeeded();
		fail(2);
		expect(breaker.state()).toBe('closed');
	});

	it('an abandoned call neither counts as a failure nor resets the count', () => {
		const { breaker, pass, fail } = setUp();
		fail(2);
		pass().abandoned();
		fail(1);
		expect(breaker.state()).toBe('open');
	});

	it('a call that reports several failures counts once', () => {
		const { breaker, pass } = setUp();
		const issued = pass();
		for (let time = 0; time < 5; time++) issued.failed();
		expect(breaker.state()).toBe('closed');
	});
});

describe('silence', () => {
	it.each(['closed', 'half-open'] as const)('silence opens a %s breaker at once', (before) => {
		const { breaker, clock, fail } = setUp();
		if (before === 'half-open') {
			fail(3);
			clock.advance(1000);
		}
		expect(breaker.state()).toBe(before);
		breaker.silent();
		expect(breaker.state()).toBe('open');
		clock.advance(2000);
		expect(breaker.state()).toBe('half-open');
	});

	it('silence does not make an open breaker stay open longer', () => {
		const { breaker, clock, fail } = setUp();
		fail(3);
		clock.advance(400);
		breaker.silent();
		expect(breaker.rejection()).toEqual({ retryAfterMs: 600 });
	});
});

describe('those that wait', () => {
	it('those that wait are called when the breaker opens, each time, until they stop listening', () => {
		const { breaker, clock, fail } = setUp();
		const called: string[] = [];
		const stop = breaker.onOpen(() => called.push('a'));
		breaker.onOpen(() => called.push('b'));
		fail(3);
		expect(called).toEqual(['a', 'b']);
		stop();
		clock.advance(1000);
		breaker.silent();
		expect(called).toEqual(['a', 'b', 'b']);
	});
});

describe('an open breaker', () => {
	it('an open breaker rejects calls with the time until it is half open', () => {
		const { breaker, clock, fail } = setUp();
		fail(3);
		expect(breaker.tryPass()).toEqual({ retryAfterMs: 1000 });
		clock.advance(400);
		expect(breaker.rejection()).toEqual({ retryAfterMs: 600 });
	});

	it('an open breaker ignores reports of calls from before it opened', () => {
		const { breaker, clock, pass, fail } = setUp();
		const [early, late] = [pass(), pass()];
		fail(3);
		early.succeeded();
		late.failed();
		expect(breaker.state()).toBe('open');
		clock.advance(1000);
		expect(breaker.state()).toBe('half-open');
	});

	it('an open breaker becomes half open by itself', () => {
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

	it('a half-open breaker lets one call try and rejects the others meanwhile', () => {
		const { breaker, pass } = halfOpen();
		expect(breaker.rejection()).toBeUndefined();
		pass();
		expect(breaker.tryPass()).toEqual({ retryAfterMs: 1000 });
		expect(breaker.rejection()).toEqual({ retryAfterMs: 1000 });
	});

	it('a half-open breaker closes when its one call succeeds', () => {
		const { breaker, changes, pass, fail } = halfOpen();
		pass().succeeded();
		expect(changes).toEqual(['open', 'half-open', 'closed']);
		fail(2);
		expect(breaker.state()).toBe('closed');
	});

	it('a half-open breaker opens for longer each time its one call fails, until one succeeds', () => {
		const { breaker, clock, pass, fail } = halfOpen();
		pass().failed();
		expect(breaker.rejection()).toEqual({ retryAfterMs: 2000 });
		clock.advance(2000);
		pass().succeeded();
		fail(3);
		expect(breaker.rejection()).toEqual({ retryAfterMs: 1000 });
	});

	it('a half-open breaker opens again when its one call gets no answer; a closed one does not open', () => {
		const { breaker, clock, pass } = halfOpen();
		pass().unanswered();
		expect(breaker.rejection()).toEqual({ retryAfterMs: 2000 });
		clock.advance(2000);
		pass().succeeded();
		for (let call = 0; call < 9; call++) pass().unanswered();
		expect(breaker.state()).toBe('closed');
	});

	it('a half-open breaker closes when its one call is answered, whatever it did; failures of a closed one still count', () => {
		const { breaker, pass, fail } = halfOpen();
		pass().answered();
		expect(breaker.state()).toBe('closed');
		fail(2);
		pass().answered();
		fail(1);
		expect(breaker.rejection()).toEqual({ retryAfterMs: 1000 });
	});

	it('a half-open breaker lets the next call try when its one call was abandoned', () => {
		const { breaker, pass } = halfOpen();
		pass().abandoned();
		expect(breaker.rejection()).toBeUndefined();
		pass().succeeded();
		expect(breaker.state()).toBe('closed');
	});

	it('a breaker that has closed leaves no timer', () => {
		const { clock, pass } = halfOpen();
		pass().succeeded();
		expect(clock.pending).toBe(0);
	});
});
