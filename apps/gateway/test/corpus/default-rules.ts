// Alerts of kube-prometheus-stack's default rules about workloads, storage, quotas, nodes and the control plane.
import { alert, type CorpusAlert, cadvisor, ksm, kubelet, scraped } from './scrapes.ts';

const CART = 'cart-7d4b9c8f6-x2x8p';
const cartPod = { namespace: 'shop', pod: CART, uid: '5d0c4c8e-1b1f-4a55-9d43-2f6f7c2a9a11' };
const apiServer = {
	endpoint: 'https',
	instance: '10.0.0.11:6443',
	job: 'apiserver',
	namespace: 'default',
	service: 'kubernetes',
};
const inKubeSystem = (component: string, pod: string) =>
	scraped(
		'kube-system',
		`kps-kube-prometheus-stack-${component}`,
		pod,
		{},
		{ job: component, container: component, endpoint: 'http-metrics', instance: '10.0.0.11:10259' },
	);
const etcd = (metric = {}) =>
	scraped('kube-system', 'kps-kube-prometheus-stack-kube-etcd', 'etcd-control-1', metric, {
		job: 'kube-etcd',
		container: 'etcd',
		endpoint: 'http-metrics',
		instance: '10.0.0.11:2381',
	});
const ETCD_POD = 'kube-system/Pod/etcd-control-1';
const etcdAsService = {
	job: 'kube-etcd',
	namespace: 'kube-system',
	service: 'kps-kube-prometheus-stack-kube-etcd',
	container: 'etcd',
};
const ETCD_SERVICE = 'kube-system/Service/kps-kube-prometheus-stack-kube-etcd';

