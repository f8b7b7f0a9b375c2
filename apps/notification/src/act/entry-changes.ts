// Changes of one entry, each of which holds only while the entry is what it was decided from.
import {
	abandonEntry,
	type Claim,
	type ClaimEnd,
	claimEntry,
	type EndRules,
	endEntry,
} from '../decide/delivery-entry.ts';
import type { Standing } from '../decide/standing.ts';
import type { NewCondition } from '../decide/status.ts';
import type { ChannelName, Delivery } from '../objects/notification.ts';
import type { EntryChange } from './status-writer.ts';

export type StandingOf = (delivery: Delivery | undefined) => Standing;

const REPEATED: NewCondition = {
	type: 'OutcomeUnknown',
	status: 'True',
	reason: 'Repeated',
	message: 'a sender stopped before it recorded what it sent: the message is sent again, and may arrive twice',
};

/** Of a channel that is due, or whose claim is silent. */
export function claimChange(
	channel: ChannelName,
	claim: Claim,
	standingOf: StandingOf,
	now: () => Date,
	noted: readonly NewCondition[],
	isTakeover: boolean,
): EntryChange {
	return {
		channel,
		next: (current) => (isOpen(standingOf(current)) ? claimEntry(channel, current, claim, now()) : undefined),
		isApplied: (current) => current.claimedBy === claim.claimedBy,
		noted: isTakeover ? [...noted, REPEATED] : noted,
	};
}

/** What became of our own claim. */
export function endChange(claimed: Delivery, end: ClaimEnd, rules: () => EndRules): EntryChange {
	const isOurs = (current: Delivery) => current.claimedBy === claimed.claimedBy && current.attempt === claimed.attempt;
	return {
		channel: claimed.channel,
		next: (current) =>
			current !== undefined && isOurs(current) && current.state === 'Claimed'
				? endEntry(current, end, rules())
				: undefined,
		isApplied: (current) => isOurs(current) && current.state !== 'Claimed',
	};
}

/** Claims and ends in one write: nothing is sent, because it is known what became of the message. */
export function settleChange(
	channel: ChannelName,
	claim: Claim,
	end: ClaimEnd,
	standingOf: StandingOf,
	rules: () => EndRules,
): EntryChange {
	return {
		channel,
		next: (current) =>
			isOpen(standingOf(current))
				? endEntry(claimEntry(channel, current, claim, rules().now), end, rules())
				: undefined,
		isApplied: (current) => current.claimedBy === claim.claimedBy,
	};
}

/** A silent claim on a channel that is sent to at most once. */
export function abandonChange(
	channel: ChannelName,
	claimedBy: string,
	standingOf: StandingOf,
	now: () => Date,
): EntryChange {
	return {
		channel,
		next: (current) =>
			current !== undefined && standingOf(current).is === 'silent'
				? abandonEntry(current, claimedBy, now())
				: undefined,
		isApplied: (current) => current.claimedBy === claimedBy,
	};
}

function isOpen({ is }: Standing): boolean {
	return is === 'due' || is === 'silent';
}
