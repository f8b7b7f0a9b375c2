// The orchestrator's lock: at most one replica at a time decides what runs on one target.
// Key: the canonical target (`namespace/Kind/name`). Lock object: Lease `ro-lock-<hash of the key>` in the pod's own
// namespace, LOCK_LEASE_DURATION (30 s) long and renewed while work runs.
// On contention: the target is requeued, and comes back when the Lease watch sees the release, after CONTENDED_MS at the
// latest. `knownHolder` saves a call that would only find out that another replica holds it.
// Not guaranteed: that a holder never loses it. The chained name of the execution makes the write safe (ADR 3).
import { APP } from './app.ts';
import type { KubeClient } from './kube/kube.ts';
import { createLeaseClient } from './lock/lease-client.ts';
import { LeaseLock } from './lock/lease-lock.ts';
import { UNKNOWN_HOLDER } from './lock/lease-protocol.ts';
import { type LeaseWatchOptions, startLeaseWatch } from './lock/lease-watch.ts';
import { honouredDurationMs, type LockOptions } from './lock/lock-config.ts';
import type { Lease, LeaseClient, LockObserver } from './lock/lock-ports.ts';
import type { Clock } from './process/clock.ts';

export type { Acquisition, Contended, Held, LockResult } from './lock/lease-lock.ts';
export { lockProblem } from './lock/lock-config.ts';
export { LOCK_FAULTS, LOSSES, LockClosedError, LockFault, LockLostError } from './lock/lock-errors.ts';
export { lockLog } from './lock/lock-log.ts';
export { lockMetrics } from './lock/lock-metrics.ts';
export type { LockObserver } from './lock/lock-ports.ts';

export const LOCK_PREFIX = 'ro-lock-';

/** How long a contended target waits at most for its next attempt; a release that the watch sees ends the wait. */
const CONTENDED_MS = 100;

/** The key is the canonical target. */
export class DistributedLock extends LeaseLock {
	readonly #clock: Clock;

	constructor(options: Omit<LockOptions, 'prefix'>, client: LeaseClient, clock: Clock, observer: LockObserver) {
		super({ ...options, prefix: LOCK_PREFIX }, client, clock, observer);
		this.#clock = clock;
	}

	/** The other holder of the target, as far as the watch has seen. */
	knownHolder(target: string): string | undefined {
		const observation = this.observations.get(this.leaseName(target));
		if (observation === undefined || observation.lease.holder?.startsWith(`${this.config.podName}_`)) return undefined;
		const { lease, since } = observation;
		const expired = this.#clock.now() >= since + honouredDurationMs(lease, this.config);
		return expired ? undefined : (lease.holder ?? UNKNOWN_HOLDER);
	}

	/** Settles when another attempt at a contended target is worth its calls. */
	whenWorthAnotherTry(target: string, signal: AbortSignal): Promise<void> {
		return this.waitForRelease(target, CONTENDED_MS, signal);
	}
}

export type DistributedLockOptions = Pick<LeaseWatchOptions, 'backoff' | 'onSync'> & {
	readonly kube: KubeClient;
	/** Its wall time is the API server's. */
	readonly clock: Clock;
	readonly podName: string;
	readonly namespace: string;
	readonly leaseDurationMs: number;
	readonly requestTimeoutMs: number;
	readonly observer: LockObserver;
	/** The watch saw a replica at work under a lock. */
	readonly onSeenAtWork: (podName: string) => void;
};

export function startDistributedLock(options: DistributedLockOptions): {
	readonly lock: DistributedLock;
	stop(graceMs: number): Promise<void>;
} {
	const { kube, namespace, podName, leaseDurationMs, requestTimeoutMs } = options;
	const client = createLeaseClient(kube, namespace, APP.name);
	const lock = new DistributedLock(
		{ podName, leaseDurationMs, requestTimeoutMs },
		client,
		options.clock,
		options.observer,
	);
	lock.start();
	const watch = startLeaseWatch(lock, { ...options, app: APP.name }, (lease) => {
		const pod = podOf(lease);
		if (pod !== undefined) options.onSeenAtWork(pod);
	});
	return {
		lock,
		async stop(graceMs) {
			await lock.shutdown(graceMs);
			watch.stop();
		},
	};
}

/** The pod in front of the nonce. */
function podOf({ holder }: Lease): string | undefined {
	return holder?.slice(0, Math.max(0, holder.lastIndexOf('_')));
}
