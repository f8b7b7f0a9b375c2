// The coordination of all replicas, and of several clusters: delivery Leases, pace Leases and records, in one API server.
// Built only with USE_DISTRIBUTED_LOCKING=true: otherwise not one call about Leases is made.
import type { Backoff } from '@kubernaut/backoff';
import { APP } from '../../app.ts';
import { type DistributedLock, type LockObserver, startDistributedLock } from '../../distributed-lock.ts';
import type { KubeClient } from '../../kube/kube.ts';
import type { LeaseObject } from '../../kube/leases.ts';
import { leasesPath } from '../../kube/leases.ts';
import { startListWatch } from '../../kube/list-watch.ts';
import { createCoordinationLeases, toCoordinationLease } from '../../objects/coordination-leases.ts';
import type { ChannelName } from '../../objects/notification.ts';
import type { Clock } from '../../process/clock.ts';
import { NO_PACE, type Pace } from '../gate/pace.ts';
import { DeliveryRecords, RECORD_LABEL } from './delivery-records.ts';
import { EXTERNAL_CHANNELS } from './external-channels.ts';
import { PACE_LABEL, PaceLease } from './pace-lease.ts';
import { RestLease } from './rest-lease.ts';

export type CoordinationOptions = {
	readonly kube: KubeClient;
	/** Its wall time is that of the same API server. */
	readonly clock: Clock;
	readonly podName: string;
	readonly namespace: string;
	readonly leaseDurationMs: number;
	readonly claimTimeoutMs: number;
	readonly requestTimeoutMs: number;
	readonly marginMs: number;
	readonly paceMs: Readonly<Record<ChannelName, number>>;
	/** Undefined: this is the only cluster, and its messages are their own records. */
	readonly recordRetentionMs: number | undefined;
	readonly backoff: Pick<Backoff, 'calculate'>;
	readonly observer: LockObserver;
	readonly onSync: (what: string, inSync: boolean, reason: string) => void;
	readonly onSeenAtWork: (podName: string) => void;
	readonly stopping: AbortSignal;
};
export type Coordination = {
	readonly lock: DistributedLock;
	readonly records: DeliveryRecords | undefined;
	readonly paces: Readonly<Record<ChannelName, Pace>>;
	stop(graceMs: number): Promise<void>;
};

const SWEEP_RECORDS_MS = 600_000;

export function startCoordination(options: CoordinationOptions): Coordination {
	const { kube, clock, podName, namespace, leaseDurationMs, backoff, onSync } = options;
	const { lock, stop: stopLock } = startDistributedLock({
		...options,
		onSync: (inSync, reason) => onSync('leases', inSync, reason),
	});
	const leasesWith = (label: string) =>
		createCoordinationLeases(kube, namespace, { name: label, value: APP.name }, leaseDurationMs, () =>
			clock.wallTime(),
		);
	const records =
		options.recordRetentionMs === undefined
			? undefined
			: new DeliveryRecords({
					leases: leasesWith(RECORD_LABEL),
					claimTimeoutMs: options.claimTimeoutMs,
					clock,
					stopping: options.stopping,
				});
	const paceOptions = {
		leases: leasesWith(PACE_LABEL),
		podName,
		holdMs: leaseDurationMs,
		marginMs: options.marginMs,
		clock,
	};
	const paced = Object.entries(options.paceMs).map(([channel, intervalMs]) => {
		const isExternal = EXTERNAL_CHANNELS.includes(channel as ChannelName);
		const unpaced = isExternal ? new RestLease(paceOptions) : NO_PACE;
		return [channel, intervalMs > 0 ? new PaceLease({ ...paceOptions, intervalMs }) : unpaced] as const;
	});
	const paceLeases = paced
		.map(([, pace]) => pace)
		.filter((pace) => pace instanceof PaceLease || pace instanceof RestLease);
	const watch = startListWatch(
		kube,
		{ path: leasesPath(namespace), resource: 'leases', namespace, labelSelector: `${PACE_LABEL}=${APP.name}` },
		(object) => toCoordinationLease(object as LeaseObject),
		{
			replaced(leases, resourceVersion, isRestored) {
				for (const pace of paceLeases) pace.versions.replaceAll(leases, resourceVersion, isRestored);
			},
			changed(lease) {
				for (const pace of paceLeases) pace.versions.observe(lease);
			},
			removed(lease) {
				for (const pace of paceLeases) pace.versions.forget(lease.name);
			},
			syncChanged: (inSync, reason) => onSync('paces', inSync, reason),
		},
		{ backoff },
	);
	const stopSweeping = sweepRecords(records, options);
	return {
		lock,
		records,
		paces: Object.fromEntries(paced) as Record<ChannelName, Pace>,
		async stop(graceMs) {
			stopSweeping();
			watch.stop();
			await stopLock(graceMs);
		},
	};
}

function sweepRecords(
	records: DeliveryRecords | undefined,
	{ clock, recordRetentionMs = Infinity, stopping }: CoordinationOptions,
): () => void {
	let cancelTimer = () => {};
	const sweepLater = () => {
		cancelTimer = clock.setTimer(() => {
			// A fault is left to the next sweep.
			const swept = records?.sweep(recordRetentionMs).catch(() => undefined);
			void swept?.then(() => stopping.aborted || sweepLater());
		}, SWEEP_RECORDS_MS);
	};
	if (records !== undefined) sweepLater();
	return () => cancelTimer();
}
