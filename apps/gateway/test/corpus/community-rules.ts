// Alerts of community rules on kube-state-metrics and on programs that manage objects of others.
import { alert, type CorpusAlert, cadvisor, ksm, ksmRenamed, kubelet, podMonitored, scraped } from './scrapes.ts';

const CART = 'cart-7d4b9c8f6-x2x8p';

export const STATE_ALERTS: readonly CorpusAlert[] = [
	alert('KubernetesNodeNotReady', ksm({ condition: 'Ready', node: 'worker-3', status: 'true' }), 'Node/worker-3'),
	alert(
		'KubernetesNodeMemoryPressure',
		ksm({ condition: 'MemoryPressure', node: 'worker-3', status: 'true' }),
		'Node/worker-3',
	),
	alert(
		'KubernetesNodeNetworkUnavailable',
		ksm({ condition: 'NetworkUnavailable', node: 'worker-3', status: 'true' }),
		'Node/worker-3',
	),
	alert('KubernetesNodeOutOfPodCapacity', { node: 'worker-3' }, 'Node/worker-3'),
	alert(
		'KubernetesContainerOomKiller',
		ksm({ container: 'cart', namespace: 'shop', pod: CART, uid: 'u' }),
		`shop/Pod/${CART}`,
	),
	alert(
		'KubernetesJobFailed',
		ksm({ job_name: 'migrate', namespace: 'shop', reason: 'BackoffLimitExceeded' }),
		'shop/Job/migrate',
	),
	alert('KubernetesJobFailed', ksmRenamed({ job: 'migrate', namespace: 'shop' }), 'shop/Job/migrate'),
	alert('KubernetesCronjobFailing', ksm({ cronjob: 'report', namespace: 'shop' }), 'shop/CronJob/report'),
	alert('KubernetesCronjobSuspended', ksm({ cronjob: 'report', namespace: 'shop' }), 'shop/CronJob/report'),
	alert(
		'KubernetesPersistentvolumeclaimPending',
		ksm({ namespace: 'shop', persistentvolumeclaim: 'data', phase: 'Pending' }),
		'shop/PersistentVolumeClaim/data',
	),
	alert(
		'KubernetesVolumeOutOfDiskSpace',
		kubelet({ namespace: 'shop', persistentvolumeclaim: 'data' }),
		'shop/PersistentVolumeClaim/data',
	),
	alert(
		'KubernetesPersistentvolumeError',
		ksm({ persistentvolume: 'pv-7', phase: 'Pending' }),
		'PersistentVolume/pv-7',
	),
	alert('KubernetesStatefulsetDown', ksm({ namespace: 'shop', statefulset: 'redis' }), 'shop/StatefulSet/redis'),
	alert(
		'KubernetesHpaScaleInability',
		ksm({ condition: 'AbleToScale', horizontalpodautoscaler: 'cart', namespace: 'shop', status: 'false' }),
		'shop/HorizontalPodAutoscaler/cart',
	),
	alert('KubernetesHpaScaleMaximum', ksm({ hpa: 'cart', namespace: 'shop' }), 'shop/HorizontalPodAutoscaler/cart'),
	alert('KubernetesPodNotHealthy', { namespace: 'shop', pod: CART }, `shop/Pod/${CART}`),
	alert('KubernetesPodPending', ksm({ namespace: 'shop', pod: CART, phase: 'Pending', uid: 'u' }), `shop/Pod/${CART}`),
	alert(
		'KubernetesReplicasetReplicasMismatch',
		ksm({ namespace: 'shop', replicaset: 'cart-7d4b9c8f6' }),
		'shop/ReplicaSet/cart-7d4b9c8f6',
	),
	alert(
		'KubernetesDeploymentReplicasMismatch',
		ksmRenamed({ deployment: 'cart', namespace: 'shop' }),
		'shop/Deployment/cart',
	),
	alert(
		'KubernetesPodCrashLooping',
		ksmRenamed({ container: 'cart', namespace: 'shop', pod: CART }),
		`shop/Pod/${CART}`,
	),
	alert(
		'KubernetesDaemonsetMisscheduled',
		ksm({ daemonset: 'fluent-bit', namespace: 'logging' }),
		'logging/DaemonSet/fluent-bit',
	),
	alert('KubernetesApiServerErrors', {}, 'none'),
	alert('KubernetesApiClientErrors', { instance: '10.0.0.33:10250', job: 'kubelet' }, 'Node at 10.0.0.33'),
	alert('NodeCordonedTooLong', ksm({ node: 'worker-3' }), 'Node/worker-3'),
	alert('NodeNotReadyRenamed', ksmRenamed({ node: 'worker-3', condition: 'Ready', status: 'true' }), 'Node/worker-3'),
	alert('NamespaceTerminating', ksm({ namespace: 'old-shop', phase: 'Terminating' }), 'Namespace/old-shop'),
	alert('NamespaceMemoryBudget', { namespace: 'shop' }, 'Namespace/shop'),
	alert('IngressWithoutTls', ksm({ host: 'shop.example.com', ingress: 'web', namespace: 'shop' }), 'shop/Ingress/web'),
	alert('SecretTooOld', ksm({ namespace: 'shop', secret: 'db-password' }), 'shop/Secret/db-password'),
	alert(
		'ServiceWithoutAddress',
		ksm({ namespace: 'shop', service: 'payments', type: 'LoadBalancer' }),
		'shop/Service/payments',
	),
	alert(
		'VpaRecommendsMore',
		ksm({ namespace: 'shop', verticalpodautoscaler: 'cart', target_kind: 'Deployment', target_name: 'cart' }),
		'shop/VerticalPodAutoscaler/cart',
	),
	alert(
		'CsrPending',
		ksm({ certificatesigningrequest: 'csr-9xk2m', signer_name: 'kubernetes.io/kubelet-serving' }),
		'CertificateSigningRequest/csr-9xk2m',
	),
	alert(
		'WorkloadMemoryNearLimit',
		{ namespace: 'shop', workload: 'cart', workload_type: 'deployment' },
		'shop/Deployment/cart',
	),
	alert(
		'WorkloadMemoryNearLimit',
		{ namespace: 'shop', pod: 'redis-1', workload: 'redis', workload_type: 'statefulset' },
		'shop/StatefulSet/redis',
	),
	alert(
		'OwnerRestartsOften',
		{ namespace: 'shop', owner_kind: 'DaemonSet', owner_name: 'agent' },
		'shop/DaemonSet/agent',
	),
	alert('ContainerHighMemory', cadvisor({ container: 'cart', namespace: 'shop', pod: CART }), `shop/Pod/${CART}`),
	alert(
		'ContainerHighMemory',
		{ container: 'cart', namespace: 'shop', pod: CART, node: 'worker-3' },
		`shop/Pod/${CART}`,
	),
	alert('NodeRootCgroupCpu', kubelet({ metrics_path: '/metrics/cadvisor', id: '/' }), 'Node/worker-3'),
	alert(
		'KubernetesEventFailedMount',
		scraped('monitoring', 'event-exporter', 'event-exporter-58d9c7b6f-k8x5z', {
			involved_object_kind: 'Pod',
			involved_object_name: 'redis-0',
			involved_object_namespace: 'shop',
			reason: 'FailedMount',
		}),
		'shop/Pod/redis-0',
	),
	alert(
		'ReleaseFailed',
		ksm({
			customresource_group: 'helm.toolkit.fluxcd.io',
			customresource_kind: 'HelmRelease',
			customresource_version: 'v2',
			exported_namespace: 'apps',
			name: 'podinfo',
			ready: 'False',
		}),
		'apps/HelmRelease/podinfo',
	),
];

