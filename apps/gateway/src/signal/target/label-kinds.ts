// Which labels name which objects. Kinds of custom resources carry their apiVersion, so that their spelling and scope
// can be looked up. Order decides when several are named: what owns comes before what is owned.
// `pod`, `node`, `service` and `namespace` are not here: a scrape puts them on everything, see alert-target.ts.
import type { TargetLabel } from '../signal-rules.ts';

const KEDA = 'keda.sh/v1alpha1';
const KARPENTER = 'karpenter.sh/v1';
const AUTOSCALING_K8S = 'autoscaling.k8s.io/v1';

export const OBJECT_LABELS: readonly TargetLabel[] = [
	...named('Deployment', 'deployment', 'k8s_deployment_name', 'kube_deployment'),
	...named('StatefulSet', 'statefulset', 'k8s_statefulset_name', 'kube_stateful_set'),
	...named('DaemonSet', 'daemonset', 'k8s_daemonset_name', 'kube_daemon_set'),
	...named('CronJob', 'cronjob', 'k8s_cronjob_name', 'kube_cronjob'),
	...named('Job', 'job_name', 'k8s_job_name', 'kube_job'),
	...named('HorizontalPodAutoscaler', 'horizontalpodautoscaler', 'hpa', 'k8s_hpa_name'),
	...named('PodDisruptionBudget', 'poddisruptionbudget', 'pdb'),
	{ label: 'pvc', namespaceLabel: 'pvc_namespace', kind: 'PersistentVolumeClaim' },
	...named('PersistentVolumeClaim', 'persistentvolumeclaim', 'k8s_persistentvolumeclaim_name', 'pvc'),
	...named('PersistentVolume', 'persistentvolume'),
	...named('ResourceQuota', 'resourcequota'),
	...named('LimitRange', 'limitrange'),
	...named('Ingress', 'ingress'),
	...named('NetworkPolicy', 'networkpolicy'),
	...named('EndpointSlice', 'endpointslice'),
	{ label: 'secret_name', namespaceLabel: 'secret_namespace', kind: 'Secret' },
	...named('Secret', 'secret', 'secret_name'),
	...named('ConfigMap', 'configmap'),
	...named('ServiceAccount', 'serviceaccount'),
	...named('ReplicaSet', 'replicaset', 'k8s_replicaset_name', 'kube_replica_set'),
	...named('ReplicationController', 'replicationcontroller'),
	...named('StorageClass', 'storageclass'),
	...named('IngressClass', 'ingressclass'),
	...named('PriorityClass', 'priorityclass'),
	...named('ClusterRole', 'clusterrole'),
	...named('ClusterRoleBinding', 'clusterrolebinding'),
	...named('RoleBinding', 'rolebinding'),
	...named('VolumeAttachment', 'volumeattachment'),
	...named('CertificateSigningRequest', 'certificatesigningrequest'),
	...named('ValidatingWebhookConfiguration', 'validatingwebhookconfiguration'),
	...named('MutatingWebhookConfiguration', 'mutatingwebhookconfiguration'),
	...named('CustomResourceDefinition', 'customresourcedefinition'),
	...named('APIService', 'apiservice'),
	{ label: 'scaledObject', kind: 'ScaledObject', apiVersion: KEDA },
	{ label: 'scaledobject', kind: 'ScaledObject', apiVersion: KEDA },
	{ label: 'scaledJob', kind: 'ScaledJob', apiVersion: KEDA },
	{ label: 'verticalpodautoscaler', kind: 'VerticalPodAutoscaler', apiVersion: AUTOSCALING_K8S },
	{ label: 'pipelinerun', kind: 'PipelineRun', apiVersion: 'tekton.dev/v1' },
	{ label: 'taskrun', kind: 'TaskRun', apiVersion: 'tekton.dev/v1' },
	{ label: 'rollout', kind: 'Rollout', apiVersion: 'argoproj.io/v1alpha1' },
];
/** Only when neither a measured pod nor a node is named: scrapes put them on what runs there. */
export const LATE_OBJECT_LABELS: readonly TargetLabel[] = [
	{ label: 'nodeclaim', kind: 'NodeClaim', apiVersion: KARPENTER, isClusterScoped: true },
	{ label: 'nodepool', kind: 'NodePool', apiVersion: KARPENTER, isClusterScoped: true },
];

/** Labels that name the kind, and the labels beside them that name the object. */
export type KindLabels = {
	readonly kind: string;
	readonly name: string;
	/** Before the namespace of the measured object. */
	readonly namespaces?: readonly string[];
	readonly group?: string;
	readonly version?: string;
};
export const KIND_LABELS: readonly KindLabels[] = [
	{
		kind: 'customresource_kind',
		name: 'name',
		group: 'customresource_group',
		version: 'customresource_version',
	},
	{
		kind: 'involved_object_kind',
		name: 'involved_object_name',
		namespaces: ['involved_object_namespace'],
	},
	{ kind: 'resource_kind', name: 'resource_name', namespaces: ['resource_namespace'] },
	{ kind: 'object_kind', name: 'object_name', namespaces: ['object_namespace'] },
	{ kind: 'workload_type', name: 'workload' },
	{ kind: 'workload_kind', name: 'workload_name', namespaces: ['workload_namespace'] },
	{ kind: 'kind', name: 'name', namespaces: ['resource_namespace'] },
];
/** Only when no pod is named: of a pod the owner is looked up. */
export const OWNER_KIND_LABELS: readonly KindLabels[] = [
	{ kind: 'owner_kind', name: 'owner_name' },
	{ kind: 'created_by_kind', name: 'created_by_name' },
];