export const WORKLOAD_ALERTS: readonly CorpusAlert[] = [
	alert('KubePodCrashLooping', ksm({ ...cartPod, container: 'cart', reason: 'CrashLoopBackOff' }), `shop/Pod/${CART}`),
	alert(
		'KubePodCrashLooping',
		ksm({ container: 'redis', namespace: 'shop', pod: 'redis-0', reason: 'CrashLoopBackOff', uid: 'u' }),
		'shop/Pod/redis-0',
	),
	alert('KubePodNotReady', { job: 'kube-state-metrics', namespace: 'shop', pod: CART }, `shop/Pod/${CART}`),
	alert('KubeDeploymentGenerationMismatch', ksm({ deployment: 'cart', namespace: 'shop' }), 'shop/Deployment/cart'),
	alert('KubeDeploymentReplicasMismatch', ksm({ deployment: 'cart', namespace: 'shop' }), 'shop/Deployment/cart'),
	alert(
		'KubeDeploymentRolloutStuck',
		ksm({
			condition: 'Progressing',
			deployment: 'cart',
			namespace: 'shop',
			status: 'false',
			reason: 'ProgressDeadlineExceeded',
		}),
		'shop/Deployment/cart',
	),
	alert('KubeStatefulSetReplicasMismatch', ksm({ statefulset: 'redis', namespace: 'shop' }), 'shop/StatefulSet/redis'),
	alert(
		'KubeStatefulSetGenerationMismatch',
		ksm({ statefulset: 'redis', namespace: 'shop' }),
		'shop/StatefulSet/redis',
	),
	alert(
		'KubeStatefulSetUpdateNotRolledOut',
		{ job: 'kube-state-metrics', namespace: 'shop', statefulset: 'redis' },
		'shop/StatefulSet/redis',
	),
	alert(
		'KubeDaemonSetRolloutStuck',
		ksm({ daemonset: 'fluent-bit', namespace: 'logging' }),
		'logging/DaemonSet/fluent-bit',
	),
	alert(
		'KubeContainerWaiting',
		ksm({ ...cartPod, container: 'cart', reason: 'CreateContainerConfigError' }),
		`shop/Pod/${CART}`,
	),
	alert(
		'KubeDaemonSetNotScheduled',
		ksm({ daemonset: 'fluent-bit', namespace: 'logging' }),
		'logging/DaemonSet/fluent-bit',
	),
	alert(
		'KubeDaemonSetMisScheduled',
		ksm({ daemonset: 'fluent-bit', namespace: 'logging' }),
		'logging/DaemonSet/fluent-bit',
	),
	alert('KubeJobNotCompleted', { job_name: 'backup-29383200', namespace: 'shop' }, 'shop/Job/backup-29383200'),
	alert(
		'KubeJobFailed',
		ksm({ condition: 'true', job_name: 'migrate', namespace: 'shop', reason: 'BackoffLimitExceeded' }),
		'shop/Job/migrate',
	),
	alert(
		'KubeHpaReplicasMismatch',
		ksm({ horizontalpodautoscaler: 'cart', namespace: 'shop' }),
		'shop/HorizontalPodAutoscaler/cart',
	),
	alert(
		'KubeHpaMaxedOut',
		ksm({ horizontalpodautoscaler: 'cart', namespace: 'shop' }),
		'shop/HorizontalPodAutoscaler/cart',
	),
	alert(
		'KubePdbNotEnoughHealthyPods',
		ksm({ poddisruptionbudget: 'cart', namespace: 'shop' }),
		'shop/PodDisruptionBudget/cart',
	),
	alert(
		'CPUThrottlingHigh',
		{
			container: 'cart',
			instance: '10.0.0.33:10250',
			namespace: 'shop',
			pod: CART,
			service: 'kps-kube-prometheus-stack-kubelet',
		},
		`shop/Pod/${CART}`,
		'info',
	),
	alert('ContainerOomEvents', cadvisor({ container: 'cart', namespace: 'shop', pod: CART }), `shop/Pod/${CART}`),
	// kube-state-metrics and node-exporter can break, too: then the alert is about their pods.
	alert(
		'KubePodCrashLooping',
		ksm({ container: 'kube-state-metrics', reason: 'CrashLoopBackOff', uid: 'u' }),
		'monitoring/Pod/kps-kube-state-metrics-58474dc949-6ngch',
	),
	alert(
		'KubePodNotReady',
		{ job: 'kube-state-metrics', namespace: 'monitoring', pod: 'kps-kube-state-metrics-58474dc949-6ngch' },
		'monitoring/Pod/kps-kube-state-metrics-58474dc949-6ngch',
	),
	alert(
		'KubePodCrashLooping',
		ksm({
			container: 'node-exporter',
			pod: 'kps-prometheus-node-exporter-w7bb7',
			reason: 'CrashLoopBackOff',
			uid: 'u',
		}),
		'monitoring/Pod/kps-prometheus-node-exporter-w7bb7',
	),
	alert(
		'KubeContainerWaiting',
		ksm({
			container: 'blackbox-exporter',
			pod: 'blackbox-exporter-6c9f5d7b8-qw4kz',
			reason: 'ImagePullBackOff',
			uid: 'u',
		}),
		'monitoring/Pod/blackbox-exporter-6c9f5d7b8-qw4kz',
	),
	alert(
		'KubeDaemonSetRolloutStuck',
		ksm({ daemonset: 'kps-prometheus-node-exporter' }),
		'monitoring/DaemonSet/kps-prometheus-node-exporter',
	),
	alert(
		'KubeDeploymentReplicasMismatch',
		ksm({ deployment: 'kps-kube-state-metrics' }),
		'monitoring/Deployment/kps-kube-state-metrics',
	),
	alert(
		'CPUThrottlingHigh',
		{
			container: 'postgres-exporter',
			instance: '10.0.0.33:10250',
			namespace: 'db',
			pod: 'postgres-exporter-5b8d7c9f4-t7rkx',
			service: 'kps-kube-prometheus-stack-kubelet',
		},
		'db/Pod/postgres-exporter-5b8d7c9f4-t7rkx',
		'info',
	),
];

