// Leases on the API server, as the lock wants them. Which faults are faults and which are answers is decided here.
import { type KubeClient, KubeError } from '../kube/kube.ts';
import { type Lease, type LeaseClient, type LeaseWrite, LockFault, type LockFaultKind } from './lock-ports.ts';

export type LeaseObject = {
	readonly metadata: {
		readonly name: string;
		readonly uid: string;
		readonly resourceVersion: string;
	};
	readonly spec?: {
		readonly holderIdentity?: string;
		readonly leaseDurationSeconds?: number;
		readonly leaseTransitions?: number;
		readonly acquireTime?: string;
	};
};

export const LOCK_LABEL = 'kubernaut.ai/lock';
export const KEY_ANNOTATION = 'kubernaut.ai/lock-key';

export function leasesPath(namespace: string): string {
	return `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
}

/** `app` labels the Leases, so that each app watches and sweeps its own. */
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
					return toLease(
						await kube.call<LeaseObject>({ ...about, verb: 'update', path: `${path}/${current.name}`, body }),
					);
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

/** Codes of the table are answers; the rest are faults. */
async function asking<T, A>(ask: () => Promise<T>, answers: Readonly<Record<string, A>>): Promise<T | A> {
	try {
		return await ask();
	} catch (error) {
		if (!(error instanceof KubeError)) throw error;
		if (error.code in answers) return answers[error.code] as A;
		throw new LockFault(faultKind(error), error.message, { cause: error });
	}
}

function faultKind({ code }: KubeError): LockFaultKind {
	if (code === 'KUBE_TIMEOUT') return 'timeout';
	return code === 'KUBE_FORBIDDEN' || code === 'KUBE_UNAUTHORIZED' ? 'forbidden' : 'unavailable';
}

/** The API server takes six digits after the point, not Date's three. */
function microTime(iso: string): string {
	return iso.replace(/\.(\d{3})Z$/, '.$1000Z');
}
