// The numbers that routing decides by.
import { createHash } from 'node:crypto';
import { type Backoff, createBackoff } from '@kubernaut/backoff';

export type RoutingConfig = {
	/** Cooldown of a target after a run, where its workflow sets none. */
	readonly cooldownMs: number;
	/** This many failures of a workflow on a target in a row within the window block it there. */
	readonly consecutiveFailures: number;
	readonly failureWindowMs: number;
	/** The wait after a first failure; it doubles with each. */
	readonly failureBackoffMs: number;
	/** From the first decision on a request to its time-out. */
	readonly deadlineMs: number;
	/** How long a finished request is kept. */
	readonly retentionMs: number;
	readonly cancelResolved: boolean;
	/** The policy is installed that ties the approver of a RemediationApproval to the user who creates it. */
	readonly approverVerified: boolean;
};

/** The same wait in every replica and in every reconcile: the jitter comes from the seed, not from chance. */
export function failureBackoff(config: RoutingConfig, seed: string): Pick<Backoff, 'calculate'> {
	return seededBackoff(
		{ basePeriodMs: config.failureBackoffMs, maxPeriodMs: Math.max(config.failureBackoffMs, config.failureWindowMs) },
		seed,
	);
}

/** Between attempts that the executor skipped. */
export function skippedBackoff(seed: string): Pick<Backoff, 'calculate'> {
	return seededBackoff({ basePeriodMs: 2000, maxPeriodMs: 300_000 }, seed);
}

function seededBackoff(periods: Parameters<typeof createBackoff>[0], seed: string): Pick<Backoff, 'calculate'> {
	const fraction = createHash('sha256').update(seed).digest().readUInt32BE() / 2 ** 32;
	return createBackoff(periods, { random: () => fraction });
}
