// Alerts with the labels of other agents and managed services: the pod and the node of the scrape on everything (Alloy,
// Google, the pods job of the plain chart), static targets by the Service's name, federation.
import { type CorpusAlert, type Labels, plain } from './scrapes.ts';

const CART = 'cart-7d4b9c8f6-x2x8p';
/** kube-state-metrics with the node that it runs on, and no Service. */
const ksmOnNode = (metric: Labels) => ({
	cluster_id: 'c1',
	container: 'kube-state-metrics',
	instance: '10.42.2.101:8080',
	job: 'kube-state-metrics',
	namespace: 'kube-system',
	node: 'ip-10-0-5-61.eu-west-1.compute.internal',
	pod: 'kube-state-metrics-58474dc949-6ngch',
	...metric,
});
/** A pod with the node that it runs on, and no Service. */
const podOnNode = (namespace: string, pod: string, job: string, metric: Labels = {}) => ({
	instance: '100.64.6.9:9102',
	job,
	namespace,
	node: 'ip-10-0-5-9.eu-west-1.compute.internal',
	pod,
	...metric,
});
/** Azure scrapes kube-state-metrics by the name of its Service. */
const azureKsm = (metric: Labels) => ({
	cluster: 'aks-1',
	instance: 'ama-metrics-ksm.kube-system.svc.cluster.local:8080',
	job: 'kube-state-metrics',
	...metric,
});
/** The pods job of the plain chart copies the labels of the pod. */
const byAnnotation = (namespace: string, pod: string, metric: Labels = {}) => ({
	app_kubernetes_io_instance: 'x',
	instance: '10.42.1.17:9308',
	job: 'kubernetes-pods',
	kubernetes_namespace: namespace,
	kubernetes_pod_name: pod,
	pod_template_hash: pod.split('-').at(-2) ?? '',
	...metric,
});

