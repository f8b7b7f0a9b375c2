import { describe, expect, it } from 'vitest';
import { type Held, LockClosedError, LockFault } from '../../distributed-lock.ts';
import { NOTIFICATION_REQUEST_CHANNELS } from '../../generated/notification-request.ts';
import type { ChannelName } from '../../objects/notification.ts';
import type { Pace } from '../gate/pace.ts';
import { createCoordinator, type OnLockUnavailable } from './coordinator.ts';
import type { RecordClaim } from './delivery-records.ts';

const AWAY = new LockFault('unavailable', 'away');
type Setup = {
	readonly locking?: boolean;
	readonly acquire?: 'acquired' | 'contended' | Error;
	readonly knownHolder?: string;
	readonly pace?: 'turn' | 'aborted' | Error;
	readonly record?: RecordClaim | Error;
	readonly on?: OnLockUnavailable;
	readonly waitMs?: number;
};

function aCoordinator({
	locking = true,
	acquire = 'acquired',
	knownHolder,
	pace = 'turn',
	record,
	on = 'hold',
	waitMs = 0,
}: Setup = {}) {
	const calls: string[] = [];
	const lost = new AbortController();
	const held = { lease: 'l/1', fencingToken: 7n, signal: lost.signal } as unknown as Held;
	const fail = (error: unknown) => {
		throw error;
	};
	const paceOf = (name: string): Pace => ({
		waitMs: () => waitMs,
		async take() {
			calls.push(`${name} take`);
			if (name === 'shared' && pace instanceof Error) fail(pace);
			return pace === 'aborted' ? undefined : { deadline: 5, free: async () => void calls.push(`${name} free`) };
		},
	});
	const perChannel = (make: () => Pace) =>
		Object.fromEntries(NOTIFICATION_REQUEST_CHANNELS.map((channel) => [channel, make()])) as Record<ChannelName, Pace>;
	const coordinator = createCoordinator({
		lock: locking
			? {
					knownHolder: () => knownHolder,
					async tryAcquire() {
						calls.push('acquire');
						if (acquire instanceof Error) return fail(acquire);
						return acquire === 'acquired'
							? { outcome: 'acquired', held }
							: { outcome: 'contended', holder: 'x', retryAfterMs: 9e9 };
					},
					release: async () => void calls.push('release'),
				}
			: undefined,
		records:
			record === undefined
				? undefined
				: { claim: async () => (calls.push('record'), record instanceof Error ? fail(record) : record) },
		paces: perChannel(() => paceOf('shared')),
		localPaces: perChannel(() => paceOf('local')),
		onLockUnavailable: on,
		now: () => 0,
		observer: {
			lockUnavailable: (channel, action) => void calls.push(`unavailable ${channel} ${action}`),
			paced: () => {},
		},
	});
	const enter = (channel: ChannelName = 'slack', receiver: string | null = 'r') =>
		coordinator.enter({
			uid: 'u',
			channel,
			key: 'k',
			receiver: receiver ?? undefined,
			claimedBy: 'me',
			policy: 'atLeastOnce',
			abort: new AbortController().signal,
		});
	return { coordinator, enter, calls, lost };
}

describe('a permit', () => {
	it('takes the Lease, then the turn, then the record', async () => {
		const claim: RecordClaim = { outcome: 'claimed', end: async () => {} };
		const { enter, calls, lost } = aCoordinator({ record: claim });
		const permit = await enter();
		expect(calls).toEqual(['acquire', 'shared take', 'record']);
		if (permit.outcome !== 'permitted') throw new Error('not permitted');
		expect(permit.fencing).toEqual({ lease: 'l/1', fencingToken: 7 });
		expect(permit.isHeld()).toBe(true);
		lost.abort();
		expect(permit.isHeld()).toBe(false);
		await permit.release();
		expect(calls.at(-1)).toBe('release');
	});

	it('without locking costs no call, and has the pace of this process', async () => {
		const { enter, calls } = aCoordinator({ locking: false });
		expect(await enter()).toMatchObject({ outcome: 'permitted', fencing: undefined });
		expect(calls).toEqual(['local take']);
	});

	it.each(['console', 'file', 'log'] as const)('of %s needs no Lease', async (channel) => {
		const { enter, calls } = aCoordinator();
		expect(await enter(channel)).toMatchObject({ outcome: 'permitted' });
		expect(calls).toEqual(['local take']);
	});

	it('of a channel that is not set up has no pace', async () => {
		const { enter, calls } = aCoordinator({ locking: false });
		expect(await enter('slack', null)).toMatchObject({ outcome: 'permitted' });
		expect(calls).toEqual([]);
	});
});

