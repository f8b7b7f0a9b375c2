// Feeds a lock with what a real watch sees, as its app does. With `all`, also with Leases that are not its app's.
import { setTimeout as delay } from 'node:timers/promises';
import type { ContractKube, ContractLease, ContractLock } from './lock-modules.ts';

export type Feed = { stop(): Promise<void> };
type ToLease = (object: unknown) => ContractLease;

const IDLE_MS = 60_000;

export async function startFeed(
	lock: ContractLock,
	kube: ContractKube,
	toLease: ToLease,
	where: { namespace: string; labelSelector?: string },
): Promise<Feed> {
	const { namespace } = where;
	const path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
	const query = where.labelSelector === undefined ? '' : `&labelSelector=${encodeURIComponent(where.labelSelector)}`;
	const about = { resource: 'leases', namespace } as const;
	const stopping = new AbortController();

	const list = await kube.call<{ metadata: { resourceVersion: string }; items: unknown[] }>({
		...about,
		verb: 'list',
		path: `${path}?${query}`,
	});
	lock.observations.replaceAll(list.items.map(toLease), list.metadata.resourceVersion);

	const follow = async () => {
		let { resourceVersion } = list.metadata;
		// The API server closes a watch that is too slow for it: then on from where it was.
		for (;;) {
			const watchPath = `${path}?watch=1&resourceVersion=${resourceVersion}${query}`;
			const lines = kube.lines({ ...about, verb: 'watch', path: watchPath }, stopping.signal, IDLE_MS);
			for await (const line of lines) {
				const { type, object } = JSON.parse(line) as {
					type: string;
					object: { metadata: { resourceVersion: string } };
				};
				if (type === 'ERROR') throw new Error(`the watch has a gap: ${line}`);
				if (type === 'DELETED') lock.observations.removed(toLease(object));
				else lock.seen(toLease(object));
				({ resourceVersion } = object.metadata);
			}
		}
	};
	const ended = follow().catch((error: unknown) => {
		if (!stopping.signal.aborted) throw error;
	});
	await delay(0);
	return {
		async stop() {
			stopping.abort();
			await ended;
		},
	};
}
