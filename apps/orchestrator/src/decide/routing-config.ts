// The numbers that routing decides by.
import { type Backoff, createBackoff } from '@kubernaut/backoff';

export type RoutingConfig = {
	/** How long a target is left alone after a run, where its workflow says nothing. */
	readonly cooldownMs: number;
	/** So many failures of a target in a row within the window ask for a person. */
	readonly consecutiveFailures: number;
	readonly failureWindowMs: number;
	/** After a failure, the first wait; it doubles with each. */
	readonly failureBackoffMs: number;
	/** From taking a request up to giving it up. */
	readonly deadlineMs: number;
	/** A finished request is kept for so long. */
	readonly retentionMs: number;
	readonly cancelResolved: boolean;
};

/** The same wait in every replica and at every look: drawn from what failed, not from chance. */
export function failureBackoff(config: RoutingConfig, seed: string): Pick<Backoff, 'calculate'> {
	return createBackoff(
		{ basePeriodMs: config.failureBackoffMs, maxPeriodMs: Math.max(config.failureBackoffMs, config.failureWindowMs) },
		{ random: () => fractionOf(seed) },
	);
}

const SKIPPED_BACKOFF = { basePeriodMs: 2000, maxPeriodMs: 300_000 } as const;

/** Between tries that the executor turned away. */
export function skippedBackoff(seed: string): Pick<Backoff, 'calculate'> {
	return createBackoff(SKIPPED_BACKOFF, { random: () => fractionOf(seed) });
}

/** From 0 to below 1, spread evenly over texts (FNV-1a). */
export function fractionOf(text: string): number {
	let hash = 0x811c9dc5;
	for (let index = 0; index < text.length; index++) {
		hash ^= text.charCodeAt(index);
		hash = Math.imul(hash, 0x01000193);
	}
	// FNV's high bits move little for short texts that differ at their end; this mixes them.
	hash ^= hash >>> 16;
	hash = Math.imul(hash, 0x85ebca6b);
	hash ^= hash >>> 13;
	return (hash >>> 0) / 2 ** 32;
}
