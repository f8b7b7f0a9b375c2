// The line in front of a channel, its pace in one process, the breaker, and the batch of claims.
import { ManualClock } from '@kubernaut/testkit/manual-clock';
import { describe, expect, it } from 'vitest';
import { ClaimBatch } from '../claim-batch.ts';
import { Breaker } from './breaker.ts';
import { ChannelLine } from './channel-line.ts';
import { LocalPace, LocalRest, NO_PACE } from './pace.ts';

const settle = () => new Promise((resolve) => setImmediate(resolve));
const NEVER = new AbortController().signal;

describe('a line', () => {
	it('lets so many in at once, and the others in order', async () => {
		const lengths: number[] = [];
		const line = new ChannelLine(1, (length) => lengths.push(length));
		const order: string[] = [];
		let finish = () => {};
		const first = line.run(() => new Promise<void>((resolve) => (finish = resolve)));
		const others = ['b', 'c'].map((name) => line.run(async () => void order.push(name)));
		expect([line.isFree, line.length]).toEqual([false, 2]);
		finish();
		await Promise.all([first, ...others]);
		expect(order).toEqual(['b', 'c']);
		expect(line.isFree).toBe(true);
		expect(lengths).toEqual([1, 2, 1, 0]);
	});

	it('passes the place on when the work fails', async () => {
		const line = new ChannelLine(1);
		await expect(line.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
		expect(await line.run(async () => 'next')).toBe('next');
	});

	it('that is closed sends those that wait away', async () => {
		const line = new ChannelLine(1);
		let finish = () => {};
		const first = line.run(() => new Promise<string>((resolve) => (finish = () => resolve('done'))));
		const second = line.run(async () => 'never');
		line.close();
		finish();
		expect(await Promise.all([first, second, line.run(async () => 'never')])).toEqual(['done', undefined, undefined]);
	});
});

describe('the pace in one process', () => {
	it('counts the pause from the end of the send', async () => {
		const clock = new ManualClock();
		const pace = new LocalPace(1000, { now: () => clock.now(), setTimer: (f, ms) => clock.setTimer(f, ms) });
		const first = await pace.take('r', NEVER);
		let second: unknown;
		void pace.take('r', NEVER).then((turn) => (second = turn));
		clock.advance(5000);
		await settle();
		expect(second).toBeUndefined();
		await first?.free(0);
		await settle();
		clock.advance(999);
		await settle();
		expect(second).toBeUndefined();
		clock.advance(1);
		await settle();
		expect(second).toBeDefined();
	});

	it('keeps a pause that the receiver asked for, and receivers apart', async () => {
		const clock = new ManualClock();
		const pace = new LocalPace(1000, { now: () => clock.now(), setTimer: (f, ms) => clock.setTimer(f, ms) });
		const turn = await pace.take('r', NEVER);
		// It may be freed at any moment.
		expect(pace.waitMs('r')).toBe(0);
		await turn?.free(30_000);
		await turn?.free(0);
		expect(pace.waitMs('r')).toBe(30_000);
		expect(pace.waitMs('other')).toBe(0);
	});

	it('gives no turn to one that aborted', async () => {
		const clock = new ManualClock();
		const pace = new LocalPace(1000, { now: () => clock.now(), setTimer: (f, ms) => clock.setTimer(f, ms) });
		await pace.take('r', NEVER);
		const abort = new AbortController();
		const waiting = pace.take('r', abort.signal);
		abort.abort();
		expect(await waiting).toBeUndefined();
	});

	it('of a channel without one lets all go at once, until the receiver asks for a pause', async () => {
		const clock = new ManualClock();
		const rest = new LocalRest({ now: () => clock.now(), setTimer: (f, ms) => clock.setTimer(f, ms) });
		const turns = await Promise.all([rest.take('r', NEVER), rest.take('r', NEVER)]);
		expect(turns.every((turn) => turn !== undefined)).toBe(true);
		await turns[0]?.free(30_000);
		await turns[1]?.free(0);
		expect([rest.waitMs('r'), rest.waitMs('other')]).toEqual([30_000, 0]);
		let third: unknown;
		void rest.take('r', NEVER).then((turn) => (third = turn));
		clock.advance(29_999);
		await settle();
		expect(third).toBeUndefined();
		clock.advance(1);
		await settle();
		expect(third).toBeDefined();
		await turns[0]?.free(30_000); // a turn ends once
		expect(rest.waitMs('r')).toBe(0);
	});

	it('of a channel without one gives no turn to one that aborted', async () => {
		const clock = new ManualClock();
		const rest = new LocalRest({ now: () => clock.now(), setTimer: (f, ms) => clock.setTimer(f, ms) });
		await (await rest.take('r', NEVER))?.free(1000);
		const abort = new AbortController();
		const waiting = rest.take('r', abort.signal);
		abort.abort();
		expect(await waiting).toBeUndefined();
	});

	it('of an internal channel costs nothing', async () => {
		const turn = await NO_PACE.take('r', NEVER);
		await turn?.free(5);
		expect(NO_PACE.waitMs('r')).toBe(0);
	});
});

describe('the breaker', () => {
	function aBreaker() {
		const clock = new ManualClock();
		const changes: boolean[] = [];
		const waits: number[] = [];
		const breaker = new Breaker(
			{ now: () => clock.now() },
			{ breakerChanged: (_, isOpen) => changes.push(isOpen), leftAlone: (_, forMs) => waits.push(forMs) },
		);
		const fail = (times: number) => {
			for (let i = 0; i < times; i++) breaker.ended('slack', 'r', false);
		};
		return { clock, breaker, changes, waits, fail };
	}

	it('opens after five failures in a row, for this receiver only', () => {
		const { breaker, changes, fail } = aBreaker();
		fail(4);
		expect(breaker.waitMs('r')).toBe(0);
		fail(1);
		expect(breaker.waitMs('r')).toBeGreaterThan(4000);
		expect(breaker.waitMs('other')).toBe(0);
		expect(changes).toEqual([true]);
	});

	it('lets one message try, and closes when that works', () => {
		const { clock, breaker, changes, fail } = aBreaker();
		fail(5);
		clock.advance(6000);
		expect(breaker.waitMs('r')).toBe(0);
		breaker.began('r');
		expect(breaker.waitMs('r')).toBeGreaterThan(0);
		breaker.ended('slack', 'r', true);
		expect(breaker.waitMs('r')).toBe(0);
		expect(changes).toEqual([true, false]);
	});

	it('stays open longer when the try fails, and reports each time that it stays open', () => {
		const { clock, breaker, changes, waits, fail } = aBreaker();
		fail(5);
		clock.advance(6000);
		breaker.began('r');
		fail(1);
		expect(breaker.waitMs('r')).toBeGreaterThan(8000);
		expect(waits).toEqual([expect.any(Number), breaker.waitMs('r')]);
		expect(changes).toEqual([true]);
	});

	it('forgets failures with one that works', () => {
		const { breaker, fail, changes } = aBreaker();
		fail(4);
		breaker.ended('slack', 'r', true);
		fail(4);
		expect(breaker.waitMs('r')).toBe(0);
		expect(changes).toEqual([]);
	});
});

describe('a batch of claims', () => {
	it('goes when all that are expected have come or left', async () => {
		const clock = new ManualClock();
		const batch = new ClaimBatch(['a', 'b', 'c'], 100, { setTimer: (f, ms) => clock.setTimer(f, ms) });
		let gone = 0;
		for (const channel of ['a', 'b']) void batch.arrive(channel).then(() => gone++);
		await settle();
		expect(gone).toBe(0);
		batch.leave('c');
		await settle();
		expect(gone).toBe(2);
		expect(clock.pending).toBe(0);
	});

	it('waits no longer than its window, and later ones not at all', async () => {
		const clock = new ManualClock();
		const batch = new ClaimBatch(['a', 'b'], 100, { setTimer: (f, ms) => clock.setTimer(f, ms) });
		let gone = 0;
		void batch.arrive('a').then(() => gone++);
		clock.advance(100);
		await settle();
		expect(gone).toBe(1);
		await batch.arrive('b');
	});
});
