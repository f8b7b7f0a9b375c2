// The times of the lock, and the relations between them that its guarantee needs.
import type { Lease } from './lock-ports.ts';

export type LockConfig = {
	/** The beginning of every Lease's name. */
	readonly prefix: string;
	readonly podName: string;
	/** Written into the Lease in whole seconds. */
	readonly leaseDurationMs: number;
	readonly renewIntervalMs: number;
	/** The time limit of each call of the LeaseClient. */
	readonly requestTimeoutMs: number;
	/** The holder gives up so long before a takeover is possible. */
	readonly marginMs: number;
	/** A peer's own duration is honoured up to this maximum; longer than any of ours, so that a rolling change is safe. */
	readonly maxPeerDurationMs: number;
	/** An orphan is removed after so many of its durations without a change. */
	readonly sweepAfterDurations: number;
	readonly sweepIntervalMs: number;
};

export type LockOptions = Pick<LockConfig, 'prefix' | 'podName'> & Partial<LockConfig>;

export const LOCK_DEFAULTS = {
	leaseDurationMs: 30_000,
	requestTimeoutMs: 5000,
	marginMs: 1000,
	maxPeerDurationMs: 300_000,
	sweepAfterDurations: 3,
	sweepIntervalMs: 60_000,
} as const;

/** Hex digits of the hash behind the prefix. */
export const LEASE_HASH_LENGTH = 32;
const MAX_NAME_LENGTH = 63;
const TIMES = [
	'leaseDurationMs',
	'renewIntervalMs',
	'requestTimeoutMs',
	'marginMs',
	'maxPeerDurationMs',
	'sweepIntervalMs',
] as const;

export function resolveLockConfig(options: LockOptions): LockConfig {
	const leaseDurationMs = options.leaseDurationMs ?? LOCK_DEFAULTS.leaseDurationMs;
	const config = { ...LOCK_DEFAULTS, renewIntervalMs: leaseDurationMs / 3, ...options, leaseDurationMs };
	const problem = firstProblem(config);
	if (problem !== undefined) throw new Error(`the lock cannot work: ${problem}`);
	return config;
}

/** The same rules for times from a configuration: the problem as a sentence, or undefined. */
export function lockProblem(times: Pick<LockConfig, 'leaseDurationMs' | 'requestTimeoutMs'>): string | undefined {
	return firstProblem({
		...LOCK_DEFAULTS,
		prefix: 'x-',
		podName: 'x',
		renewIntervalMs: times.leaseDurationMs / 3,
		...times,
	});
}

/** A peer's Lease may lack its duration, or hold an absurd one: neither can pin the lock. */
export function honouredDurationMs(
	lease: Pick<Lease, 'durationMs'>,
	config: Pick<LockConfig, 'leaseDurationMs' | 'maxPeerDurationMs'>,
): number {
	return Math.min(lease.durationMs ?? config.leaseDurationMs, config.maxPeerDurationMs);
}

function firstProblem(config: LockConfig): string | undefined {
	const { leaseDurationMs, renewIntervalMs, requestTimeoutMs, marginMs } = config;
	for (const name of TIMES)
		if (!(config[name] > 0 && config[name] < Infinity))
			return `${name} is ${config[name]} ms and must be more than 0 ms`;
	if (leaseDurationMs < 1000 || leaseDurationMs % 1000 !== 0)
		return `the lease duration is ${leaseDurationMs} ms; a Lease takes whole seconds, at least one`;
	const needed = renewIntervalMs + 2 * requestTimeoutMs + marginMs;
	if (needed >= leaseDurationMs)
		return `renew interval + 2 × request timeout + margin is ${needed} ms and must be below the lease duration of ${leaseDurationMs} ms, or one lost answer loses the lock`;
	if (config.maxPeerDurationMs < leaseDurationMs)
		return `the longest duration of a peer is ${config.maxPeerDurationMs} ms and must be at least our own ${leaseDurationMs} ms`;
	if (!(config.sweepAfterDurations >= 2))
		return `sweeping after ${config.sweepAfterDurations} durations could hit a live lease; at least 2`;
	if (!/^[a-z][a-z0-9-]*-$/.test(config.prefix) || config.prefix.length + LEASE_HASH_LENGTH > MAX_NAME_LENGTH)
		return `the prefix ${JSON.stringify(config.prefix)} must be a DNS label of at most ${MAX_NAME_LENGTH - LEASE_HASH_LENGTH} characters that ends with a hyphen`;
	if (config.podName === '') return 'the pod name is empty';
	return undefined;
}