describe('a lock that another holds', () => {
	it('is tried again, and never a success', async () => {
		const { enter, calls } = aCoordinator({ acquire: 'contended' });
		expect(await enter()).toEqual({ outcome: 'later', retryInMs: 1000, why: 'contended' });
		expect(calls).toEqual(['acquire']);
	});

	it('as the watch has shown costs no call', async () => {
		const { enter, calls } = aCoordinator({ knownHolder: 'x' });
		expect(await enter()).toMatchObject({ outcome: 'later', why: 'contended' });
		expect(calls).toEqual([]);
	});

	it('in the record of another cluster is tried again, with everything given back', async () => {
		const { enter, calls } = aCoordinator({ record: { outcome: 'held', holder: 'x', retryInMs: 300 } });
		expect(await enter()).toEqual({ outcome: 'later', retryInMs: 300, why: 'contended' });
		expect(calls).toEqual(['acquire', 'shared take', 'record', 'shared free', 'release']);
	});
});

describe('what another cluster settled', () => {
	it('is passed on, with everything given back', async () => {
		const { enter, calls } = aCoordinator({ record: { outcome: 'settled', state: 'Delivered', message: 'uid-2' } });
		expect(await enter()).toEqual({ outcome: 'elsewhere', state: 'Delivered', message: 'uid-2' });
		expect(calls.slice(-2)).toEqual(['shared free', 'release']);
	});
});

describe('a coordination cluster that is away', () => {
	it.each([
		{ what: 'the Lease', setup: { acquire: AWAY } },
		{ what: 'the pace', setup: { pace: AWAY } },
		{ what: 'the record', setup: { record: AWAY } },
	])('holds the message: $what', async ({ setup }) => {
		const { enter, calls } = aCoordinator(setup);
		expect(await enter()).toMatchObject({ outcome: 'later', why: 'unavailable' });
		expect(calls).toContain('unavailable slack hold');
	});

	it.each([
		{ what: 'the Lease', setup: { acquire: AWAY }, want: 'local take' },
		{ what: 'the pace', setup: { pace: AWAY }, want: 'local take' },
		{ what: 'the record', setup: { record: AWAY }, want: 'shared take' },
	])('delivers with the claim alone, where that is asked for: $what', async ({ setup, want }) => {
		const { enter, calls } = aCoordinator({ ...setup, on: 'deliver' });
		expect(await enter()).toMatchObject({ outcome: 'permitted' });
		expect(calls).toContain('unavailable slack deliver');
		expect(calls).toContain(want);
	});

	it('is no reason to swallow another error', async () => {
		const { enter } = aCoordinator({ acquire: new TypeError('bug') });
		await expect(enter()).rejects.toThrow('bug');
	});
});

describe('the end', () => {
	it('of the process gives no permit', async () => {
		expect(await aCoordinator({ acquire: new LockClosedError() }).enter()).toMatchObject({
			outcome: 'later',
			why: 'aborted',
		});
		const { enter, calls } = aCoordinator({ pace: 'aborted' });
		expect(await enter()).toMatchObject({ outcome: 'later', why: 'aborted' });
		expect(calls.at(-1)).toBe('release');
	});

	it('of a long pause is waited for without a Lease', () => {
		expect(aCoordinator({ waitMs: 30_000 }).coordinator.waitMs('slack', 'r')).toBe(30_000);
		expect(aCoordinator({ waitMs: 1000 }).coordinator.waitMs('slack', 'r')).toBe(0);
		expect(aCoordinator({ waitMs: 30_000 }).coordinator.waitMs('slack', undefined)).toBe(0);
	});
});
