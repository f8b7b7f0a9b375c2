// Leases on the API server, as the lock needs them. Decides which errors are expected answers and which are faults.
import { answered } from '../kube/answered.ts';
import { type KubeClient, KubeError } from '../kube/kube.ts';
import { type LeaseObject, leasesPath, microTime } from '../kube/leases.ts';
import { LockFault, type LockFaultKind } from './lock-errors.ts';
import type { Lease, LeaseClient, LeaseWrite } from './lock-ports.ts';

export const LOCK_LABEL = 'kubernaut.ai/lock';
export const KEY_ANNOTATION = 'kubernaut.ai/lock-key';

/** `app` becomes a label of the Leases: each app watches and sweeps its own. */
export function createLeaseClient(kube: KubeClient, namespace: string, app: string): LeaseClient {
	const path = leasesPath(namespace);
	const about = { resource: 'leases', namespace } as const;
	const manifest = (write: LeaseWrite, version: object = {}) => ({
		apiVersion: 'coordination.k8s.io/v1',
		kind: 'Lease',
		metadata: {
			name: write.name,
			namespace,
			labels: { [LOCK_LABEL]: app },
			annotations: { [KEY_ANNOTATION]: write.key },
			...version,
		},
		spec: {
			holderIdentity: write.holder,
			leaseDurationSeconds: write.durationMs / 1000,
			leaseTransitions: write.transitions,
			acquireTime: microTime(write.acquireTime),
			renewTime: microTime(write.renewTime),
		},
	});

	return {
		create: (write) =>
			asking(
				async () => {
					const body = manifest(write);
					return toLease(await kube.call<LeaseObject>({ ...about, verb: 'create', path, body }));
				},
				{ KUBE_ALREADY_EXISTS: 'exists' as const },
			),
		read: (name) =>
			asking(async () => toLease(await kube.call<LeaseObject>({ ...about, verb: 'get', path: `${path}/${name}` })), {
				KUBE_NOT_FOUND: undefined,
			}),
		replace: (current, write) =>
			asking(
				async () => {
					const body = manifest(write, { uid: current.uid, resourceVersion: current.resourceVersion });
					const replace = {
						...about,
						verb: 'update',
						path: `${path}/${current.name}`,
						body,
						lane: 'renewals',
					} as const;
					return toLease(await kube.call<LeaseObject>(replace));
				},
				{ KUBE_CONFLICT: 'changed' as const, KUBE_NOT_FOUND: 'gone' as const },
			),
		remove: ({ name, uid, resourceVersion }) =>
			asking(
				async () => {
					const body = { preconditions: { uid, resourceVersion } };
					await kube.call({ ...about, verb: 'delete', path: `${path}/${name}`, body });
					return 'removed' as const;
				},
				{ KUBE_CONFLICT: 'changed' as const, KUBE_NOT_FOUND: 'gone' as const },
			),
	};
}

export function toLease({ metadata, spec = {} }: LeaseObject): Lease {
	return {
		name: metadata.name,
		uid: metadata.uid,
		resourceVersion: metadata.resourceVersion,
		holder: spec.holderIdentity,
		durationMs: spec.leaseDurationSeconds === undefined ? undefined : spec.leaseDurationSeconds * 1000,
		transitions: spec.leaseTransitions ?? 0,
		acquireTime: spec.acquireTime,
	};
}

const FORBIDDEN: ReadonlySet<string> = new Set(['KUBE_FORBIDDEN', 'KUBE_NOT_GRANTED', 'KUBE_UNAUTHORIZED']);

/** Expected answers are values; every other error of the API server is a fault of the lock. */
async function asking<T, A>(ask: () => Promise<T>, answers: Readonly<Record<string, A>>): Promise<T | A> {
	try {
		return await answered(ask(), answers);
	} catch (error) {
		if (!(error instanceof KubeError)) throw error;
		throw new LockFault(faultKind(error), error.message, { cause: error });
	}
}

function faultKind({ code }: KubeError): LockFaultKind {
	if (code === 'KUBE_TIMEOUT') return 'timeout';
	if (code === 'KUBE_THROTTLED') return 'throttled';
	return FORBIDDEN.has(code) ? 'forbidden' : 'unavailable';
}
