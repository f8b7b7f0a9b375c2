import { describe, expect, it } from 'vitest';
import { aClaim, aNotification, at, NOW } from '../../test/harness/made-up.ts';
import type { ChannelName, Delivery, Phase } from '../objects/notification.ts';
import { phaseOf, statusOf } from './status.ts';

const TWO: ChannelName[] = ['slack', 'log'];
const slack = (changes: Partial<Delivery> = {}) => aClaim(changes);
const log = (changes: Partial<Delivery> = {}) => aClaim({ channel: 'log', ...changes });
const delivered = { state: 'Delivered' } as const;
const failed = { state: 'Failed', reason: 'Throttled', error: '429' } as const;
const givenUp = { ...failed, final: true } as const;

describe('the phase', () => {
	const rows: { why: string; deliveries: Delivery[]; want: Phase }[] = [
		{ why: 'nothing was tried', deliveries: [], want: 'Pending' },
		{ why: 'one is claimed', deliveries: [slack(), log(failed)], want: 'Sending' },
		{ why: 'one waits for its next attempt', deliveries: [slack(failed), log(delivered)], want: 'Retrying' },
		{ why: 'one was not tried yet', deliveries: [log(delivered)], want: 'Pending' },
		{ why: 'all are delivered', deliveries: [slack(delivered), log(delivered)], want: 'Sent' },
		{
			why: 'some are delivered, the rest given up',
			deliveries: [slack(givenUp), log(delivered)],
			want: 'PartiallySent',
		},
		{ why: 'all are given up', deliveries: [slack(givenUp), log(givenUp)], want: 'Failed' },
	];
	it.each(rows)('$why: $want', ({ deliveries, want }) => {
		expect(phaseOf(TWO, deliveries)).toBe(want);
	});
});

describe('the status', () => {
	const now = new Date(NOW);
	const notification = aNotification({ channels: TWO });

	it('has the channels once, sums over them, and a time of completion', () => {
		const deliveries = [slack({ ...givenUp, attempt: 5 }), log(delivered)];
		expect(statusOf(notification, TWO, deliveries, now)).toEqual({
			phase: 'PartiallySent',
			channels: TWO,
			deliveries,
			counters: { attempts: 6, delivered: 1, failed: 1 },
			completedAt: at(NOW),
			conditions: [
				{
					type: 'Complete',
					status: 'True',
					reason: 'PartiallySent',
					message: 'slack: Throttled: 429',
					lastTransitionTime: at(NOW),
				},
			],
		});
	});

	it('does not write the channels again', () => {
		const routed = aNotification({}, { channels: ['log'] });
		expect(statusOf(routed, ['log'], [], now)).not.toHaveProperty('channels');
	});

	it('keeps an unknown outcome in its conditions when the message was delivered later', () => {
		const unknown = statusOf(notification, TWO, [slack({ ...failed, reason: 'OutcomeUnknown' })], now);
		expect(unknown.conditions).toContainEqual(expect.objectContaining({ type: 'OutcomeUnknown', status: 'True' }));
		const later = aNotification({ channels: TWO }, unknown);
		const sent = statusOf(later, TWO, [slack(delivered), log(delivered)], new Date(NOW + 1000));
		expect(sent.conditions?.map(({ type, lastTransitionTime }) => [type, lastTransitionTime])).toEqual([
			['OutcomeUnknown', at(NOW)],
			['Complete', at(NOW + 1000)],
		]);
	});

	it('has each type of condition once, when one channel is given up and another is taken over', () => {
		const again = { type: 'OutcomeUnknown', status: 'True', reason: 'Repeated', message: 'it is sent again' } as const;
		const deliveries = [slack({ ...givenUp, reason: 'OutcomeUnknown' }), log()];
		const { conditions } = statusOf(notification, TWO, deliveries, now, [again, again]);
		expect(conditions?.map(({ type, reason, message }) => [type, reason, message]).slice(1)).toEqual([
			['OutcomeUnknown', 'Repeated', 'whether the message was sent is not known: slack; it is sent again'],
		]);
	});

	it('moves the time of a condition only with its status', () => {
		const before = aNotification({ channels: TWO }, statusOf(notification, TWO, [slack()], now));
		const after = statusOf(before, TWO, [slack(failed)], new Date(NOW + 1000));
		expect(after.conditions).toMatchObject([{ type: 'Complete', reason: 'Retrying', lastTransitionTime: at(NOW) }]);
	});
});
