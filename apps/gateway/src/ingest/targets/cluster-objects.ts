// What the look-up of a target reads of a cluster: who manages an object, on which node a pod runs. Each is one GET, never
// from a cache: a pod may be younger than any watch. A message about a missing right names no namespace, because the right
// is needed in all of them.
import { answered } from '../../kube/answered.ts';
import type { KubeClient } from '../../kube/kube.ts';
import type { OwnerReference } from '../../signal/signal.ts';

/** Kinds that are managed from above: what manages them is the target. */
const PASSED_THROUGH = {
	Pod: { group: '', path: '/api/v1', resource: 'pods' },
	ReplicaSet: { group: 'apps', path: '/apis/apps/v1', resource: 'replicasets' },
	Job: { group: 'batch', path: '/apis/batch/v1', resource: 'jobs' },
} as const;
export type PassedKind = keyof typeof PASSED_THROUGH;

export type ObjectName = { readonly namespace: string; readonly name: string };
/** Of an object that is there. `controller` is absent when it manages itself. */
export type Managed = { readonly controller?: OwnerReference };
export type ClusterObjects = {
	/** Undefined: it is not there. */
	managed(kind: PassedKind, object: ObjectName, abort: AbortSignal): Promise<Managed | undefined>;
	/** Undefined: the pod is not there, or on no node. */
	nodeOfPod(pod: ObjectName, abort: AbortSignal): Promise<string | undefined>;
};

/** The metadata alone: a pod is some twenty times as large. */
const METADATA = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';

/** Undefined for a workload. Other groups have kinds of the same names, which are workloads. */
export function passedKind({ kind, apiVersion }: OwnerReference): PassedKind | undefined {
	if (!isPassedName(kind)) return undefined;
	return apiVersion === undefined || groupOf(apiVersion) === PASSED_THROUGH[kind].group ? kind : undefined;
}

export function createClusterObjects(kube: Pick<KubeClient, 'call'>): ClusterObjects {
	function read<T>(kind: PassedKind, { namespace, name }: ObjectName, abort: AbortSignal, accept?: string) {
		const { path, resource } = PASSED_THROUGH[kind];
		const call = kube.call<T>({
			verb: 'get',
			path: `${path}/namespaces/${namespace}/${resource}/${name}`,
			resource,
			signal: abort,
			...(accept === undefined ? {} : { accept }),
		});
		return answered(call, { KUBE_NOT_FOUND: undefined });
	}
	return {
		async managed(kind, object, abort) {
			const found = await read<{ metadata: { ownerReferences?: OwnerReference[] } }>(kind, object, abort, METADATA);
			if (found === undefined) return undefined;
			const controller = found.metadata.ownerReferences?.find((owner) => owner.controller === true);
			return controller === undefined ? {} : { controller };
		},
		async nodeOfPod(pod, abort) {
			const found = await read<{ spec?: { nodeName?: string } }>('Pod', pod, abort);
			return found?.spec?.nodeName || undefined;
		},
	};
}

export function groupOf(apiVersion: string): string {
	const slash = apiVersion.indexOf('/');
	return slash === -1 ? '' : apiVersion.slice(0, slash);
}

function isPassedName(kind: string): kind is PassedKind {
	return Object.hasOwn(PASSED_THROUGH, kind);
}
