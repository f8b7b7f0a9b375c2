import { describe, expect, it } from 'vitest';
import { aClaim, at, NOW } from '../../test/harness/made-up.ts';
import type { Delivery } from '../objects/notification.ts';
import { type Standing, standingOf } from './standing.ts';

type Row = { why: string; delivery: Delivery | undefined; silentForMs?: number; want: Standing };
const failed = (changes: Partial<Delivery> = {}) => aClaim({ state: 'Failed', ...changes });

const ROWS: Row[] = [
	{ why: 'a channel without an entry is due', delivery: undefined, want: { is: 'due' } },
	{ why: 'Delivered is settled', delivery: aClaim({ state: 'Delivered' }), want: { is: 'settled' } },
	{ why: 'given up is settled', delivery: failed({ final: true }), want: { is: 'settled' } },
	{ why: 'a failure without a wait is due', delivery: failed(), want: { is: 'due' } },
	{ why: 'a failure whose wait is over is due', delivery: failed({ notBefore: at(NOW) }), want: { is: 'due' } },
	{
		why: 'a failure waits, in every replica, until notBefore',
		delivery: failed({ notBefore: at(NOW + 1500) }),
		want: { is: 'waiting', forMs: 1500 },
	},
	{
		why: 'a claim that was just seen is its owner’s',
		delivery: aClaim(),
		want: { is: 'claimed', by: 'pod-a_1', silentInMs: 20_000 },
	},
	{
		why: 'a claim is its owner’s until the very end of the claim time-out',
		delivery: aClaim(),
		silentForMs: 19_999,
		want: { is: 'claimed', by: 'pod-a_1', silentInMs: 1 },
	},
	{
		why: 'a claim seen unchanged for the claim time-out is silent',
		delivery: aClaim(),
		silentForMs: 20_000,
		want: { is: 'silent', by: 'pod-a_1' },
	},
	{
		why: 'the wall time in a claim says nothing: only what was observed counts',
		delivery: aClaim({ at: at(NOW - 3_600_000) }),
		silentForMs: 5,
		want: { is: 'claimed', by: 'pod-a_1', silentInMs: 19_995 },
	},
];

describe('the standing of a channel', () => {
	it.each(ROWS)('$why', ({ delivery, silentForMs = 0, want }) => {
		expect(standingOf({ delivery, silentForMs, claimTimeoutMs: 20_000, now: NOW })).toEqual(want);
	});
});
