// A Lease that this replica keeps while it lives, so that the others know it is there. It is not a lock: each replica
// writes its own and no other, and only the order of turns depends on it (ADR 8).
// Guarantee: written again while the process lives, also after it was deleted by hand; removed at the end.
// Not guaranteed: that it is true. A replica that died leaves its Lease behind; the others remove it when they have seen
// no change of it for several durations, on their own monotonic clock.
import { createHash } from 'node:crypto';
import type { Backoff } from '@kubernaut/backoff';
import { APP } from '../app.ts';
import { answered } from '../kube/answered.ts';
import { type KubeClient, KubeError } from '../kube/kube.ts';
import { type LeaseObject, leasesPath, microTime } from '../kube/leases.ts';
import { startListWatch } from '../kube/list-watch.ts';
import type { Clock } from '../process/clock.ts';
import type { Check } from '../process/health-server.ts';

export const REPLICA_LABEL = 'kubernaut.ai/replica';
/** Long, because its renewal is all that it costs. */
export const PRESENCE_DURATION_MS = 300_000;
const RENEW_MS = PRESENCE_DURATION_MS / 3;
const RETRY_MS = 30_000;
const SWEEP_MS = 60_000;
const SWEEP_AFTER_MS = 3 * PRESENCE_DURATION_MS;

export type PresenceOptions = {
	readonly kube: Pick<KubeClient, 'call' | 'lines'>;
	readonly namespace: string;
	readonly podName: string;
	readonly clock: Clock;
	readonly backoff: Pick<Backoff, 'calculate'>;
	readonly replicas: { present(pod: string): void; gone(pod: string): void };
	readonly onSync: (inSync: boolean, reason: string) => void;
};
export type Presence = {
	/** For readiness: the right to write Leases. Without it no lock can be had, and nothing is ever done. */
	check(): Check;
	stop(): Promise<void>;
};

export function announcePresence(options: PresenceOptions): Presence {
	const { kube, namespace, podName, clock } = options;
	const path = leasesPath(namespace);
	const name = presenceName(podName);
	const leases = { resource: 'leases', namespace } as const;
	let ours: LeaseObject | undefined;
	/** The time in a write whose answer was lost: it may be done. */
	let unansweredTime: string | undefined;
	let sentTime = '';
	let stopped = false;
	let writing = Promise.resolve();
	let cancelRenewal = () => {};
	let failures = 0;
	/** Why it may not be written; undefined when it was. */
	let problem: string | undefined = 'not written yet';

	function announce(): void {
		writing = write().then(
			(written) => {
				ours = written;
				unansweredTime = undefined;
				failures = 0;
				problem = undefined;
				announceAfter(RENEW_MS);
			},
			(error: unknown) => {
				unansweredTime = sentTime;
				failures++;
				// An API server that is away is reported elsewhere, and a Lease that was written lasts for a while.
				if (problem !== undefined || isRefusal(error)) problem = error instanceof Error ? error.message : String(error);
				announceAfter(problem === undefined ? RETRY_MS : options.backoff.calculate(failures));
			},
		);
	}
	function announceAfter(delayMs: number): void {
		if (!stopped) cancelRenewal = clock.setTimer(announce, delayMs);
	}

	/** One call while the Lease is as we left it; more when it was deleted, edited, or left behind by our predecessor. */
	async function write(): Promise<LeaseObject> {
		const renewed = ours === undefined ? 'changed' : await replace(ours);
		if (renewed !== 'changed') return renewed;
		const call = kube.call<LeaseObject>({ ...leases, verb: 'create', path, body: manifest({}) });
		const created = await answered(call, { KUBE_ALREADY_EXISTS: 'exists' as const });
		if (created !== 'exists') return created;
		const current = await kube.call<LeaseObject>({ ...leases, verb: 'get', path: `${path}/${name}` });
		const taken = await replace(current);
		if (taken === 'changed') throw new Error(`the Lease ${name} changed while it was written`);
		return taken;
	}
	function replace({ metadata: { uid, resourceVersion } }: LeaseObject): Promise<LeaseObject | 'changed'> {
		const body = manifest({ uid, resourceVersion });
		const call = kube.call<LeaseObject>({ ...leases, verb: 'update', path: `${path}/${name}`, body });
		return answered(call, { KUBE_CONFLICT: 'changed', KUBE_NOT_FOUND: 'changed' } as const);
	}
	function manifest(version: object): object {
		sentTime = microTime(clock.wallTime().toISOString());
		return {
			apiVersion: 'coordination.k8s.io/v1',
			kind: 'Lease',
			metadata: { name, namespace, labels: { [REPLICA_LABEL]: APP.name }, ...version },
			spec: {
				holderIdentity: podName,
				leaseDurationSeconds: PRESENCE_DURATION_MS / 1000,
				renewTime: sentTime,
			},
		};
	}
	async function tryFindUnanswered(): Promise<LeaseObject | undefined> {
		const call = kube.call<LeaseObject>({ ...leases, verb: 'get', path: `${path}/${name}` });
		const found = await call.catch(() => undefined); // there is none, or the API server is away
		return found?.spec?.renewTime === unansweredTime ? found : undefined;
	}
	/** Only exactly this version: a replica that is alive has written another. */
	async function tryRemove({ metadata }: LeaseObject): Promise<void> {
		const { uid, resourceVersion } = metadata;
		const body = { preconditions: { uid, resourceVersion } };
		// It changed or the API server is away: others remove it later, if it is stale.
		await kube.call({ ...leases, verb: 'delete', path: `${path}/${metadata.name}`, body }).catch(() => undefined);
	}

	const stopFollowing = followReplicas(options, path, name, tryRemove);
	announce();
	return {
		check: () => ({ name: 'leases', ok: problem === undefined, message: problem ?? `${name} is kept` }),
		async stop() {
			stopped = true;
			cancelRenewal();
			stopFollowing();
			await writing;
			const last = unansweredTime === undefined ? ours : ((await tryFindUnanswered()) ?? ours);
			if (last !== undefined) await tryRemove(last);
		},
	};
}

