// What may be done on one channel of a message now, from its entry in the status and from how long its claim was seen
// unchanged.
import type { Delivery } from '../objects/notification.ts';

export type Standing =
	/** Delivered, or given up. */
	| { readonly is: 'settled' }
	| { readonly is: 'due' }
	/** Until a time of the API server. */
	| { readonly is: 'waiting'; readonly forMs: number }
	/** The owner of the claim may still be sending. */
	| { readonly is: 'claimed'; readonly by: string; readonly silentInMs: number }
	/** The owner of the claim has stopped, and what it sent is not known. */
	| { readonly is: 'silent'; readonly by: string };

export type StandingInput = {
	readonly delivery: Delivery | undefined;
	/** How long the claim was seen unchanged, by our own monotonic clock. */
	readonly silentForMs: number;
	readonly claimTimeoutMs: number;
	/** Wall time of the API server. */
	readonly now: number;
};

export function standingOf({ delivery, silentForMs, claimTimeoutMs, now }: StandingInput): Standing {
	if (delivery === undefined) return { is: 'due' };
	switch (delivery.state) {
		case 'Delivered':
			return { is: 'settled' };
		case 'Claimed': {
			const by = delivery.claimedBy ?? 'unknown';
			const silentInMs = claimTimeoutMs - silentForMs;
			return silentInMs > 0 ? { is: 'claimed', by, silentInMs } : { is: 'silent', by };
		}
		case 'Failed': {
			if (delivery.final === true) return { is: 'settled' };
			const forMs = delivery.notBefore === undefined ? 0 : Date.parse(delivery.notBefore) - now;
			return forMs > 0 ? { is: 'waiting', forMs } : { is: 'due' };
		}
	}
}
