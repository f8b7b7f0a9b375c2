// The notification's lock: at most one replica at a time, over all clusters that share the coordination cluster, delivers a
// message to one external channel. It saves calls and keeps the pace; the claim in the status makes the send safe (ADR 17).
// Key: `<uid of the NotificationRequest>-<channel>`, or the key across clusters with LOCK_KUBECONFIG. Lock object: Lease
// `notification-delivery-<hash of the key>` in LOCK_NAMESPACE, 30 s long and renewed every 10 s while the message is sent.
// Off unless USE_DISTRIBUTED_LOCKING is true: then there is no lock at all, and not one call about Leases.
// On contention: the message is requeued until its delivery is recorded; a lock that another holds is never a success.
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
export type { LockObserver } from './lock/lock-ports.ts';

export const LOCK_PREFIX = 'notification-delivery-';

/** `tryAcquire`, `release` and `inspect` are the AcquireLock, ReleaseLock and IsLockHeld of TD-NOT-001. */
export class DistributedLock extends LeaseLock {
	readonly #clock: Clock;
	readonly #observer: LockObserver;

	constructor(options: Omit<LockOptions, 'prefix'>, client: LeaseClient, clock: Clock, observer: LockObserver) {
		super({ ...options, prefix: LOCK_PREFIX }, client, clock, observer);
		this.#clock = clock;
		this.#observer = observer;
	}

	/** The other holder of the key, as far as the watch has seen. It counts as the attempt that it saves. */
	knownHolder(key: string): string | undefined {
		const observation = this.observations.get(this.leaseName(key));
		if (observation === undefined || observation.lease.holder?.startsWith(`${this.config.podName}_`)) return undefined;
		const { lease, since } = observation;
		const expired = this.#clock.now() >= since + honouredDurationMs(lease, this.config);
		if (expired) return undefined;
		const holder = lease.holder ?? UNKNOWN_HOLDER;
		this.#observer.attempted();
		this.#observer.contended({ key, holder });
		return holder;
	}
}

export type DistributedLockOptions = Pick<LeaseWatchOptions, 'backoff' | 'onSync'> & {
	/** Of the coordination cluster, when there is one. */
	readonly kube: KubeClient;
	/** Its wall time is that of the same API server. */
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
