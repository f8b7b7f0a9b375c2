// The entry of a channel in the status: a claim before the send, and what the end of the send makes of it.
// A takeover raises `attempt` and leaves `refusals`: senders that died do not use up a message that was not refused.
import { createBackoff } from '@kubernaut/backoff';
import type { SendEnd } from '../channels/channel.ts';
import { NOTIFICATION_REQUEST_LIMITS as LIMITS } from '../generated/notification-request.ts';
import type { ChannelName, Delivery, RetryPolicy } from '../objects/notification.ts';

/** What is done about an end that is not known. */
export const UNKNOWN_END_POLICIES = ['atLeastOnce', 'atMostOnce'] as const;
export type UnknownEndPolicy = (typeof UNKNOWN_END_POLICIES)[number];

export type Fencing = { readonly lease: string; readonly fencingToken: number };
export type Claim = { readonly claimedBy: string; readonly fencing?: Fencing | undefined };
/** The end of a claim; `given-back`: nothing was sent. */
export type ClaimEnd =
	| SendEnd
	| { readonly end: 'given-back'; readonly detail: string }
	| { readonly end: 'delivered-elsewhere'; readonly detail: string };
export type EndRules = {
	readonly policy: UnknownEndPolicy;
	readonly retry: RetryPolicy;
	/** Wall time of the API server. */
	readonly now: Date;
	readonly random?: () => number;
};

/** What we know of the API server's time may be so far behind it, and another replica may know better. */
const CLOCK_ERROR_MS = 1000;
/** A receiver that asks for more is asked again after this. */
const MAX_RETRY_AFTER_MS = 3_600_000;
const { maxLength: MAX_ERROR_LENGTH } = LIMITS['status.deliveries[].error'];
const { maxItems: MAX_REMAINING } = LIMITS['status.deliveries[].remaining'];

export function claimEntry(
	channel: ChannelName,
	before: Delivery | undefined,
	{ claimedBy, fencing }: Claim,
	now: Date,
): Delivery {
	return {
		channel,
		state: 'Claimed',
		attempt: (before?.attempt ?? 0) + 1,
		claimedBy,
		...kept(before),
		...fencing,
		...(before?.remaining === undefined ? {} : { remaining: before.remaining }),
		at: now.toISOString(),
	};
}

export function endEntry(claim: Delivery, end: ClaimEnd, rules: EndRules): Delivery {
	const { channel, attempt, claimedBy } = claim;
	const common = {
		channel,
		attempt,
		...(claimedBy === undefined ? {} : { claimedBy }),
		...kept(claim),
		at: rules.now.toISOString(),
	};
	switch (end.end) {
		case 'delivered':
			return { ...common, state: 'Delivered' };
		case 'delivered-elsewhere':
			return { ...common, state: 'Delivered', reason: 'DeliveredElsewhere' };
		case 'given-back':
			return { ...common, state: 'Failed', reason: 'GivenBack', ...remainingOf(claim), error: cut(end.detail) };
		case 'refused-for-good':
			return {
				...common,
				state: 'Failed',
				final: true,
				reason: end.reason,
				refusals: (claim.refusals ?? 0) + 1,
				...remainingOf(end.remaining === undefined ? claim : end),
				error: cut(end.detail),
			};
		case 'refused-for-now':
			return {
				...common,
				...tried(claim, end.retryAfterMs ?? 0, end.detail, rules),
				reason: end.reason,
				...remainingOf(end.remaining === undefined ? claim : end),
			};
		case 'unknown': {
			const entry = tried(claim, 0, end.detail, rules);
			const repeated = rules.policy === 'atLeastOnce' ? entry : givenUp(entry, end.detail);
			return { ...common, ...repeated, reason: 'OutcomeUnknown', ...remainingOf(claim) };
		}
	}
}

/** A silent claim on a channel that is sent to at most once: whether it was sent is not known, and it is not repeated. */
export function abandonEntry(silent: Delivery, claimedBy: string, now: Date): Delivery {
	return {
		channel: silent.channel,
		state: 'Failed',
		final: true,
		reason: 'OutcomeUnknown',
		attempt: silent.attempt + 1,
		claimedBy,
		...kept(silent),
		...remainingOf(silent),
		at: now.toISOString(),
		error: cut(`${silent.claimedBy ?? 'the sender'} stopped before it recorded what it sent`),
	};
}

type Tried = Pick<Delivery, 'state' | 'refusals' | 'error'> & Pick<Partial<Delivery>, 'final' | 'notBefore'>;

function tried(claim: Delivery, retryAfterMs: number, detail: string, { retry, now, random }: EndRules): Tried {
	const refusals = (claim.refusals ?? 0) + 1;
	if (refusals >= retry.maxAttempts)
		return { state: 'Failed', final: true, refusals, error: cut(`given up after ${refusals} attempts: ${detail}`) };
	const asked = retryAfterMs > 0 ? Math.min(retryAfterMs, MAX_RETRY_AFTER_MS) + CLOCK_ERROR_MS : 0;
	const waitMs = Math.max(backoffMs(retry, refusals, random), asked);
	return {
		state: 'Failed',
		refusals,
		notBefore: new Date(now.getTime() + waitMs).toISOString(),
		error: cut(detail),
	};
}

function givenUp({ notBefore: _, ...entry }: Tried, detail: string): Tried {
	return { ...entry, final: true, error: cut(`not repeated, because it may have been sent: ${detail}`) };
}

/** Only jitter upwards is wanted, or a Retry-After of the same length would be undercut; it is compared as a maximum. */
function backoffMs(retry: RetryPolicy, refusals: number, random?: () => number): number {
	const backoff = createBackoff(
		{ basePeriodMs: retry.initialBackoffMs, maxPeriodMs: retry.maxBackoffMs, multiplier: retry.multiplier },
		random === undefined ? {} : { random },
	);
	return backoff.calculate(refusals);
}

/** What every later entry of the channel must carry on. */
function kept(before: Delivery | undefined): Partial<Delivery> {
	return {
		...(before?.refusals === undefined ? {} : { refusals: before.refusals }),
		...(before?.lease === undefined ? {} : { lease: before.lease }),
		...(before?.fencingToken === undefined ? {} : { fencingToken: before.fencingToken }),
	};
}

function remainingOf({ remaining }: { readonly remaining?: readonly string[] }): Pick<Partial<Delivery>, 'remaining'> {
	return remaining === undefined || remaining.length === 0 ? {} : { remaining: remaining.slice(0, MAX_REMAINING) };
}

function cut(text: string): string {
	return text.slice(0, MAX_ERROR_LENGTH).toWellFormed();
}
