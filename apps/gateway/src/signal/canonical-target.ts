// One spelling for one resource: the fingerprint and the locks of the orchestrator hash it, so two spellings of one target
// would be two incidents and two locks. Spelling and scope are known for the built-in kinds; for other kinds the claim is
// believed.
import type { TargetResource } from './signal.ts';

const NAMESPACED_KINDS = [
	'ConfigMap',
	'CronJob',
	'DaemonSet',
	'Deployment',
	'Endpoints',
	'EndpointSlice',
	'HorizontalPodAutoscaler',
	'Ingress',
	'Job',
	'LimitRange',
	'NetworkPolicy',
	'PersistentVolumeClaim',
	'Pod',
	'PodDisruptionBudget',
	'ReplicaSet',
	'ReplicationController',
	'ResourceQuota',
	'Role',
	'RoleBinding',
	'Secret',
	'Service',
	'ServiceAccount',
	'StatefulSet',
] as const;
const CLUSTER_KINDS = [
	'APIService',
	'CertificateSigningRequest',
	'ClusterRole',
	'ClusterRoleBinding',
	'CSIDriver',
	'CSINode',
	'CustomResourceDefinition',
	'IngressClass',
	'MutatingWebhookConfiguration',
	'Namespace',
	'Node',
	'PersistentVolume',
	'PriorityClass',
	'RuntimeClass',
	'StorageClass',
	'ValidatingWebhookConfiguration',
	'VolumeAttachment',
] as const;
export type BuiltInKind = (typeof NAMESPACED_KINDS)[number] | (typeof CLUSTER_KINDS)[number];

/** Their names are any path segment; the CRD has the same list. All other kinds, custom ones too, have DNS-1123 names. */
const PATH_SEGMENT_KINDS: ReadonlySet<string> = new Set([
	'APIService',
	'CertificateSigningRequest',
	'ClusterRole',
	'ClusterRoleBinding',
	'ClusterTrustBundle',
	'IPAddress',
	'Role',
	'RoleBinding',
]);

const SPELLINGS = new Map<string, string>([...NAMESPACED_KINDS, ...CLUSTER_KINDS].map((k) => [k.toLowerCase(), k]));
const NAMESPACED = new Set<string>(NAMESPACED_KINDS);
const CLUSTER = new Set<string>(CLUSTER_KINDS);

// As in the CRD: a value that does not fit there cannot be a target.
const KIND = /^[A-Z][A-Za-z0-9]{0,62}$/;
const PATH_SEGMENT = /^[^/%\s]{1,253}$/;
const DNS_SUBDOMAIN = /^(?=.{1,253}$)[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;
const NAMESPACE = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;
const API_VERSION = /^(?:[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?\/)?[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;

export type TargetClaim = {
	readonly kind: string;
	readonly name: string;
	/** Empty counts as absent. */
	readonly namespace?: string | undefined;
	readonly apiVersion?: string | undefined;
};

/** The target that is claimed, spelled canonically; undefined when the API server can have no such object. */
export function readTarget(claim: TargetClaim): TargetResource | undefined {
	const kind = SPELLINGS.get(claim.kind.toLowerCase()) ?? claim.kind;
	const namespace = CLUSTER.has(kind) || claim.namespace === '' ? undefined : claim.namespace;
	if (!KIND.test(kind) || !isObjectName(kind, claim.name)) return undefined;
	if (namespace === undefined ? NAMESPACED.has(kind) : !isNamespaceName(namespace)) return undefined;
	return {
		kind,
		name: claim.name,
		...(namespace === undefined ? {} : { namespace }),
		...(claim.apiVersion !== undefined && API_VERSION.test(claim.apiVersion) ? { apiVersion: claim.apiVersion } : {}),
	};
}

/** Whether spelling and scope of this kind are known here. */
export function isBuiltIn(kind: string): boolean {
	return NAMESPACED.has(kind) || CLUSTER.has(kind);
}

export function isNamespaceName(text: string): boolean {
	return NAMESPACE.test(text);
}

/** In text that JSON can carry there are lone halves of characters and control characters; in names there are none. */
function isObjectName(kind: string, name: string): boolean {
	if (kind === 'Namespace') return isNamespaceName(name);
	if (!PATH_SEGMENT_KINDS.has(kind)) return DNS_SUBDOMAIN.test(name);
	return (
		PATH_SEGMENT.test(name) &&
		name !== '.' &&
		name !== '..' &&
		name.isWellFormed() &&
		// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
		!/[\u0000-\u001f\u007f]/.test(name)
	);
}
