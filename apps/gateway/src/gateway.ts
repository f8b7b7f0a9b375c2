// Wires the use cases: lock, cache of the requests, chain, counting.
import { randomBytes } from 'node:crypto';
import { BACKOFF_PRESETS, createBackoff } from '@kubernaut/backoff';
import { type LockObserver, startDistributedLock } from './distributed-lock.ts';
import type { RemediationRequest } from './generated/remediation-request.ts';
import { CountSettler } from './ingest/count-settler.ts';
import { createExplainSignal } from './ingest/explain-signal.ts';
import { gatherWhileMoreCome, nextTurn } from './ingest/gather.ts';
import { IdleSlots } from './ingest/idle-slots.ts';
import { createSignalIngest, type RetryObserver } from './ingest/ingest-signal.ts';
import { OccurrenceCommitter } from './ingest/occurrence-commit.ts';
import { paceWrites } from './ingest/pace.ts';
import { createClusterObjects } from './ingest/targets/cluster-objects.ts';
import { KindSpelling } from './ingest/targets/kind-spelling.ts';
import { lookUpReadiness } from './ingest/targets/look-up-metrics.ts';
import { followRights, type RightsObserver } from './ingest/targets/look-up-rights.ts';
import { NodeAddresses } from './ingest/targets/node-addresses.ts';
import { createTargetLookUp, type LookUpObserver } from './ingest/targets/target-look-up.ts';
import { createWorkPlaces, type WorkObserver } from './ingest/work-places.ts';
import type { KubeClient } from './kube/kube.ts';
import { type ListWatch, startListWatch } from './kube/list-watch.ts';
import { RequestCache } from './objects/request-cache.ts';
import { toLink } from './objects/request-link.ts';
import { createRequestStore, requestsPath } from './objects/request-store.ts';
import { allOf } from './process/all-observers.ts';
import type { Clock } from './process/clock.ts';
import type { Check } from './process/health-server.ts';
import type { ExplainSignal, SignalIngest } from './signal/signal.ts';

export type GatewayOptions = {
	readonly kube: KubeClient;
	/** Its wall time is the API server's. */
	readonly clock: Clock;
	readonly podName: string;
	readonly lockNamespace: string;
	readonly requestNamespace: string;
	readonly leaseDurationMs: number;
	readonly requestTimeoutMs: number;
	readonly lockObserver: LockObserver;
	readonly retryObserver: RetryObserver;
	readonly workObserver: WorkObserver;
	readonly lookUpObserver: LookUpObserver & RightsObserver;
	/** A cache is in sync with the API server, or not. */
	readonly onSync: (what: 'requests' | 'leases', inSync: boolean, reason: string) => void;
};

export type Gateway = {
	readonly ingest: SignalIngest;
	readonly explain: ExplainSignal;
	/** How long the work takes that waits now. */
	backlogMs(): number;
	/** For readiness: all requests are listed. A cache that is behind later costs calls, not safety, so it stays ready. */
	check(): Check;
	/** Always ok: says which right the look-up of targets lacks. */
	lookUpCheck(): Check;
	stop(graceMs: number): Promise<void>;
};

export function createGateway(options: GatewayOptions): Gateway {
	const { kube, clock, podName, lockNamespace, requestNamespace } = options;
	const backoff = createBackoff({ basePeriodMs: 100, maxPeriodMs: 5000 });
	const { lock, stop: stopLock } = startDistributedLock({
		kube,
		clock,
		podName,
		namespace: lockNamespace,
		leaseDurationMs: options.leaseDurationMs,
		requestTimeoutMs: options.requestTimeoutMs,
		observer: options.lockObserver,
		backoff,
		onSync: (inSync, reason) => options.onSync('leases', inSync, reason),
	});
	const store = createRequestStore(kube, requestNamespace);
	const settler = new CountSettler({
		store,
		clock,
		random: Math.random,
		onWritten: (link) => cache.changed(link),
	});
	const cache = new RequestCache(settler);
	let synced = false;
	const requests: ListWatch = startListWatch(
		kube,
		{ path: requestsPath(requestNamespace), resource: 'remediationrequests', namespace: requestNamespace },
		(object) => toLink(object as RemediationRequest),
		{
			replaced(links, resourceVersion, isRestored) {
				cache.replaceAll(links, resourceVersion, isRestored);
				synced = true;
			},
			changed: (link) => cache.changed(link),
			removed: (link) => cache.removed(link),
			syncChanged: (inSync, reason) => options.onSync('requests', inSync, reason),
		},
		{ backoff },
	);
	const places = createWorkPlaces({ now: clock.now, observer: options.workObserver });
	const readiness = lookUpReadiness(clock.now);
	const reader = followRights(kube, allOf<RightsObserver>(options.lookUpObserver, readiness));
	const reading = {
		objects: createClusterObjects(reader),
		nodes: new NodeAddresses(reader, clock.now),
		kinds: new KindSpelling(reader, clock.now),
		now: clock.now,
	};
	const lookUp = createTargetLookUp({ ...reading, observer: options.lookUpObserver });
	const ingest = createSignalIngest({
		lookUp,
		lock,
		store,
		cache,
		places,
		committer: new OccurrenceCommitter({
			store: {
				...store,
				addOccurrences: (link, patch) => places.run(() => store.addOccurrences(link, patch), { finishes: true }),
			},
			known: {
				newerThan: (link) => cache.newerThan(link),
				changed: (link) => cache.changed(link),
				counted(link) {
					settler.counted(link);
					cache.changed(link);
				},
			},
			now: () => clock.wallTime(),
			gather: gatherWhileMoreCome({ turn: nextTurn, now: clock.now }),
			pace: paceWrites({ clock, random: Math.random }),
			newSlot: () => `${podName}_${randomBytes(4).toString('hex')}`,
			idleSlots: new IdleSlots(clock.now),
		}),
		isListed: () => synced,
		backoff: createBackoff(BACKOFF_PRESETS.standard),
		namespace: requestNamespace,
		observer: options.retryObserver,
	});
	return {
		ingest,
		explain: createExplainSignal({
			lookUp: createTargetLookUp({ ...reading, observer: { lookedUp() {} } }),
			cache,
			isListed: () => synced,
			namespace: requestNamespace,
		}),
		backlogMs: places.backlogMs,
		check: () => ({
			name: 'request-cache',
			ok: synced,
			message: synced ? `${cache.size} requests` : 'the requests are not listed yet',
		}),
		lookUpCheck: readiness.check,
		async stop(graceMs) {
			await stopLock(graceMs);
			requests.stop();
			await settler.stop();
		},
	};
}
