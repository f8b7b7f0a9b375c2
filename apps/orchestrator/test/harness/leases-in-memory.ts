// As much of an API server as the Leases of one namespace need: versions, preconditions, a list and a watch. What tests
// see of it they see of a real API server too (replica-presence.int.test.ts).
import { randomUUID } from 'node:crypto';
import { type KubeCall, type KubeClient, KubeError } from '../../src/kube/kube.ts';
import type { LeaseObject } from '../../src/kube/leases.ts';

type Stored = LeaseObject & { readonly metadata: { readonly labels?: Readonly<Record<string, string>> } };
type Preconditions = { readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string } };

/** The beginning of a watch with `sendInitialEvents`. */
function listOf(leases: readonly Stored[], version: number): string[] {
	const annotations = { 'k8s.io/initial-events-end': 'true' };
	const end = { type: 'BOOKMARK', object: { metadata: { resourceVersion: String(version), annotations } } };
	return [...leases.map((object) => ({ type: 'ADDED', object })), end].map((event) => JSON.stringify(event));
}

export function leasesInMemory(): Pick<KubeClient, 'call' | 'lines'> {
	const stored = new Map<string, Stored>();
	const history: string[] = [];
	let version = 0;
	let wake = Promise.withResolvers<void>();

	function record(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: Stored): Stored {
		history.push(JSON.stringify({ type, object }));
		wake.resolve();
		wake = Promise.withResolvers();
		return object;
	}
	function put(type: 'ADDED' | 'MODIFIED', body: Stored, uid: string): Stored {
		const lease = { ...body, metadata: { ...body.metadata, uid, resourceVersion: String(++version) } };
		stored.set(lease.metadata.name, lease);
		return record(type, lease);
	}
	function current(path: string): Stored {
		const lease = stored.get(path.slice(path.lastIndexOf('/') + 1));
		if (lease === undefined) throw new KubeError('KUBE_NOT_FOUND', 'not found');
		return lease;
	}
	function mustMatch(lease: Stored, { uid, resourceVersion }: { uid?: string; resourceVersion?: string }): void {
		const differs = (wanted: string | undefined, is: string) => wanted !== undefined && wanted !== is;
		if (differs(uid, lease.metadata.uid) || differs(resourceVersion, lease.metadata.resourceVersion))
			throw new KubeError('KUBE_CONFLICT', 'changed');
	}
	function answer({ verb, path, body }: KubeCall): unknown {
		if (verb === 'list') return { metadata: { resourceVersion: String(version) }, items: [...stored.values()] };
		if (verb === 'create') {
			const lease = body as Stored;
			if (stored.has(lease.metadata.name)) throw new KubeError('KUBE_ALREADY_EXISTS', 'exists');
			return put('ADDED', lease, randomUUID());
		}
		const lease = current(path);
		if (verb === 'get') return lease;
		mustMatch(lease, verb === 'update' ? (body as Stored).metadata : ((body as Preconditions)?.preconditions ?? {}));
		if (verb === 'update') return put('MODIFIED', body as Stored, lease.metadata.uid);
		stored.delete(lease.metadata.name);
		const metadata = { ...lease.metadata, resourceVersion: String(++version) };
		return record('DELETED', { ...lease, metadata });
	}

	return {
		call: async <T>(call: KubeCall) => answer(call) as T,
		async *lines({ path }, signal, _idleMs, onAccepted = () => {}) {
			onAccepted();
			const from = /[?&]resourceVersion=(\d+)/.exec(path)?.[1];
			const listedAt = version;
			if (from === undefined) yield* listOf([...stored.values()], listedAt);
			for (let next = from === undefined ? listedAt : Number(from); ; next++) {
				while (next >= history.length) {
					const aborted = new Promise<never>((_, reject) =>
						signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
					);
					await Promise.race([wake.promise, aborted]);
				}
				yield history[next] as string;
			}
		},
	};
}