const ingress = {
	controller_class: 'k8s.io/ingress-nginx',
	host: 'shop.example.com',
	ingress: 'web',
	namespace: 'shop',
	path: '/',
	service: 'web',
	status: '502',
};
const argo = {
	dest_namespace: 'shop',
	dest_server: 'https://kubernetes.default.svc',
	health_status: 'Degraded',
	name: 'cart',
	namespace: 'argocd',
	project: 'default',
	sync_status: 'OutOfSync',
};

export const MANAGER_ALERTS: readonly CorpusAlert[] = [
	alert(
		'NginxIngress5xx',
		scraped('ingress-nginx', 'ingress-nginx-controller-metrics', 'ingress-nginx-controller-6b7f8c9d5-zk4xw', ingress, {
			container: 'controller',
			job: 'ingress-nginx-controller-metrics',
		}),
		'shop/Ingress/web',
	),
	alert('NginxIngress5xx', { exported_namespace: 'shop', ingress: 'web' }, 'shop/Ingress/web'),
	alert(
		'NginxConfigReloadFailed',
		scraped('ingress-nginx', 'ingress-nginx-controller-metrics', 'ingress-nginx-controller-6b7f8c9d5-zk4xw', {
			controller_pod: 'ingress-nginx-controller-6b7f8c9d5-zk4xw',
		}),
		'ingress-nginx/Pod/ingress-nginx-controller-6b7f8c9d5-zk4xw',
	),
	alert(
		'CertManagerCertNotReady',
		scraped(
			'cert-manager',
			'cert-manager',
			'cert-manager-7c5b8d6f9-bx6wt',
			{
				condition: 'False',
				issuer_kind: 'ClusterIssuer',
				issuer_name: 'letsencrypt',
				name: 'web-tls',
				namespace: 'shop',
			},
			{ container: 'cert-manager-controller' },
		),
		'shop/Certificate/web-tls',
	),
	alert('CertManagerCertExpirySoon', { name: 'web-tls', namespace: 'shop' }, 'shop/Certificate/web-tls'),
	alert('CertManagerHittingRateLimits', { host: 'acme-v02.api.letsencrypt.org' }, 'none'),
	alert('CertManagerAbsent', { job: 'cert-manager' }, 'none'),
	alert(
		'ArgocdServiceNotSynced',
		scraped('argocd', 'argocd-metrics', 'argocd-application-controller-0', argo, {
			container: 'application-controller',
		}),
		'argocd/Application/cart',
	),
	alert(
		'ArgoCdAppOutOfSync',
		{
			dest_server: 'https://kubernetes.default.svc',
			job: 'argocd-application-controller-metrics',
			name: 'cart',
			project: 'default',
			sync_status: 'OutOfSync',
		},
		'none',
	),
	alert(
		'ArgocdWorkqueueDepth',
		scraped('argocd', 'argocd-metrics', 'argocd-application-controller-0', { name: 'app_reconciliation_queue' }),
		'argocd/Pod/argocd-application-controller-0',
	),
	alert(
		'ArgoRolloutDegraded',
		scraped(
			'argo-rollouts',
			'argo-rollouts-metrics',
			'argo-rollouts-5f6d7c8b9-nq8vz',
			{ name: 'checkout', namespace: 'shop', phase: 'Degraded', strategy: 'canary' },
			{ job: 'argo-rollouts-metrics' },
		),
		'shop/Rollout/checkout',
	),
	alert(
		'FluxReconciliationFailure',
		podMonitored('flux-system', 'flux-system', 'kustomize-controller-6f7d8c9b5-wv4xk', {
			kind: 'Kustomization',
			name: 'apps',
			namespace: 'flux-system',
			status: 'False',
			type: 'Ready',
		}),
		'flux-system/Kustomization/apps',
	),
	alert(
		'FluxReconciliationFailure',
		podMonitored('flux-system', 'flux-system', 'helm-controller-7c8d9f6b5-zb6tq', {
			kind: 'HelmRelease',
			name: 'podinfo',
			namespace: 'apps',
			status: 'False',
			type: 'Ready',
		}),
		'apps/HelmRelease/podinfo',
	),
	alert(
		'KedaScalerErrors',
		scraped('keda', 'keda-operator', 'keda-operator-6d7f8b9c5-hx4jk', {
			metric: 's0-kafka',
			namespace: 'shop',
			scaledObject: 'orders',
			scaler: 'kafkaScaler',
		}),
		'shop/ScaledObject/orders',
	),
	alert(
		'KedaErrors',
		scraped('keda', 'keda-operator', 'keda-operator-6d7f8b9c5-hx4jk', { namespace: 'shop', type: 'scaledobject' }),
		'none',
	),
	alert(
		'ExternalSecretNotSynced',
		scraped('external-secrets', 'external-secrets-metrics', 'external-secrets-6c7d8f9b5-sk2wx', {
			condition: 'Ready',
			name: 'db-password',
			namespace: 'shop',
			status: 'False',
		}),
		'shop/ExternalSecret/db-password',
	),
	alert(
		'VeleroBackupFailed',
		scraped('velero', 'velero', 'velero-5d6c7b8f9-tz5kq', { schedule: 'daily' }),
		'velero/Schedule/daily',
	),
	alert(
		'LonghornVolumeStatusCritical',
		scraped(
			'longhorn-system',
			'longhorn-backend',
			'longhorn-manager-p7x4v',
			{ node: 'worker-3', pvc: 'data-redis-0', pvc_namespace: 'shop', volume: 'pvc-0b1f' },
			{ container: 'longhorn-manager' },
		),
		'shop/PersistentVolumeClaim/data-redis-0',
	),
	alert(
		'LonghornNodeDown',
		scraped(
			'longhorn-system',
			'longhorn-backend',
			'longhorn-manager-p7x4v',
			{ condition: 'ready', node: 'worker-3' },
			{ container: 'longhorn-manager' },
		),
		'Node/worker-3',
	),
	alert(
		'CephOSDDown',
		scraped(
			'rook-ceph',
			'rook-ceph-mgr',
			'rook-ceph-mgr-a-6f7c8d9b5-vx2kz',
			{ ceph_daemon: 'osd.3' },
			{ container: 'mgr' },
		),
		'none',
	),
	alert(
		'CephHealthWarning',
		scraped('rook-ceph', 'rook-ceph-mgr', 'rook-ceph-mgr-a-6f7c8d9b5-vx2kz', {}, { container: 'mgr' }),
		'none',
	),
	alert(
		'KarpenterNodeNotDraining',
		scraped('karpenter', 'karpenter', 'karpenter-7d8f9b6c5-lt4xw', {
			node_name: 'ip-10-0-3-7.eu-west-1.compute.internal',
			nodepool: 'default',
		}),
		'Node/ip-10-0-3-7.eu-west-1.compute.internal',
	),
	alert('KarpenterNodePoolAtLimit', { nodepool: 'default', resource_type: 'cpu' }, 'NodePool/default'),
	alert(
		'KarpenterControllerErrors',
		scraped('karpenter', 'karpenter', 'karpenter-7d8f9b6c5-lt4xw', { controller: 'provisioner' }),
		'karpenter/Pod/karpenter-7d8f9b6c5-lt4xw',
	),
	alert('RebootRequired', scraped('kube-system', 'kured', 'kured-5x8kz', { node: 'worker-3' }), 'Node/worker-3'),
	alert(
		'TrivyCriticalVulnerabilities',
		scraped('trivy-system', 'trivy-operator', 'trivy-operator-6c8d9f7b5-wq4kx', {
			container_name: 'cart',
			namespace: 'shop',
			resource_kind: 'ReplicaSet',
			resource_name: 'cart-7d4b9c8f6',
			severity: 'Critical',
		}),
		'shop/ReplicaSet/cart-7d4b9c8f6',
	),
	alert(
		'KyvernoPolicyFailures',
		scraped('kyverno', 'kyverno-svc-metrics', 'kyverno-admission-controller-6d8c9f7b5-k4xwz', {
			policy_name: 'require-labels',
			resource_kind: 'Deployment',
			resource_namespace: 'shop',
			resource_name: 'cart',
		}),
		'shop/Deployment/cart',
	),
	alert(
		'X509CertificateExpiration',
		scraped('monitoring', 'x509-certificate-exporter', 'x509-certificate-exporter-6f8d9c7b5-zx2kw', {
			secret_key: 'tls.crt',
			secret_name: 'web-tls',
			secret_namespace: 'shop',
			subject_CN: 'shop.example.com',
		}),
		'shop/Secret/web-tls',
	),
	alert(
		'IstioHigh5xx',
		podMonitored('shop', 'envoy-stats', 'web-6d8f9c7b5-k2xwz', {
			destination_service_name: 'cart',
			destination_service_namespace: 'shop',
			destination_workload: 'cart',
			destination_workload_namespace: 'shop',
			reporter: 'source',
			response_code: '503',
		}),
		'shop/Service/cart',
	),
	alert(
		'IstioHighLatency',
		{ destination_workload: 'cart', destination_workload_namespace: 'shop' },
		'shop/Deployment/cart',
	),
	alert(
		'LinkerdHighErrorRate',
		{ deployment: 'cart', direction: 'inbound', namespace: 'shop' },
		'shop/Deployment/cart',
	),
	alert(
		'TraefikServiceErrors',
		scraped('traefik', 'traefik', 'traefik-6f8c9d7b5-hz4xk', { code: '502', service: 'shop-web-80@kubernetes' }),
		'none',
	),
	alert(
		'StrimziResourceNotReady',
		podMonitored('kafka', 'cluster-operator-metrics', 'strimzi-cluster-operator-6c8d9f7b5-lx2kw', {
			kind: 'Kafka',
			name: 'events',
			resource_namespace: 'kafka',
		}),
		'kafka/Kafka/events',
	),
	alert(
		'ClusterAutoscalerUnschedulable',
		scraped('kube-system', 'cluster-autoscaler', 'cluster-autoscaler-6d8f9b7c5-xk4wz', {}),
		'kube-system/Pod/cluster-autoscaler-6d8f9b7c5-xk4wz',
	),
	alert(
		'MetricsServerErrors',
		scraped('kube-system', 'metrics-server', 'metrics-server-7c8d9f6b5-vk2xz', {}),
		'kube-system/Pod/metrics-server-7c8d9f6b5-vk2xz',
	),
];
