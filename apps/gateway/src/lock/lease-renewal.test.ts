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
	{ words: 'an error that nobody expected', error: new TypeError('a bug') },
])('$words is not loss, as long as the next try comes through', async ({ error }) => {
	const { lock, sentAt, losses, advance } = renewal((n) =>
		n === 1 ? Promise.reject(error) : Promise.resolve(version(n)),
	);
	await advance(60_000);
	expect(() => lock.assertHeld()).not.toThrow();
	expect(sentAt.slice(0, 3)).toEqual([10_000, 12_500, 22_500]);
	expect(losses).toEqual([]);
	await lock.stop();
});

it('counts the next renewal from when the last was sent, not from its answer', async () => {
	const slow = Promise.withResolvers<Answer>();
	const { lock, sentAt, advance } = renewal((n) => (n === 1 ? slow.promise : Promise.resolve(version(n))));
	await advance(14_000);
	slow.resolve(version(1));
	await advance(6000);
	expect(sentAt).toEqual([10_000, 20_000]);
	await lock.stop();
});

it('is lost at the deadline when nothing comes through, once', async () => {
	const { lock, losses, clock, advance } = renewal(() => Promise.reject(new LockFault('timeout', 'silence')));
	await advance(29_000);
	expect(losses).toEqual(['expired']);
	expect(() => lock.assertHeld()).toThrow(LockLostError);
	expect(clock.pending).toBe(0);
});

describe('a version that it does not know', () => {
	it.each([
		{ words: 'is its own, of a renewal whose answer was lost', current: version(7), want: [] },
		{ words: 'is of another holder', current: { ...version(7), holder: 'other_1' }, want: ['taken'] },
		{ words: 'is none any more', current: undefined, want: ['removed'] },
	])('$words: $want', async ({ current, want }) => {
		const { lock, losses, advance } = renewal(async () => 'changed', current);
		await advance(10_000);
		expect(losses).toEqual(want);
		await lock.stop();
	});
});

describe('what was seen of the lease', () => {
	it.each([
		{ words: 'a newer one of another holder', seen: { ...version(2), holder: 'other_1' }, want: ['taken'] },
		{ words: 'a newer one without a holder', seen: { ...version(2), holder: undefined }, want: ['taken'] },
		{ words: 'an older one of another holder', seen: { ...version(0), holder: 'other_1' }, want: [] },
		{ words: 'our own renewal, before its answer', seen: version(2), want: [] },
	])('$words: $want', ({ seen, want }) => {
		const { lock, losses } = renewal(async () => 'changed');
		lock.saw(seen);
		expect(losses).toEqual(want);
	});
});

it('when it is stopped, it ends at once, tells no loss, and returns what a renewal in flight has made', async () => {
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
