// What a record in the coordination cluster allows: the claim of a key there comes before the claim in the message's own
// status, so that one of several clusters sends.
import type { UnknownEndPolicy } from './delivery-entry.ts';

export const RECORD_STATES = ['Claimed', 'Delivered', 'Unknown'] as const;
export type RecordState = (typeof RECORD_STATES)[number];

export type RecordView = {
	readonly state: RecordState;
	readonly holder: string;
	/** How long it was seen unchanged, by our own monotonic clock. */
	readonly silentForMs: number;
};
export type RecordDecision =
	| { readonly do: 'takeOver' }
	/** It may have been sent, and is not repeated. */
	| { readonly do: 'abandon' }
	| { readonly do: 'wait'; readonly forMs: number }
	| { readonly do: 'nothing'; readonly state: 'Delivered' | 'Unknown' };

/** `silentClaim`: the owner of the claim in our message's own status, when that was silent. It claimed the record first. */
export function decideRecord(
	{ state, holder, silentForMs }: RecordView,
	rules: {
		readonly claimTimeoutMs: number;
		readonly policy: UnknownEndPolicy;
		readonly silentClaim?: string | undefined;
	},
): RecordDecision {
	if (state !== 'Claimed') return { do: 'nothing', state };
	const forMs = holder === rules.silentClaim ? 0 : rules.claimTimeoutMs - silentForMs;
	if (forMs > 0) return { do: 'wait', forMs };
	return { do: rules.policy === 'atLeastOnce' ? 'takeOver' : 'abandon' };
}
