// How many delivery Leases each pod held at once, from every change of Leases in the order in which they were stored.
import { createKubeClient, KubeError, loadKubeConfig } from '../../src/kube/kube.ts';

type Change = {
	readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'ERROR';
	readonly object: {
		readonly metadata: { readonly name: string; readonly resourceVersion: string };
		readonly spec?: { readonly holderIdentity?: string };
	};
};

const TIMEOUT_MS = 30_000;
const SILENCE_MS = 600_000;
const PREFIX = 'notification-delivery-';
/** No lock: the change with which a record ends. */
const LAST = 'end-of-the-record';

export type HeldLeases = {
	/** By pod: the most that it held at one time. */
	readonly most: ReadonlyMap<string, number>;
	/** Leases that were made. */
	readonly made: number;
	/** With every change until now; fails when one was not seen. */
	stop(): Promise<void>;
};

export async function recordHeldLeases(kubeconfig: string, leasesPath: string): Promise<HeldLeases> {
	const kube = createKubeClient(loadKubeConfig(kubeconfig), TIMEOUT_MS, { called() {} });
	const stopping = new AbortController();
	const holders = new Map<string, string>();
	const most = new Map<string, number>();
	let made = 0;
	const last = Promise.withResolvers<void>();
	function record({ type, object: { metadata, spec } }: Change): void {
		const { name } = metadata;
		if (name === LAST) last.resolve();
		if (!name.startsWith(PREFIX)) return;
		if (type === 'DELETED') return void holders.delete(name);
		if (!holders.has(name)) made++;
		const pod = (spec?.holderIdentity ?? '').replace(/_.*/, '');
		holders.set(name, pod);
		const count = [...holders.values()].filter((one) => one === pod).length;
		most.set(pod, Math.max(most.get(pod) ?? 0, count));
	}
	const about = { resource: 'leases' } as const;
	const list = await kube.call<{ metadata: { resourceVersion: string } }>({ ...about, verb: 'list', path: leasesPath });
	let version = list.metadata.resourceVersion;
	async function follow(): Promise<void> {
		while (!stopping.signal.aborted)
			try {
				const path = `${leasesPath}?watch=1&resourceVersion=${version}`;
				for await (const line of kube.lines({ ...about, verb: 'watch', path }, stopping.signal, SILENCE_MS)) {
					const change = JSON.parse(line) as Change;
					if (change.type === 'ERROR') throw new Error(`a change of a Lease was not seen: ${line}`);
					version = change.object.metadata.resourceVersion;
					record(change);
				}
			} catch (error) {
				// A watch that was closed goes on from the last change.
				if (!stopping.signal.aborted && !(error instanceof KubeError)) throw error;
			}
	}
	let fault: unknown;
	const following = follow().catch((error: unknown) => {
		fault = error;
	});
	return {
		most,
		get made() {
			return made;
		},
		async stop() {
			const body = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: LAST } };
			await kube.call({ ...about, verb: 'create', path: leasesPath, body });
			await Promise.race([last.promise, following]);
			stopping.abort();
			await following;
			await kube.close();
			if (fault !== undefined) throw fault;
		},
	};
}
