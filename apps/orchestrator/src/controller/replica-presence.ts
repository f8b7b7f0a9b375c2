// A Lease that this replica keeps while it lives, so that the others know it is there. It is no lock: each replica writes
// its own and no other, and nothing is decided by it but the order of turns (ADR 8).
// Guarantee: written again while the process lives, also after it was deleted by hand; removed at the end.
// Not guaranteed: that it is true. A replica that died leaves its Lease behind; the others remove it when they have seen
// no change of it for several durations, on their own monotonic clock.
import { createHash } from 'node:crypto';
import type { Backoff } from '@kubernaut/backoff';
import { APP } from '../app.ts';
import { answered } from '../kube/answered.ts';
import type { KubeClient } from '../kube/kube.ts';
import { type LeaseObject, leasesPath, microTime } from '../kube/leases.ts';
import { startListWatch } from '../kube/list-watch.ts';
import type { Clock } from '../process/clock.ts';

export const REPLICA_LABEL = 'kubernaut.ai/replica';
/** Long, because renewing it is all that it costs. */
const DURATION_MS = 300_000;
const RENEW_MS = DURATION_MS / 3;
const RETRY_MS = 30_000;
const SWEEP_MS = 60_000;
const SWEEP_AFTER_MS = 3 * DURATION_MS;

export type PresenceOptions = {
	readonly kube: Pick<KubeClient, 'call' | 'lines'>;
	readonly namespace: string;
	readonly podName: string;
	readonly clock: Clock;
	readonly backoff: Pick<Backoff, 'calculate'>;
	readonly replicas: { present(pod: string): void; gone(pod: string): void };
	readonly onSync: (inSync: boolean, reason: string) => void;
};
export type Presence = { stop(): Promise<void> };

type Seen = { readonly lease: LeaseObject; readonly since: number };

export function announcePresence(options: PresenceOptions): Presence {
	const { kube, namespace, podName, clock, replicas } = options;
	const path = leasesPath(namespace);
	const name = presenceName(podName);
	const about = { resource: 'leases', namespace } as const;
	const seen = new Map<string, Seen>();
	let ours: LeaseObject | undefined;
	let stopped = false;
	let writing = Promise.resolve();
	let cancelRenewal = () => {};

	function announce(): void {
		writing = write().then(
			(written) => {
				ours = written;
				renewAfter(RENEW_MS);
			},
			() => renewAfter(RETRY_MS), // the API server is away or refuses: the observer of the client counts it
		);
	}
	function renewAfter(delayMs: number): void {
		if (!stopped) cancelRenewal = clock.setTimer(announce, delayMs);
	}

	/** One call while the Lease is ours; one more when it was deleted, or left behind by another of our name. */
	async function write(): Promise<LeaseObject> {
		const renewed = ours === undefined ? 'gone' : await replace(ours);
		if (typeof renewed === 'object') return renewed;
		const call = kube.call<LeaseObject>({ ...about, verb: 'create', path, body: manifest({}) });
		const created = await answered(call, { KUBE_ALREADY_EXISTS: 'exists' as const });
		if (created !== 'exists') return created;
		const left = await kube.call<LeaseObject>({ ...about, verb: 'get', path: `${path}/${name}` });
		const taken = await replace(left);
		if (typeof taken === 'object') return taken;
		throw new Error(`the Lease ${name} changed while it was written`);
	}
	function replace({ metadata: { uid, resourceVersion } }: LeaseObject): Promise<LeaseObject | 'gone'> {
		const body = manifest({ uid, resourceVersion });
		const call = kube.call<LeaseObject>({ ...about, verb: 'update', path: `${path}/${name}`, body });
		return answered(call, { KUBE_CONFLICT: 'gone', KUBE_NOT_FOUND: 'gone' } as const);
	}
	function manifest(version: object): object {
		return {
			apiVersion: 'coordination.k8s.io/v1',
			kind: 'Lease',
			metadata: { name, namespace, labels: { [REPLICA_LABEL]: APP.name }, ...version },
			spec: {
				holderIdentity: podName,
				leaseDurationSeconds: DURATION_MS / 1000,
				renewTime: microTime(clock.wallTime().toISOString()),
			},
		};
	}

	const watch = startListWatch(
		kube,
		{ path, resource: 'leases', namespace, labelSelector: `${REPLICA_LABEL}=${APP.name}` },
		(object) => object as LeaseObject,
		{
			replaced(leases) {
				const listed = new Set(leases.map(({ metadata }) => metadata.name));
				for (const { lease } of seen.values()) if (!listed.has(lease.metadata.name)) forget(lease);
				leases.forEach(observe);
			},
			changed: observe,
			removed: forget,
			syncChanged: options.onSync,
		},
		options,
	);
	function observe(lease: LeaseObject): void {
		const pod = lease.spec?.holderIdentity;
		if (pod === undefined) return;
		const known = seen.get(lease.metadata.name);
		if (known?.lease.metadata.resourceVersion === lease.metadata.resourceVersion) return;
		seen.set(lease.metadata.name, { lease, since: clock.now() });
		replicas.present(pod);
	}
	function forget(lease: LeaseObject): void {
		seen.delete(lease.metadata.name);
		if (lease.spec?.holderIdentity !== undefined) replicas.gone(lease.spec.holderIdentity);
	}

	function sweep(): void {
		for (const { lease, since } of seen.values())
			if (lease.metadata.name !== name && clock.now() - since > SWEEP_AFTER_MS) void remove(lease);
		cancelSweep = clock.setTimer(sweep, SWEEP_MS);
	}
	/** Only this very version: a replica that came back has written another. */
	async function remove({ metadata }: LeaseObject): Promise<void> {
		const { uid, resourceVersion } = metadata;
		const body = { preconditions: { uid, resourceVersion } };
		await kube.call({ ...about, verb: 'delete', path: `${path}/${metadata.name}`, body }).catch(() => undefined); // the next sweep comes
	}
	let cancelSweep = clock.setTimer(sweep, SWEEP_MS);

	announce();
	return {
		async stop() {
			stopped = true;
			cancelRenewal();
			cancelSweep();
			watch.stop();
			await writing;
			if (ours !== undefined) await remove(ours);
		},
	};
}

export function presenceName(podName: string): string {
	return `${APP.name}-replica-${createHash('sha256').update(podName).digest('hex').slice(0, 16)}`;
}