export const RESOURCE_ALERTS: readonly CorpusAlert[] = [
	alert('KubeCPUOvercommit', {}, 'none'),
	alert('KubeMemoryOvercommit', {}, 'none'),
	alert('KubeCPUQuotaOvercommit', {}, 'none'),
	alert('KubeMemoryQuotaOvercommit', {}, 'none'),
	...['KubeQuotaAlmostFull', 'KubeQuotaFullyUsed', 'KubeQuotaExceeded'].map((name) =>
		alert(
			name,
			{
				container: 'kube-state-metrics',
				endpoint: 'http',
				namespace: 'shop',
				pod: 'kps-kube-state-metrics-58474dc949-6ngch',
				resource: 'requests.cpu',
				resourcequota: 'compute',
				service: 'kps-kube-state-metrics',
			},
			'shop/ResourceQuota/compute',
		),
	),
	...['KubePersistentVolumeFillingUp', 'KubePersistentVolumeInodesFillingUp'].flatMap((name) => [
		alert(
			name,
			kubelet({ namespace: 'shop', persistentvolumeclaim: 'data-redis-0' }),
			'shop/PersistentVolumeClaim/data-redis-0',
			'critical',
		),
		alert(
			name,
			kubelet({ namespace: 'shop', persistentvolumeclaim: 'data-redis-0' }),
			'shop/PersistentVolumeClaim/data-redis-0',
		),
	]),
	alert(
		'KubePersistentVolumeErrors',
		ksm({ persistentvolume: 'pvc-0b1f', phase: 'Failed' }),
		'PersistentVolume/pvc-0b1f',
		'critical',
	),
];

export const NODE_ALERTS: readonly CorpusAlert[] = [
	alert('KubeNodeNotReady', ksm({ condition: 'Ready', node: 'worker-3', status: 'true' }), 'Node/worker-3'),
	alert(
		'KubeNodePressure',
		ksm({ condition: 'DiskPressure', node: 'worker-3', status: 'true' }),
		'Node/worker-3',
		'info',
	),
	alert(
		'KubeNodeUnreachable',
		ksm({ effect: 'NoSchedule', key: 'node.kubernetes.io/unreachable', node: 'worker-3' }),
		'Node/worker-3',
	),
	alert('KubeletTooManyPods', { instance: '10.0.0.33:10250', node: 'worker-3' }, 'Node/worker-3', 'info'),
	alert('KubeNodeReadinessFlapping', { node: 'worker-3' }, 'Node/worker-3'),
	alert(
		'KubeNodeEviction',
		{ eviction_signal: 'memory.available', instance: '10.0.0.33:10250', node: 'worker-3' },
		'Node/worker-3',
		'info',
	),
	alert(
		'KubeletPlegDurationHigh',
		{ instance: '10.0.0.33:10250', node: 'worker-3', quantile: '0.99' },
		'Node/worker-3',
	),
	alert('KubeletPodStartUpLatencyHigh', { instance: '10.0.0.33:10250', node: 'worker-3' }, 'Node/worker-3'),
	alert('KubeletClientCertificateExpiration', kubelet(), 'Node/worker-3'),
	alert('KubeletServerCertificateExpiration', kubelet(), 'Node/worker-3', 'critical'),
	alert('KubeletClientCertificateRenewalErrors', kubelet(), 'Node/worker-3'),
	alert('KubeletServerCertificateRenewalErrors', kubelet(), 'Node/worker-3'),
	alert('KubeletInstanceUnreachable', kubelet(), 'Node/worker-3', 'critical'),
	alert('KubeletDown', {}, 'none', 'critical'),
];

