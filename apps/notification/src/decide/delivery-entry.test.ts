import { describe, expect, it } from 'vitest';
import { aClaim, at, NOW, RETRY } from '../../test/harness/made-up.ts';
import type { Delivery } from '../objects/notification.ts';
import { abandonEntry, type ClaimEnd, claimEntry, endEntry, type UnknownEndPolicy } from './delivery-entry.ts';

const now = new Date(NOW);
/** The middle of the jitter. */
const rules = (policy: UnknownEndPolicy = 'atLeastOnce') => ({ policy, retry: RETRY, now, random: () => 0.5 });
const UNKNOWN: ClaimEnd = { end: 'unknown', reason: 'NoAnswer', detail: 'no answer' };
const FOR_NOW: ClaimEnd = { end: 'refused-for-now', reason: 'ReceiverUnavailable', detail: '503' };

describe('a claim', () => {
	it('of a channel without an entry is attempt 1', () => {
		expect(claimEntry('slack', undefined, { claimedBy: 'pod-a_1' }, now)).toEqual(aClaim({ at: at(NOW) }));
	});

	it('raises attempt, keeps refusals and recipients that are left, and drops what the last attempt said', () => {
		const before = aClaim({
			state: 'Failed',
			attempt: 3,
			refusals: 2,
			remaining: ['a@example.com'],
			notBefore: at(NOW - 1),
			reason: 'Throttled',
			error: '429',
		});
		expect(claimEntry('slack', before, { claimedBy: 'pod-b_2' }, now)).toEqual(
			aClaim({ attempt: 4, refusals: 2, remaining: ['a@example.com'], claimedBy: 'pod-b_2' }),
		);
	});

	it('carries the token of its own lease, and without a lock the one that is stored', () => {
		const fencing = { lease: 'l/2', fencingToken: 5 };
		const before = aClaim({ lease: 'l/1', fencingToken: 9 });
		expect(claimEntry('slack', before, { claimedBy: 'x', fencing }, now)).toMatchObject(fencing);
		expect(claimEntry('slack', before, { claimedBy: 'x' }, now)).toMatchObject({ lease: 'l/1', fencingToken: 9 });
	});
});

describe('the end of a claim', () => {
	const claim = aClaim({ attempt: 2, refusals: 1, lease: 'l/1', fencingToken: 9 });
	type Row = { why: string; end: ClaimEnd; policy?: UnknownEndPolicy; claim?: Delivery; want: Partial<Delivery> };
	const rows: Row[] = [
		{ why: 'delivered', end: { end: 'delivered' }, want: { state: 'Delivered', refusals: 1 } },
		{
			why: 'delivered by another cluster',
			end: { end: 'delivered-elsewhere', detail: 'x' },
			want: { state: 'Delivered', reason: 'DeliveredElsewhere', refusals: 1 },
		},
		{
			why: 'refused for now: counts, and waits by the retry policy',
			end: FOR_NOW,
			want: { state: 'Failed', reason: 'ReceiverUnavailable', refusals: 2, notBefore: at(NOW + 60_000), error: '503' },
		},
		{
			why: 'a longer Retry-After binds all replicas, whose clocks follow the API server within a second',
			end: { end: 'refused-for-now', reason: 'Throttled', detail: '429', retryAfterMs: 90_000 },
			want: { state: 'Failed', reason: 'Throttled', refusals: 2, notBefore: at(NOW + 91_000), error: '429' },
		},
		{
			why: 'an absurd Retry-After is cut to an hour',
			end: { end: 'refused-for-now', reason: 'Throttled', detail: '429', retryAfterMs: 1e12 },
			want: { state: 'Failed', reason: 'Throttled', refusals: 2, notBefore: at(NOW + 3_601_000), error: '429' },
		},
		{
			why: 'the last refusal of the retry policy gives up',
			end: FOR_NOW,
			claim: { ...claim, refusals: 4 },
			want: {
				state: 'Failed',
				final: true,
				reason: 'ReceiverUnavailable',
				refusals: 5,
				error: 'given up after 5 attempts: 503',
			},
		},
		{
			why: 'some recipients: only the rest is tried again',
			end: { end: 'refused-for-now', reason: 'SomeRecipientsRejected', detail: '450', remaining: ['b@example.com'] },
			want: {
				state: 'Failed',
				reason: 'SomeRecipientsRejected',
				refusals: 2,
				remaining: ['b@example.com'],
				notBefore: at(NOW + 60_000),
				error: '450',
			},
		},
		{
			why: 'refused for good gives up at once',
			end: { end: 'refused-for-good', reason: 'RejectedByReceiver', detail: 'no_service' },
			want: { state: 'Failed', final: true, reason: 'RejectedByReceiver', refusals: 2, error: 'no_service' },
		},
		{
			why: 'unknown, at least once: counts, and is sent again',
			end: UNKNOWN,
			want: {
				state: 'Failed',
				reason: 'OutcomeUnknown',
				refusals: 2,
				notBefore: at(NOW + 60_000),
				error: 'no answer',
			},
		},
		{
			why: 'unknown, at most once: final at the first time',
			end: UNKNOWN,
			policy: 'atMostOnce',
			want: {
				state: 'Failed',
				final: true,
				reason: 'OutcomeUnknown',
				refusals: 2,
				error: 'not repeated, because it may have been sent: no answer',
			},
		},
		{
			why: 'given back: nothing was sent, nothing counts, and it is due at once',
			end: { end: 'given-back', detail: 'no time left' },
			policy: 'atMostOnce',
			want: { state: 'Failed', reason: 'GivenBack', refusals: 1, error: 'no time left' },
		},
	];
	it.each(rows)('$why', ({ end, policy, claim: before = claim, want }) => {
		const kept = { channel: 'slack', attempt: 2, claimedBy: 'pod-a_1', lease: 'l/1', fencingToken: 9, at: at(NOW) };
		expect(endEntry(before, end, rules(policy))).toEqual({ ...kept, ...want });
	});

	it('keeps the recipients that were left when the end says nothing about them', () => {
		const before = { ...claim, remaining: ['c@example.com'] };
		for (const end of [FOR_NOW, UNKNOWN, { end: 'given-back', detail: 'x' }] as const)
			expect(endEntry(before, end, rules()).remaining).toEqual(['c@example.com']);
	});

	it('is cut to what the schema takes, at a whole character', () => {
		const { error = '' } = endEntry(claim, { ...FOR_NOW, detail: '😀'.repeat(5000) }, rules());
		expect(error.length).toBeLessThanOrEqual(2048);
		expect(error.isWellFormed()).toBe(true);
	});
});

describe('a silent claim on a channel with at most one send', () => {
	it('ends as unknown with a higher attempt, and is not refused by it', () => {
		const silent = aClaim({ attempt: 2, refusals: 1 });
		expect(abandonEntry(silent, 'pod-b_2', now)).toEqual({
			channel: 'slack',
			state: 'Failed',
			final: true,
			reason: 'OutcomeUnknown',
			attempt: 3,
			refusals: 1,
			claimedBy: 'pod-b_2',
			at: at(NOW),
			error: 'pod-a_1 stopped before it recorded what it sent',
		});
	});
});
