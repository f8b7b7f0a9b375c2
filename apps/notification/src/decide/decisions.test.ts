// Small decisions: records across clusters, the turn of a receiver, retention.
import { describe, expect, it } from 'vitest';
import { at, NOW } from '../../test/harness/made-up.ts';
import { paceWaitMs } from './pace-turn.ts';
import { decideRecord } from './record.ts';
import { MIN_RETENTION_MS, removalTime } from './retention.ts';

describe('a record of another', () => {
	const claimed = { state: 'Claimed', holder: 'pod-x_1', silentForMs: 5000 } as const;
	const rules = { claimTimeoutMs: 20_000, policy: 'atLeastOnce' } as const;
	it.each([
		{ why: 'a claim that is not silent is waited for', view: claimed, extra: {}, want: { do: 'wait', forMs: 15_000 } },
		{
			why: 'a silent claim is taken over',
			view: { ...claimed, silentForMs: 20_000 },
			extra: {},
			want: { do: 'takeOver' },
		},
		{
			why: 'a silent claim on a channel with at most one send is not repeated',
			view: { ...claimed, silentForMs: 20_000 },
			extra: { policy: 'atMostOnce' } as const,
			want: { do: 'abandon' },
		},
		{
			why: 'the claim of the sender whose claim in the status was silent is silent as well',
			view: { ...claimed, silentForMs: 0 },
			extra: { silentClaim: 'pod-x_1' },
			want: { do: 'takeOver' },
		},
		{
			why: 'another silent sender says nothing about this one',
			view: claimed,
			extra: { silentClaim: 'pod-y_1' },
			want: { do: 'wait', forMs: 15_000 },
		},
		{
			why: 'Delivered is settled, however old',
			view: { ...claimed, state: 'Delivered', silentForMs: 1e9 } as const,
			extra: {},
			want: { do: 'nothing', state: 'Delivered' },
		},
		{
			why: 'Unknown is settled',
			view: { ...claimed, state: 'Unknown' } as const,
			extra: {},
			want: { do: 'nothing', state: 'Unknown' },
		},
	])('$why', ({ view, extra, want }) => {
		expect(decideRecord(view, { ...rules, ...extra })).toEqual(want);
	});
});

describe('the turn of a receiver', () => {
	const rules = { intervalMs: 1000, holdMs: 30_000 };
	it.each([
		{ why: 'freed just now: the whole pause', view: { held: false, unchangedForMs: 0, restMs: 0 }, want: 1000 },
		{ why: 'freed a while ago: the rest', view: { held: false, unchangedForMs: 400, restMs: 0 }, want: 600 },
		{ why: 'free for the pause: now', view: { held: false, unchangedForMs: 1000, restMs: 0 }, want: 0 },
		{ why: 'the receiver asked for longer', view: { held: false, unchangedForMs: 1000, restMs: 5000 }, want: 4000 },
		{ why: 'a longer pause of ours counts', view: { held: false, unchangedForMs: 0, restMs: 10 }, want: 1000 },
		{ why: 'held: however long the send takes', view: { held: true, unchangedForMs: 29_000, restMs: 0 }, want: 1000 },
		{
			why: 'held without a change for the hold time',
			view: { held: true, unchangedForMs: 30_000, restMs: 0 },
			want: 0,
		},
	])('$why', ({ view, want }) => {
		expect(paceWaitMs(view, rules)).toBe(want);
	});
});

describe('retention', () => {
	const finished = { phase: 'Sent', completedAt: at(NOW), retentionMs: undefined } as const;
	it.each([
		{ why: 'the setting', notification: finished, want: NOW + 3_600_000 },
		{ why: 'its own', notification: { ...finished, retentionMs: 7_200_000 }, want: NOW + 7_200_000 },
		{
			why: 'never soon, or the orchestrator makes it again',
			notification: { ...finished, retentionMs: 1000 },
			want: NOW + MIN_RETENTION_MS,
		},
		{
			why: 'not of a message that is not finished',
			notification: { ...finished, phase: 'Sending' } as const,
			want: undefined,
		},
	])('$why', ({ notification, want }) => {
		expect(removalTime(notification, 3_600_000)).toBe(want);
	});
});