export const CONTROL_PLANE_ALERTS: readonly CorpusAlert[] = [
	...['1h', '6h', '1d', '3d'].map((long) => alert('KubeAPIErrorBudgetBurn', { long, short: '5m' }, 'none', 'critical')),
	alert('KubeStateMetricsListErrors', {}, 'none', 'critical'),
	alert('KubeStateMetricsWatchErrors', {}, 'none', 'critical'),
	alert('KubeStateMetricsShardingMismatch', {}, 'none', 'critical'),
	alert('KubeStateMetricsShardsMissing', {}, 'none', 'critical'),
	alert('KubeClientCertificateExpiration', { job: 'apiserver', instance: '10.0.0.11:6443' }, 'none'),
	alert(
		'KubeAggregatedAPIErrors',
		{ instance: '10.0.0.11:6443', name: 'v1beta1.metrics.k8s.io', reason: 'FailedDiscoveryCheck' },
		'APIService/v1beta1.metrics.k8s.io',
	),
	alert(
		'KubeAggregatedAPIDown',
		{ name: 'v1beta1.metrics.k8s.io', namespace: 'default' },
		'APIService/v1beta1.metrics.k8s.io',
	),
	alert('KubeAPIDown', { job: 'apiserver' }, 'none', 'critical'),
	alert('KubeAPITerminatedRequests', {}, 'none'),
	alert('KubeControllerManagerDown', { job: 'kube-controller-manager' }, 'none', 'critical'),
	alert(
		'KubeControllerManagerInstanceUnreachable',
		inKubeSystem('kube-controller-manager', 'kube-controller-manager-control-1'),
		'kube-system/Pod/kube-controller-manager-control-1',
		'critical',
	),
	alert('KubeProxyDown', { job: 'kube-proxy' }, 'none', 'critical'),
	alert(
		'KubeProxyInstanceUnreachable',
		inKubeSystem('kube-proxy', 'kube-proxy-5n8kx'),
		'kube-system/Pod/kube-proxy-5n8kx',
		'critical',
	),
	alert('KubeSchedulerDown', { job: 'kube-scheduler' }, 'none', 'critical'),
	alert(
		'KubeSchedulerInstanceUnreachable',
		inKubeSystem('kube-scheduler', 'kube-scheduler-control-1'),
		'kube-system/Pod/kube-scheduler-control-1',
		'critical',
	),
	alert('KubeVersionMismatch', {}, 'none'),
	alert('KubeClientErrors', { instance: '10.0.0.11:6443', job: 'apiserver', namespace: 'default' }, 'none'),
	alert('TargetDown', { job: 'cart', namespace: 'shop', service: 'cart' }, 'shop/Service/cart'),
	alert(
		'TargetDown',
		{ job: 'node-exporter', namespace: 'monitoring', service: 'kps-prometheus-node-exporter' },
		'monitoring/Service/kps-prometheus-node-exporter',
	),
	alert(
		'TargetDown',
		{ job: 'kube-proxy', namespace: 'kube-system', service: 'kps-kube-prometheus-stack-kube-proxy' },
		'kube-system/Service/kps-kube-prometheus-stack-kube-proxy',
	),
	alert('APIServerHighLatency', { ...apiServer, resource: 'pods', verb: 'LIST' }, 'default/Service/kubernetes'),
	alert('etcdMembersDown', etcdAsService, ETCD_SERVICE),
	alert('etcdInsufficientMembers', { ...etcdAsService, endpoint: 'http-metrics' }, ETCD_SERVICE, 'critical'),
	alert('etcdNoLeader', etcd(), ETCD_POD, 'critical'),
	alert('etcdHighNumberOfLeaderChanges', { ...etcdAsService, endpoint: 'http-metrics' }, ETCD_SERVICE),
	alert(
		'etcdHighNumberOfFailedGRPCRequests',
		etcd({ grpc_method: 'Range', grpc_service: 'etcdserverpb.KV' }),
		ETCD_POD,
	),
	alert('etcdGRPCRequestsSlow', etcd({ grpc_method: 'Range', grpc_service: 'etcdserverpb.KV' }), ETCD_POD, 'critical'),
	alert('etcdMemberCommunicationSlow', etcd({ To: '8e9e05c52164694d' }), ETCD_POD),
	alert('etcdHighNumberOfFailedProposals', etcd(), ETCD_POD),
	alert('etcdHighFsyncDurations', etcd(), ETCD_POD, 'critical'),
	alert('etcdHighCommitDurations', etcd(), ETCD_POD),
	alert('etcdDatabaseQuotaLowSpace', etcd(), ETCD_POD, 'critical'),
	alert('etcdExcessiveDatabaseGrowth', etcd(), ETCD_POD),
	alert('etcdDatabaseHighFragmentationRatio', etcd(), ETCD_POD),
];
