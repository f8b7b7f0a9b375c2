import { setImmediate as turn } from 'node:timers/promises';
import { ManualClock } from '@kubernaut/testkit/manual-clock';
import { describe, expect, it } from 'vitest';
import { startRenewal } from './lease-renewal.ts';
import { LockFault, LockLostError } from './lock-errors.ts';
import type { Lease } from './lock-ports.ts';

const TIMES = { leaseDurationMs: 30_000, renewIntervalMs: 10_000, marginMs: 1000 };
const WRITE = {
	name: 'a',
	key: 'k',
	holder: 'pod_1',
	durationMs: 30_000,
	transitions: 0,
	acquireTime: '',
	renewTime: '',
};
const LEASE: Lease = { ...WRITE, uid: 'u', resourceVersion: '1', acquireTime: undefined };

type Answer = Lease | 'changed' | 'gone';

/** `answer` stands for the API server's answer to each renewal. */
function renewal(answer: (renewals: number) => Promise<Answer>, current?: Lease) {
	const clock = Object.assign(new ManualClock(), { wallTime: () => new Date(0) });
	const sentAt: number[] = [];
	const losses: string[] = [];
	const client = {
		replace: () => answer(sentAt.push(clock.now())),
		read: async () => current,
	};
	const acquired = { lease: LEASE, sentAt: clock.now(), write: WRITE };
	const lock = startRenewal(acquired, TIMES, client, clock, (loss) => losses.push(loss));
	const advance = async (ms: number) => {
		for (let passed = 0; passed < ms; passed += 500) {
			clock.advance(500);
			await turn();
		}
	};
	return { clock, lock, sentAt, losses, advance };
}

const version = (n: number): Lease => ({ ...LEASE, resourceVersion: String(n) });

it.each([
	{ words: 'a fault of the API server', error: new LockFault('unavailable', 'away') },
	{ words: 'an unexpected error', error: new TypeError('a bug') },
])('$words at one renewal is not loss when the retry succeeds', async ({ error }) => {
	const { lock, sentAt, losses, advance } = renewal((n) =>
		n === 1 ? Promise.reject(error) : Promise.resolve(version(n)),
	);
	await advance(60_000);
	expect(() => lock.assertHeld()).not.toThrow();
	expect(sentAt.slice(0, 3)).toEqual([10_000, 12_500, 22_500]);
	expect(losses).toEqual([]);
	await lock.stop();
});

it('the next renewal is due an interval after the last one was sent, not after its answer', async () => {
	const slow = Promise.withResolvers<Answer>();
	const { lock, sentAt, advance } = renewal((n) => (n === 1 ? slow.promise : Promise.resolve(version(n))));
	await advance(14_000);
	slow.resolve(version(1));
	await advance(6000);
	expect(sentAt).toEqual([10_000, 20_000]);
	await lock.stop();
});

it('a lease that cannot be renewed is lost at the deadline, once', async () => {
	const { lock, losses, clock, advance } = renewal(() => Promise.reject(new LockFault('timeout', 'silence')));
	await advance(29_000);
	expect(losses).toEqual(['expired']);
	expect(() => lock.assertHeld()).toThrow(LockLostError);
	expect(clock.pending).toBe(0);
});

describe('a renewal that meets an unknown version', () => {
	it.each([
		{ words: 'the version is its own, of a renewal whose answer was lost', current: version(7), want: [] },
		{ words: "the version is another holder's", current: { ...version(7), holder: 'other_1' }, want: ['taken'] },
		{ words: 'the lease is gone', current: undefined, want: ['removed'] },
	])('$words: losses $want', async ({ current, want }) => {
		const { lock, losses, advance } = renewal(async () => 'changed', current);
		await advance(10_000);
		expect(losses).toEqual(want);
		await lock.stop();
	});
});

describe('an observed version of the lease', () => {
	it.each([
		{ words: 'newer, of another holder', seen: { ...version(2), holder: 'other_1' }, want: ['taken'] },
		{ words: 'newer, without a holder', seen: { ...version(2), holder: undefined }, want: ['taken'] },
		{ words: 'older, of another holder', seen: { ...version(0), holder: 'other_1' }, want: [] },
		{ words: 'newer, our own renewal before its answer', seen: version(2), want: [] },
	])('$words: losses $want', ({ seen, want }) => {
		const { lock, losses } = renewal(async () => 'changed');
		lock.observed(seen);
		expect(losses).toEqual(want);
	});
});

it('a stopped renewal ends at once, reports no loss, and returns the version of a renewal in flight', async () => {
	const slow = Promise.withResolvers<Answer>();
	const { lock, losses, clock, advance } = renewal(() => slow.promise);
	await advance(10_000);
	const stopping = lock.stop();
	expect(lock.signal.aborted).toBe(true);
	expect(() => lock.assertHeld()).toThrow('released');
	slow.resolve(version(9));
	expect(await stopping).toEqual(version(9));
	await advance(60_000);
	expect(losses).toEqual([]);
	expect(clock.pending).toBe(0);
});