/** A component whose label `name` (or the given one) names what it manages, and nothing says of which kind that is. */
export type ComponentNames = {
	/** In the job, the service, the container or the pod. */
	readonly component: string;
	readonly label: string;
	readonly kind: string;
	readonly apiVersion: string;
	/** The object is named only with one of these labels beside it: work queues have a `name` too. */
	readonly beside: readonly string[];
	/** Only when the name of the alert says this kind: the component has several. */
	readonly isSaidByAlert?: true;
	readonly isClusterScoped?: true;
};
export const COMPONENT_NAMES: readonly ComponentNames[] = [
	{
		component: 'cert-manager',
		label: 'name',
		kind: 'Certificate',
		apiVersion: 'cert-manager.io/v1',
		beside: ['exported_namespace', 'issuer_name', 'issuer_kind', 'condition'],
	},
	{
		component: 'argocd',
		label: 'name',
		kind: 'Application',
		apiVersion: 'argoproj.io/v1alpha1',
		beside: ['dest_server', 'dest_namespace', 'project', 'sync_status', 'health_status'],
	},
	{
		component: 'argo-rollouts',
		label: 'name',
		kind: 'Rollout',
		apiVersion: 'argoproj.io/v1alpha1',
		beside: ['exported_namespace', 'phase', 'strategy'],
	},
	ofExternalSecrets('ClusterSecretStore', { isClusterScoped: true }),
	ofExternalSecrets('ClusterExternalSecret', { isClusterScoped: true }),
	ofExternalSecrets('SecretStore'),
	ofExternalSecrets('PushSecret', { apiVersion: 'external-secrets.io/v1alpha1' }),
	{
		component: 'external-secrets',
		label: 'name',
		kind: 'ExternalSecret',
		apiVersion: 'external-secrets.io/v1',
		beside: ['exported_namespace', 'condition'],
	},
	...['cluster-version-operator', 'cluster-operator'].map((component) => ({
		component,
		label: 'name',
		kind: 'ClusterOperator',
		apiVersion: 'config.openshift.io/v1',
		beside: ['condition', 'reason', 'version'],
	})),
	{
		component: 'longhorn',
		label: 'volume',
		kind: 'Volume',
		apiVersion: 'longhorn.io/v1beta2',
		beside: ['volume'],
	},
	{
		component: 'velero',
		label: 'schedule',
		kind: 'Schedule',
		apiVersion: 'velero.io/v1',
		beside: ['schedule'],
	},
];

/** A pod and its namespace, as other ways of scraping and other senders name them. */
export const POD_PAIRS: readonly { readonly pod: string; readonly namespaces: readonly string[] }[] = [
	{ pod: 'k8s_pod_name', namespaces: ['k8s_namespace_name', 'k8s_ns_name', 'namespace'] },
	{ pod: 'kubernetes_pod_name', namespaces: ['kubernetes_namespace', 'namespace'] },
	{ pod: 'kube_pod_name', namespaces: ['kube_namespace', 'namespace'] },
	{ pod: 'pod_name', namespaces: ['pod_namespace', 'kube_namespace', 'namespace_name', 'namespace'] },
	{
		pod: 'container_label_io_kubernetes_pod_name',
		namespaces: ['container_label_io_kubernetes_pod_namespace'],
	},
];

/** The first is of what was measured; the others may be of the scrape. */
export const NODE_LABELS = ['k8s_node_name', 'node', 'nodename', 'node_name', 'kubernetes_node', 'kube_node'] as const;
/** Addresses of the node, as scrapes put them on what runs there. */
export const NODE_ADDRESS_LABELS = ['node_ip', 'host_ip'] as const;
/** The namespace of `pod`, in place of `namespace`. */
export const POD_NAMESPACES = ['namespace', 'kubernetes_namespace', 'k8s_namespace_name', 'kube_namespace'] as const;
/** They name the node only on what was measured of a host. */
export const HOST_NODE_LABELS = ['Hostname', 'kubernetes_io_hostname', 'hostname'] as const;

/** A Service and its namespace, as other ways of scraping name them. */
export const SERVICE_PAIRS: readonly { readonly service: string; readonly namespace: string }[] = [
	{ service: 'kubernetes_name', namespace: 'kubernetes_namespace' },
	{ service: 'k8s_service_name', namespace: 'k8s_namespace_name' },
	{ service: 'kube_service', namespace: 'kube_namespace' },
];

/** Where the measured object is, the likeliest first. */
export const NAMESPACE_LABELS = [
	'exported_namespace',
	'namespace',
	'k8s_namespace_name',
	'kubernetes_namespace',
	'kube_namespace',
	'namespace_name',
] as const;

/** Service meshes name the service that was called. */
export const CALLED_SERVICE: readonly {
	readonly label: string;
	readonly namespaceLabel: string;
	readonly kind: string;
}[] = [
	{ label: 'destination_service_name', namespaceLabel: 'destination_service_namespace', kind: 'Service' },
	{ label: 'destination_workload', namespaceLabel: 'destination_workload_namespace', kind: 'Deployment' },
];

function ofExternalSecrets(kind: string, more: Partial<ComponentNames> = {}): ComponentNames {
	return {
		component: 'external-secrets',
		label: 'name',
		kind,
		apiVersion: 'external-secrets.io/v1',
		beside: ['condition'],
		isSaidByAlert: true,
		...more,
	};
}

function named(kind: string, ...labels: string[]): TargetLabel[] {
	return labels.map((label) => ({ label, kind }));
}
