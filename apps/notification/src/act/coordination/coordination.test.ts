// Pace Leases and records on Leases in memory.
import { ManualClock } from '@kubernaut/testkit/manual-clock';
import { describe, expect, it } from 'vitest';
import { LeasesInMemory } from '../../../test/harness/leases-in-memory.ts';
import type { CoordinationLease } from '../../objects/coordination-leases.ts';
import { DeliveryRecords, type RecordRequest } from './delivery-records.ts';
import { PaceLease } from './pace-lease.ts';
import { RestLease } from './rest-lease.ts';

const settle = async () => {
	for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
};
const NEVER = new AbortController().signal;
/** Ends what calls again and again: it would never give way to a timer. */
function endAfter(leases: LeasesInMemory, calls: number): void {
	let left = calls;
	leases.before = () => {
		if (--left < 0) throw new Error(`more than ${calls} calls`);
	};
}
function clockOf(clock: ManualClock) {
	return {
		now: () => clock.now(),
		wallTime: () => clock.wallTime(),
		setTimer: (fire: () => void, ms: number) => clock.setTimer(fire, ms),
	};
}

const OPTIONS = { intervalMs: 1000, holdMs: 30_000, marginMs: 2000 };

describe('the pace over all replicas', () => {
	function pods(count: number) {
		const clock = new ManualClock();
		const leases = new LeasesInMemory(() => clock.wallTime());
		const options = { ...OPTIONS, leases, clock: clockOf(clock) };
		return {
			clock,
			leases,
			paces: Array.from({ length: count }, (_, i) => new PaceLease({ ...options, podName: `pod-${i}` })),
		};
	}

	it('a second pod waits for the end of the send and the pause after it', async () => {
		const { clock, paces } = pods(2);
		const [a, b] = paces as [PaceLease, PaceLease];
		const turn = await a.take('r', NEVER);
		expect(turn?.deadline).toBe(28_000);
		let taken = false;
		void b.take('r', NEVER).then(() => (taken = true));
		for (let second = 0; second < 5; second++) {
			clock.advance(1000);
			await settle();
		}
		expect(taken).toBe(false);
		await turn?.free(0);
		await settle();
		clock.advance(1000); // b polls, and sees it free now
		await settle();
		clock.advance(999);
		await settle();
		expect(taken).toBe(false);
		clock.advance(1);
		await settle();
		expect(taken).toBe(true);
	});

	it('a turn that its holder never frees is taken over after the hold time', async () => {
		const { clock, paces } = pods(2);
		await paces[0]?.take('r', NEVER);
		let taken = false;
		void paces[1]?.take('r', NEVER).then(() => (taken = true));
		await settle();
		for (let second = 0; second < 29; second++) {
			clock.advance(1000);
			await settle();
		}
		expect(taken).toBe(false);
		clock.advance(1000);
		await settle();
		expect(taken).toBe(true);
	});

	it('a holder stops so early that a turn that is taken over has its pause, and has half of the time to send', async () => {
		const deadlineWith = async (intervalMs: number) => {
			const options = {
				leases: new LeasesInMemory(() => new Date()),
				podName: 'pod-0',
				holdMs: 30_000,
				marginMs: 2000,
			};
			const turn = await new PaceLease({ ...options, intervalMs, clock: clockOf(new ManualClock()) }).take('r', NEVER);
			return turn?.deadline;
		};
		expect(await Promise.all([1000, 5000, 60_000].map(deadlineWith))).toEqual([28_000, 25_000, 15_000]);
	});

	it('puts nothing off for a turn that is held: it may be freed at any moment', async () => {
		const { clock, paces, leases } = pods(2);
		const [a, b] = paces as [PaceLease, PaceLease];
		const turn = await a.take('r', NEVER);
		const [held] = leases.stored.values();
		b.versions.observe(held as NonNullable<typeof held>);
		expect([a.waitMs('r'), b.waitMs('r')]).toEqual([0, 0]);
		await turn?.free(0);
		const [freed] = leases.stored.values();
		b.versions.observe(freed as NonNullable<typeof freed>);
		clock.advance(400);
		expect([a.waitMs('r'), b.waitMs('r')]).toEqual([600, 600]);
	});

	it('a pause that the receiver asked for binds every pod', async () => {
		const { paces, leases } = pods(2);
		const turn = await paces[0]?.take('r', NEVER);
		await turn?.free(7000);
		await turn?.free(0);
		const [stored] = leases.stored.values();
		paces[1]?.versions.observe(stored as NonNullable<typeof stored>);
		expect(paces[1]?.waitMs('r')).toBe(7000);
	});

	it('a pod that starts later waits for what is left of a pause that the receiver asked for', async () => {
		const { clock, paces, leases } = pods(2);
		await (await paces[0]?.take('r', NEVER))?.free(60_000);
		const [stored] = leases.stored.values() as unknown as [CoordinationLease];
		clock.advance(45_000);
		const later = () => {
			const pace = new PaceLease({ ...OPTIONS, leases, podName: 'later', clock: clockOf(clock) });
			pace.versions.observe(stored);
			return pace.waitMs('r');
		};
		expect(later()).toBe(16_000); // a second more, because times differ
		clock.advance(3_600_000);
		expect(later()).toBe(1000); // the pace's own
	});

	it('gives no turn to one that waits when the receiver asks for a long pause', async () => {
		const { paces, leases, clock } = pods(2);
		const [a, b] = paces as [PaceLease, PaceLease];
		const turn = await a.take('r', NEVER);
		const waiting = b.take('r', NEVER);
		await settle();
		await turn?.free(60_000);
		const [stored] = leases.stored.values();
		b.versions.observe(stored as NonNullable<typeof stored>);
		expect(await waiting).toBeUndefined();
		expect(b.waitMs('r')).toBe(60_000 - clock.now());
	});

	it('a lost answer is read back', async () => {
		const { paces, leases } = pods(1);
		leases.after = (call) => {
			if (call === 'create') throw new Error('lost');
		};
		expect(await paces[0]?.take('r', NEVER)).toBeDefined();
	});

	it('a fault reaches the caller', async () => {
		const { paces, leases } = pods(1);
		leases.before = () => {
			throw new Error('away');
		};
		await expect(paces[0]?.take('r', NEVER)).rejects.toThrow('away');
	});

	it('is taken again after a backup was restored: the version that is stored is older than the one that was seen', async () => {
		const { clock, paces, leases } = pods(2);
		const [a, b] = paces as [PaceLease, PaceLease];
		await (await a.take('r', NEVER))?.free(0);
		const [backup] = leases.stored.values();
		const second = b.take('r', NEVER);
		await settle();
		clock.advance(1000);
		await (await second)?.free(0);
		leases.stored.set((backup as CoordinationLease).name, backup as CoordinationLease);
		clock.advance(1000);
		endAfter(leases, 50);
		const taking = b.take('r', NEVER);
		await settle();
		clock.advance(1000); // what was restored is seen for the first time, and has its pause
		expect(await taking).toBeDefined();
	});

	it('gives no turn to one that aborted', async () => {
		const { paces } = pods(2);
		await paces[0]?.take('r', NEVER);
		const abort = new AbortController();
		const waiting = paces[1]?.take('r', abort.signal);
		await settle();
		abort.abort();
		expect(await waiting).toBeUndefined();
	});
});

