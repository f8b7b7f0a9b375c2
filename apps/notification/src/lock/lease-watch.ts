// Feeds a lock with every Lease of its app that the watch sees: waiters wake early, and observations outlive them.
import type { Backoff } from '@kubernaut/backoff';
import type { KubeClient } from '../kube/kube.ts';
import { type LeaseObject, leasesPath } from '../kube/leases.ts';
import { type ListWatch, startListWatch } from '../kube/list-watch.ts';
import { LOCK_LABEL, toLease } from './lease-client.ts';
import type { LeaseLock } from './lease-lock.ts';
import type { Lease } from './lock-ports.ts';

export type LeaseWatchOptions = {
	readonly kube: KubeClient;
	readonly namespace: string;
	readonly app: string;
	readonly backoff: Pick<Backoff, 'calculate'>;
	/** In sync with the API server, or not. */
	readonly onSync: (inSync: boolean, reason: string) => void;
};

export function startLeaseWatch(
	lock: LeaseLock,
	{ kube, namespace, app, backoff, onSync }: LeaseWatchOptions,
	onSeen: (lease: Lease) => void = () => {},
): ListWatch {
	return startListWatch(
		kube,
		{ path: leasesPath(namespace), resource: 'leases', namespace, labelSelector: `${LOCK_LABEL}=${app}` },
		(object) => toLease(object as LeaseObject),
		{
			replaced(leases, resourceVersion, isRestored) {
				lock.observations.replaceAll(leases, resourceVersion, isRestored);
				leases.forEach(onSeen);
			},
			changed(lease) {
				lock.seen(lease);
				onSeen(lease);
			},
			removed: (lease) => lock.observations.removed(lease),
			syncChanged: onSync,
		},
		{ backoff },
	);
}