export const AGENT_ALERTS: readonly CorpusAlert[] = [
	plain(
		'ExternalSecretsDeploymentNotSatisfied',
		ksmOnNode({ deployment: 'external-secrets', namespace: 'external-secrets' }),
		'external-secrets/Deployment/external-secrets',
	),
	plain(
		'PersistentVolumeClaimPending',
		ksmOnNode({ namespace: 'shop', persistentvolumeclaim: 'data', phase: 'Pending' }),
		'shop/PersistentVolumeClaim/data',
	),
	plain(
		'NodeCordoned',
		ksmOnNode({ node: 'ip-10-0-5-7.eu-west-1.compute.internal' }),
		'Node/ip-10-0-5-7.eu-west-1.compute.internal',
	),
	plain(
		'PodCrashLooping',
		ksmOnNode({ container: 'cart', namespace: 'shop', pod: CART, uid: 'u' }),
		`shop/Pod/${CART}`,
	),
	plain('NamespaceTerminating', ksmOnNode({ namespace: 'old-shop', phase: 'Terminating' }), 'Namespace/old-shop'),
	plain(
		'IngressControllerDown',
		podOnNode('ingress', 'ingress-nginx-app-controller-6b7f8c9d5-zk4xw', 'ingress-nginx-app-controller-metrics', {
			ip: '10.0.0.1',
		}),
		'ingress/Pod/ingress-nginx-app-controller-6b7f8c9d5-zk4xw',
	),
	plain(
		'KafkaConsumerLag',
		podOnNode('kafka', 'kafka-exporter-6c8d9f7b5-xw4kz', 'kafka-exporter', {
			consumergroup: 'orders',
			topic: 'orders',
		}),
		'none',
	),
	plain(
		'CiliumAgentUnreachable',
		podOnNode('kube-system', 'cilium-x7k2m', 'cilium-agent'),
		'kube-system/Pod/cilium-x7k2m',
	),
	plain(
		'ContainerMemoryHigh',
		{
			container: 'cart',
			instance: 'worker-3',
			job: 'kubelet',
			metrics_path: '/metrics/cadvisor',
			namespace: 'shop',
			node: 'worker-3',
			pod: CART,
		},
		`shop/Pod/${CART}`,
	),
	plain(
		'NodeExporterCollectorFailed',
		{ app: 'node-exporter', collector: 'cpu', instance: '10.0.5.111:10300', namespace: 'kube-system' },
		'Node at 10.0.5.111',
	),
	plain('StorageSpaceTooLow', { instance: '10.0.0.1:10250', persistentvolumeclaim: 'grafana-postgresql-1' }, 'none'),
	plain('ComponentRestartingTooOften', { namespace: 'security', pod: 'trivy-0' }, 'security/Pod/trivy-0'),
	plain('PodsUnschedulable', { cluster_id: 'wc01', provider: 'capa', region: 'us-east-1', team: 'platform' }, 'none'),
	plain('KubeNodeNotReady', azureKsm({ condition: 'Ready', node: 'aks-pool-1', status: 'true' }), 'Node/aks-pool-1'),
	plain('KubePodNotReady', azureKsm({ namespace: 'shop', pod: CART, uid: 'u' }), `shop/Pod/${CART}`),
	plain('NamespaceTerminating', azureKsm({ namespace: 'old-shop', phase: 'Terminating' }), 'Namespace/old-shop'),
	plain('PostgresqlDown', { instance: 'postgres-exporter.db.svc.cluster.local:9187', job: 'postgres' }, 'none'),
	plain('MysqlSlowQueries', { instance: 'mysql-exporter.db.svc:9104', job: 'mysql' }, 'none'),
	plain(
		'RedisDown',
		{ instance: 'redis://redis-master.cache.svc:6379', job: 'redis_exporter_targets' },
		'cache/Service/redis-master',
	),
	plain('MinioOffline', { instance: 'minio.storage.svc.cluster.local:9000', job: 'minio' }, 'storage/Service/minio'),
	plain(
		'HostOutOfDisk',
		{
			exported_instance: '10.0.0.33:9100',
			exported_job: 'node-exporter',
			instance: 'prometheus.other.svc:9090',
			job: 'federate',
			mountpoint: '/',
		},
		'Node at 10.0.0.33',
	),
	plain('KafkaLag', byAnnotation('kafka', 'kafka-exporter-6c8d9f7b5-xw4kz', { consumergroup: 'orders' }), 'none'),
	plain('HighLatency', byAnnotation('shop', CART, { quantile: '0.99' }), `shop/Pod/${CART}`),
	plain(
		'HighErrorRate',
		{
			cluster: 'prod',
			container: 'cart',
			instance: `${CART}:http`,
			job: 'cart',
			location: 'europe-west1',
			namespace: 'shop',
			node: 'gke-1',
			pod: CART,
			project_id: 'p',
			top_level_controller_name: 'cart',
			top_level_controller_type: 'Deployment',
		},
		`shop/Pod/${CART}`,
	),
	plain(
		'NodeDiskFull',
		{ cluster: 'prod', device: 'sda', instance: 'worker-3', job: 'integrations/node_exporter', mountpoint: '/' },
		'Node/worker-3',
	),
	plain(
		'KubePodCrashLooping',
		{
			cluster: 'prod',
			container: 'cart',
			job: 'integrations/kubernetes/kube-state-metrics',
			namespace: 'shop',
			pod: CART,
			reason: 'CrashLoopBackOff',
		},
		`shop/Pod/${CART}`,
	),
	plain(
		'VolumeFillingUp',
		{
			cluster: 'prod',
			instance: 'worker-3',
			job: 'integrations/kubernetes/kubelet',
			namespace: 'shop',
			node: 'worker-3',
			persistentvolumeclaim: 'data',
		},
		'shop/PersistentVolumeClaim/data',
	),
	plain(
		'SliceMemoryHigh',
		{
			id: '/system.slice/containerd.service',
			instance: '10.0.0.33:10250',
			job: 'kubelet',
			namespace: 'kube-system',
			node: 'worker-3',
			service: 'kubelet',
		},
		'Node/worker-3',
	),
	plain(
		'NodeDiskspaceWarning',
		{ device: 'sda1', fstype: 'ext4', instance: 'worker-3', job: 'node', mountpoint: '/' },
		'Node/worker-3',
	),
	plain(
		'BgpNeighborSessionDown',
		{ context: 'availability', node: 'worker-3', service: 'bgp-speaker', tier: 'k8s' },
		'Node/worker-3',
	),
	plain('RequestManagerSlow', { host: 'vm-1', kind: 'batch', service: 'requests', tag: 'web' }, 'none'),
	plain('EtcdNoLeader', { instance: '10.0.0.11:2379', job: 'etcd' }, 'none'),
	plain(
		'BackupStale',
		{
			exported_instance: 'db-1',
			exported_job: 'pg_backup',
			job: 'pushgateway',
			namespace: 'monitoring',
			pod: 'pushgateway-6f9d8c7b5-zx4kw',
			service: 'pushgateway',
		},
		'none',
	),
];