describe('a receiver without a pace, over all replicas', () => {
	function pods() {
		const clock = new ManualClock();
		const leases = new LeasesInMemory(() => clock.wallTime());
		const rests = [0, 1].map(() => new RestLease({ leases, clock: clockOf(clock) }));
		/** As the watch does. */
		const seen = () => {
			for (const rest of rests) for (const lease of leases.stored.values()) rest.versions.observe(lease);
		};
		return { clock, leases, seen, rests: rests as [RestLease, RestLease] };
	}

	it('costs no call while it asks for no pause', async () => {
		const { leases, rests } = pods();
		leases.before = (call) => expect(call).toBe('none');
		const turns = await Promise.all([rests[0].take('r', NEVER), rests[0].take('r', NEVER), rests[1].take('r', NEVER)]);
		for (const turn of turns) await turn?.free(0);
		expect(leases.stored.size).toBe(0);
	});

	it('that asks for a pause is left alone by every pod, for as long as it asked', async () => {
		const { clock, seen, rests } = pods();
		const [a, b] = rests;
		await (await a.take('r', NEVER))?.free(7000);
		seen();
		expect([a.waitMs('r'), b.waitMs('r'), b.waitMs('other')]).toEqual([7000, 7000, 0]);
		// Too far away to be waited for with a Lease in hand.
		expect(await b.take('r', NEVER)).toBeUndefined();
		clock.advance(3000);
		let taken = false;
		void b.take('r', NEVER).then(() => (taken = true));
		for (let ms = 3000; ms < 7000; ms += 500) {
			await settle();
			expect(taken).toBe(false);
			clock.advance(500);
		}
		await settle();
		expect(taken).toBe(true);
		// A second pause replaces the first.
		await (await b.take('r', NEVER))?.free(3000);
		seen();
		expect(a.waitMs('r')).toBe(3000);
	});

	it('is not left alone anew by a pod that starts when the pause is over', async () => {
		const { clock, leases, rests } = pods();
		await (await rests[0].take('r', NEVER))?.free(3_600_000);
		const [stored] = leases.stored.values() as unknown as [CoordinationLease];
		const later = (lease: CoordinationLease) => {
			const rest = new RestLease({ leases, clock: clockOf(clock) });
			rest.versions.observe(lease);
			return rest.waitMs('r');
		};
		clock.advance(1_800_000);
		expect(later(stored)).toBe(1_801_000); // a second more, because times differ
		clock.advance(1_801_000);
		expect(later(stored)).toBe(0);
		// Of one without a time nothing is known but when it was seen.
		expect(later({ ...stored, writtenAt: undefined })).toBe(3_600_000);
	});

	it('that asks for a pause after a backup was restored is left alone by every pod', async () => {
		const { seen, leases, rests } = pods();
		const [a, b] = rests;
		await (await a.take('r', NEVER))?.free(1000);
		const [backup] = leases.stored.values();
		await (await a.take('other', NEVER))?.free(1000);
		seen();
		const changed = await leases.replace(backup as CoordinationLease, { annotations: {} });
		seen();
		expect(changed).toBeTypeOf('object');
		leases.stored.set((backup as CoordinationLease).name, backup as CoordinationLease);
		for (const { versions } of rests) versions.replaceAll([...leases.stored.values()], '0', true);
		expect([a.waitMs('r'), b.waitMs('r')]).toEqual([1000, 1000]);
	});

	it('whose pause cannot be written is left alone by this pod, and nothing fails', async () => {
		const { clock, leases, rests } = pods();
		leases.before = () => {
			throw new Error('away');
		};
		const ended: string[] = [];
		void (await rests[0].take('r', NEVER))?.free(7000).then(() => ended.push('freed'));
		for (let i = 0; i < 60 && ended.length === 0; i++) {
			await settle();
			clock.advance(100);
		}
		expect(ended).toEqual(['freed']);
		expect(rests[0].waitMs('r')).toBe(7000 - clock.now());
		const abort = new AbortController();
		const waiting = rests[0].take('r', abort.signal);
		abort.abort();
		expect(await waiting).toBeUndefined();
	});
});