function isRefusal(error: unknown): boolean {
	return error instanceof KubeError && (error.code === 'KUBE_FORBIDDEN' || error.code === 'KUBE_NOT_GRANTED');
}

/** Reports every replica, and removes the Leases of those that died. */
function followReplicas(
	{ kube, namespace, clock, backoff, replicas, onSync }: PresenceOptions,
	path: string,
	ourName: string,
	tryRemove: (lease: LeaseObject) => Promise<void>,
): () => void {
	const seen = new Map<string, { readonly lease: LeaseObject; since: number }>();
	let isInSync = false;
	let cancelSweep = () => {};

	function observe(lease: LeaseObject): void {
		const known = seen.get(lease.metadata.name)?.lease;
		if (known?.metadata.resourceVersion === lease.metadata.resourceVersion) return;
		if (known !== undefined && known.spec?.holderIdentity !== lease.spec?.holderIdentity) forget(known);
		seen.set(lease.metadata.name, { lease, since: clock.now() });
		if (lease.spec?.holderIdentity !== undefined) replicas.present(lease.spec.holderIdentity);
	}
	function forget(lease: LeaseObject): void {
		seen.delete(lease.metadata.name);
		if (lease.spec?.holderIdentity !== undefined) replicas.gone(lease.spec.holderIdentity);
	}
	/** An outage silences live replicas as well: silence counts from when the watch is back. */
	function syncChanged(inSync: boolean, reason: string): void {
		if (inSync && !isInSync) for (const replica of seen.values()) replica.since = clock.now();
		isInSync = inSync;
		onSync(inSync, reason);
	}
	function sweep(): void {
		for (const { lease, since } of seen.values())
			if (isInSync && lease.metadata.name !== ourName && clock.now() - since > SWEEP_AFTER_MS) void tryRemove(lease);
		cancelSweep = clock.setTimer(sweep, SWEEP_MS);
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
			syncChanged,
		},
		{ backoff, clock },
	);
	cancelSweep = clock.setTimer(sweep, SWEEP_MS);
	return () => {
		cancelSweep();
		watch.stop();
	};
}

export function presenceName(podName: string): string {
	return `${APP.name}-replica-${createHash('sha256').update(podName).digest('hex').slice(0, 16)}`;
}
