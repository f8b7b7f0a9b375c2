// Puts the use cases together: lock, caches that follow the API server, chain, counting.
import { BACKOFF_PRESETS, createBackoff } from '@kubernaut/backoff';
import { APP } from './app.ts';
import type { RemediationRequest } from './generated/remediation-request.ts';
import { gatherWhileMoreCome, nextTurn } from './ingest/gather.ts';
import { createSignalIngest, type RetryObserver } from './ingest/ingest-signal.ts';
import { knownRequests } from './ingest/known-requests.ts';
import { OccurrenceCommitter } from './ingest/occurrence-commit.ts';
import type { Check } from './kube/api-readiness.ts';
import type { KubeClient } from './kube/kube.ts';
import { type Listed, type ListWatch, startListWatch } from './kube/list-watch.ts';
import { createLeaseClient, type LeaseObject, LOCK_LABEL, leasesPath, toLease } from './lock/lease-client.ts';
import { DistributedLock } from './lock/lease-lock.ts';
import { SYSTEM_LOCK_CLOCK } from './lock/lock-clock.ts';
import type { Lease, LockObserver } from './lock/lock-ports.ts';
import { RequestCache } from './objects/request-cache.ts';
import { type RequestLink, toLink } from './objects/request-link.ts';
import { createRequestStore, requestsPath } from './objects/request-store.ts';
import type { SignalIngest } from './signal/signal.ts';

export type GatewayOptions = {
	readonly kube: KubeClient;
	readonly podName: string;
	readonly lockNamespace: string;
	readonly requestNamespace: string;
	readonly leaseDurationMs: number;
	readonly requestTimeoutMs: number;
	readonly lockObserver: LockObserver;
	readonly retryObserver: RetryObserver;
	/** A cache is in step with the API server, or not. */
	readonly onFollowing: (what: 'requests' | 'leases', inStep: boolean, reason: string) => void;
};

export type Gateway = {
	readonly ingest: SignalIngest;
	readonly lock: DistributedLock;
	readonly cache: RequestCache;
	/** For readiness: all requests are known. Falling behind later costs calls, not safety, so it stays ready. */
	check(): Check;
	stop(graceMs: number): Promise<void>;
};

export const LOCK_PREFIX = 'gw-lock-';

export function createGateway(options: GatewayOptions): Gateway {
	const { kube, podName, lockNamespace, requestNamespace } = options;
	const lock = new DistributedLock(
		{
			prefix: LOCK_PREFIX,
			podName,
			leaseDurationMs: options.leaseDurationMs,
			requestTimeoutMs: options.requestTimeoutMs,
		},
		createLeaseClient(kube, lockNamespace, APP.name),
		SYSTEM_LOCK_CLOCK,
		options.lockObserver,
	);
	lock.start();
	const cache = new RequestCache();
	let synced = false;
	const follow = { backoff: createBackoff({ basePeriodMs: 100, maxPeriodMs: 5000 }) };
	const requests: ListWatch = startListWatch<FollowedLink>(
		kube,
		{ path: requestsPath(requestNamespace), resource: 'remediationrequests', namespace: requestNamespace },
		(object) => withMetadata(toLink(object as RemediationRequest)),
		{
			replaced(links, resourceVersion) {
				cache.replaceAll(links, resourceVersion);
				synced = true;
			},
			changed: (link) => cache.changed(link),
			removed: (link) => cache.removed(link),
			following: (inStep, reason) => options.onFollowing('requests', inStep, reason),
		},
		follow,
	);
	const leases: ListWatch = startListWatch<FollowedLease>(
		kube,
		{
			path: leasesPath(lockNamespace),
			resource: 'leases',
			namespace: lockNamespace,
			labelSelector: `${LOCK_LABEL}=${APP.name}`,
		},
		(object) => withMetadata(toLease(object as LeaseObject)),
		{
			replaced: (seen, resourceVersion) => lock.observations.replaceAll(seen, resourceVersion),
			changed: (lease) => lock.seen(lease),
			removed: (lease) => lock.observations.removed(lease),
			following: (inStep, reason) => options.onFollowing('leases', inStep, reason),
		},
		follow,
	);
	const store = createRequestStore(kube, requestNamespace);
	const now = () => new Date();
	const ingest = createSignalIngest({
		lock,
		store,
		cache,
		committer: new OccurrenceCommitter(podName, {
			store,
			known: knownRequests(cache, SYSTEM_LOCK_CLOCK),
			now,
			gather: gatherWhileMoreCome({ turn: nextTurn, now: SYSTEM_LOCK_CLOCK.now }),
		}),
		isListed: () => synced,
		backoff: createBackoff(BACKOFF_PRESETS.standard),
		namespace: requestNamespace,
		now,
		observer: options.retryObserver,
	});
	return {
		ingest,
		lock,
		cache,
		check: () => ({ name: 'request-cache', ok: synced, message: synced ? `${cache.size} requests` : 'not listed yet' }),
		async stop(graceMs) {
			await lock.shutdown(graceMs);
			requests.stop();
			leases.stop();
		},
	};
}

type FollowedLink = RequestLink & Listed;
type FollowedLease = Lease & Listed;

/** The list-watch needs to know where to go on from. */
function withMetadata<T extends { readonly resourceVersion: string }>(projection: T): T & Listed {
	return { ...projection, metadata: { resourceVersion: projection.resourceVersion } };
}