describe('records', () => {
	function clusters() {
		const clock = new ManualClock();
		const leases = new LeasesInMemory(() => clock.wallTime());
		const stopping = new AbortController();
		const make = () =>
			new DeliveryRecords({ leases, claimTimeoutMs: 20_000, clock: clockOf(clock), stopping: stopping.signal });
		return { clock, leases, stopping, a: make(), b: make() };
	}
	const request = (changes: Partial<RecordRequest> = {}): RecordRequest => ({
		key: 'k',
		uid: 'uid-a',
		claimedBy: 'pod-a_1',
		policy: 'atLeastOnce',
		...changes,
	});
	const ofB = request({ uid: 'uid-b', claimedBy: 'pod-b_1' });

	it('a record that a backup brought back is seen as it is, and waited for', async () => {
		const { clock, leases, a, b } = clusters();
		await a.claim(request());
		const [backup] = leases.stored.values();
		await b.claim(ofB);
		clock.advance(20_000);
		expect(await b.claim(ofB)).toMatchObject({ outcome: 'claimed' });
		const again = request({ claimedBy: 'pod-a_2' });
		expect(await a.claim(again)).toMatchObject({ outcome: 'held', holder: 'pod-b_1' });
		leases.stored.set((backup as CoordinationLease).name, backup as CoordinationLease);
		expect(await a.claim(again)).toEqual({ outcome: 'held', holder: 'pod-a_1', retryInMs: 20_000 });
		clock.advance(20_000);
		expect(await a.claim(again)).toMatchObject({ outcome: 'claimed' });
	});

	it('one cluster sends, and the other hears of it', async () => {
		const { a, b } = clusters();
		const claim = await a.claim(request());
		expect(await b.claim(ofB)).toMatchObject({ outcome: 'held', holder: 'pod-a_1', retryInMs: 20_000 });
		if (claim.outcome !== 'claimed') throw new Error('not claimed');
		await claim.end('Delivered');
		expect(await b.claim(ofB)).toEqual({ outcome: 'settled', state: 'Delivered', message: 'uid-a' });
	});

	it('a claim that was given back is free', async () => {
		const { a, b, leases } = clusters();
		const claim = await a.claim(request());
		if (claim.outcome !== 'claimed') throw new Error('not claimed');
		await claim.end('free');
		expect(leases.stored.size).toBe(0);
		expect(await b.claim(ofB)).toMatchObject({ outcome: 'claimed' });
	});

	it('a silent claim is taken over, and its owner can end it no more', async () => {
		const { a, b, clock } = clusters();
		const old = await a.claim(request());
		await b.claim(ofB);
		clock.advance(20_000);
		const taken = await b.claim(ofB);
		if (old.outcome !== 'claimed' || taken.outcome !== 'claimed') throw new Error('not claimed');
		await old.end('Delivered');
		expect(await a.claim(request())).toMatchObject({ outcome: 'held', holder: 'pod-b_1' });
	});

	it('a silent claim on a channel with at most one send ends as unknown', async () => {
		const { a, b, clock } = clusters();
		await a.claim(request());
		await b.claim(ofB);
		clock.advance(20_000);
		expect(await b.claim({ ...ofB, policy: 'atMostOnce' })).toMatchObject({ outcome: 'settled', state: 'Unknown' });
		expect(await a.claim(request())).toMatchObject({ outcome: 'settled', state: 'Unknown' });
	});

	it('a lost answer is read back, and an end is tried until it is written', async () => {
		const { a, b, leases, clock } = clusters();
		leases.after = (call) => {
			leases.after = () => {};
			if (call === 'create') throw new Error('lost');
		};
		const claim = await a.claim(request());
		if (claim.outcome !== 'claimed') throw new Error('not claimed');
		leases.before = () => {
			leases.before = () => {};
			throw new Error('away');
		};
		const ended = claim.end('Delivered');
		await settle();
		clock.advance(1000);
		await ended;
		expect(await b.claim(ofB)).toMatchObject({ outcome: 'settled', state: 'Delivered' });
	});

	it('are removed when their retention is over', async () => {
		const { a, leases, clock } = clusters();
		await a.claim(request());
		clock.advance(60_000);
		await a.claim(request({ key: 'other' }));
		await a.sweep(30_000);
		expect([...leases.stored.values()].map(({ annotations }) => annotations['kubernaut.ai/record-key'])).toEqual([
			'other',
		]);
	});
});
