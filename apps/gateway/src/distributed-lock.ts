// The gateway's lock: at most one replica at a time turns the signals of one incident into a request.
// Key: the fingerprint of the incident. Lock object: Lease `gw-lock-<hash of the key>` in the pod's own namespace,
// LOCK_LEASE_DURATION (30 s) long and renewed while work runs.
// On contention: `withLock` answers with the holder; ingest/ingest-signal.ts waits for the release (`waitForRelease`, woken
// by the Lease watch) with backoff, and defers the signal after its last attempt.
// Not guaranteed: that a holder never loses it. The chained name of the request makes the write safe (ADR 3).
import { APP } from './app.ts';
import type { KubeClient } from './kube/kube.ts';
import { createLeaseClient } from './lock/lease-client.ts';
import { LeaseLock } from './lock/lease-lock.ts';
import { type LeaseWatchOptions, startLeaseWatch } from './lock/lease-watch.ts';
import type { LockOptions } from './lock/lock-config.ts';
import type { LeaseClient, LockObserver } from './lock/lock-ports.ts';
import type { Clock } from './process/clock.ts';

export type { Acquisition, Contended, Held, LockResult } from './lock/lease-lock.ts';
export { lockProblem } from './lock/lock-config.ts';
export { LOCK_FAULTS, LOSSES, LockClosedError, LockFault, LockLostError } from './lock/lock-errors.ts';
export { lockLog } from './lock/lock-log.ts';
export { lockMetrics } from './lock/lock-metrics.ts';
export type { LockObserver } from './lock/lock-ports.ts';

export const LOCK_PREFIX = 'gw-lock-';

/** What equal signals share, and all that the lock knows of them. */
export function lockKey({ fingerprint }: { readonly fingerprint: string }): string {
	return fingerprint;
}

export class DistributedLock extends LeaseLock {
	constructor(options: Omit<LockOptions, 'prefix'>, client: LeaseClient, clock: Clock, observer: LockObserver) {
		super({ ...options, prefix: LOCK_PREFIX }, client, clock, observer);
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
	const watch = startLeaseWatch(lock, { ...options, app: APP.name });
	return {
		lock,
		async stop(graceMs) {
			await lock.shutdown(graceMs);
			watch.stop();
		},
	};
}
