// Alerts in the shapes of other ways to scrape (the plain prometheus chart, OpenShift, OpenTelemetry) and of programs that the
// first version of the rules was not written with.
import { alert, type CorpusAlert, ksm, type Labels, podMonitored, scraped } from './scrapes.ts';

const CART = 'cart-7d4b9c8f6-x2x8p';
/** The scrape of the plain prometheus chart: no pod, and the node of the scraped pod. */
const byService = (namespace: string, service: string, metric: Labels = {}) => ({
	app_kubernetes_io_name: service,
	instance: '10.42.1.17:8080',
	job: 'kubernetes-service-endpoints',
	namespace,
	node: 'worker-9',
	service,
	...metric,
});

export const FURTHER_ALERTS: readonly CorpusAlert[] = [
	alert(
		'KubernetesNodeNotReady',
		byService('monitoring', 'prometheus-kube-state-metrics', { condition: 'Ready', node: 'worker-3', status: 'true' }),
		'Node/worker-3',
	),
	alert(
		'KubernetesDeploymentReplicasMismatch',
		byService('shop', 'prometheus-kube-state-metrics', { deployment: 'cart' }),
		'shop/Deployment/cart',
	),
	alert(
		'KubernetesPodCrashLooping',
		byService('shop', 'prometheus-kube-state-metrics', { pod: CART, container: 'cart', uid: 'u' }),
		`shop/Pod/${CART}`,
	),
	alert(
		'HostOutOfMemory',
		byService('monitoring', 'prometheus-node-exporter', { instance: '10.0.0.33:9100', node: 'worker-3' }),
		'Node/worker-3',
	),
	alert('PostgresqlDown', byService('db', 'postgres-exporter'), 'none'),
	alert(
		'RedisDown',
		byService('cache', 'redis-exporter', { addr: 'redis://redis.cache.svc:6379' }),
		'cache/Service/redis',
	),
	alert('HighErrorRate', byService('shop', 'cart', { code: '500' }), 'shop/Service/cart'),
	alert(
		'PostgresqlDown',
		{ ...scraped('db', 'postgres-exporter', 'postgres-exporter-5b8d7c9f4-t7rkx'), node: 'worker-9' },
		'none',
	),
	alert(
		'KubeletDiskPressure',
		{
			beta_kubernetes_io_arch: 'amd64',
			instance: 'worker-3',
			job: 'kubernetes-nodes',
			kubernetes_io_hostname: 'worker-3',
		},
		'Node/worker-3',
	),
	alert(
		'ContainerHighCpu',
		{ container: 'cart', instance: 'worker-3', job: 'kubernetes-nodes-cadvisor', namespace: 'shop', pod: CART },
		`shop/Pod/${CART}`,
	),
	alert(
		'AppDown',
		{ instance: '10.42.1.17:8080', job: 'kubernetes-pods', namespace: 'shop', node: 'worker-9', pod: CART },
		`shop/Pod/${CART}`,
	),
	alert(
		'AppSlow',
		{
			instance: '10.42.1.17:8080',
			job: 'kubernetes-service-endpoints',
			kubernetes_name: 'cart',
			kubernetes_namespace: 'shop',
		},
		'shop/Service/cart',
	),
	alert(
		'PGReplicationLag',
		{
			job: 'crunchy-postgres-exporter',
			kubernetes_namespace: 'db',
			pg_cluster: 'orders',
			pod: 'orders-instance1-x2x8-0',
			role: 'replica',
		},
		'db/Pod/orders-instance1-x2x8-0',
	),
	alert(
		'KubePodNotReady',
		ksm({ container: 'kube-rbac-proxy-main', endpoint: 'https-main', namespace: 'shop', pod: CART, uid: 'u' }),
		`shop/Pod/${CART}`,
	),
	alert(
		'NodeClockNotSynchronising',
		{
			container: 'kube-rbac-proxy',
			endpoint: 'https',
			instance: 'worker-3.example.com',
			job: 'node-exporter',
			namespace: 'openshift-monitoring',
			pod: 'node-exporter-x2x8p',
			service: 'node-exporter',
		},
		'Node/worker-3.example.com',
	),
	alert(
		'ClusterOperatorDown',
		{ name: 'dns', namespace: 'openshift-cluster-version', reason: 'DNSDegraded' },
		'openshift-cluster-version/ClusterOperator/dns',
	),
	alert(
		'MCDRebootError',
		scraped('openshift-machine-config-operator', 'machine-config-daemon', 'machine-config-daemon-x2x8p', {
			node: 'worker-3',
		}),
		'Node/worker-3',
	),
	alert(
		'IstioRequestErrors',
		{ destination_service: 'cart.shop.svc.cluster.local', response_code: '500' },
		'shop/Service/cart',
	),
	alert(
		'PipelineRunFailed',
		{ namespace: 'ci', pipeline: 'build', pipelinerun: 'build-42', status: 'failed' },
		'ci/PipelineRun/build-42',
	),
	alert(
		'KnativeRevisionErrors',
		{ namespace_name: 'shop', pod_name: CART, revision_name: 'cart-00001' },
		`shop/Pod/${CART}`,
	),
	alert(
		'RestartedOften',
		{ created_by_kind: 'ReplicaSet', created_by_name: 'cart-7d4b9c8f6', namespace: 'shop' },
		'shop/ReplicaSet/cart-7d4b9c8f6',
	),
	alert(
		'OtelHighLatency',
		{
			service_name: 'cart',
			service_namespace: 'shop',
			k8s_namespace_name: 'shop',
			k8s_statefulset_name: 'redis',
			k8s_pod_name: 'redis-0',
		},
		'shop/StatefulSet/redis',
	),
	alert('LogErrors', { app: 'cart', level: 'error', namespace: 'shop' }, 'none'),
	alert('HpaAtMax', { horizontalpodautoscaler: 'cart' }, 'none'),
	alert('PodCpu', { pod: CART }, 'none'),
	alert('NodeHot', { kubernetes_node: 'worker-3', instance: '10.0.0.33:9100', job: 'node' }, 'Node/worker-3'),
	alert('ThanosQueryErrors', { job: 'thanos-query' }, 'none'),
	alert(
		'LokiIngesterFlush',
		podMonitored('logging', 'loki', 'loki-ingester-2', { reason: 'full' }),
		'logging/Pod/loki-ingester-2',
	),
	alert(
		'CalicoDataplaneFailures',
		scraped('calico-system', 'felix-metrics-svc', 'calico-node-x2x8p', {}, { container: 'calico-node' }),
		'calico-system/Pod/calico-node-x2x8p',
	),
	alert(
		'GoldilocksVpaMissing',
		ksm({ namespace: 'shop', verticalpodautoscaler: 'cart' }),
		'shop/VerticalPodAutoscaler/cart',
	),
	alert(
		'SslCertificateExpiry',
		scraped('monitoring', 'ssl-exporter', 'ssl-exporter-6d8f9c7b5-x2x8p', {
			namespace: 'shop',
			secret: 'web-tls',
			key: 'tls.crt',
		}),
		'shop/Secret/web-tls',
	),
	alert('JenkinsOffline', scraped('ci', 'jenkins', 'jenkins-0'), 'ci/Pod/jenkins-0'),
	alert('EtcdBackupMissing', { cronjob: 'etcd-backup', namespace: 'kube-system' }, 'kube-system/CronJob/etcd-backup'),
	alert('KafkaLag', { consumergroup: 'orders', namespace: 'kafka', topic: 'orders' }, 'none'),
	alert(
		'StatsdAppErrors',
		scraped('monitoring', 'statsd-exporter', 'statsd-exporter-6d8f9c7b5-x2x8p', { app: 'cart' }),
		'none',
	),
	alert('CoreDNSDown', { job: 'coredns' }, 'none'),
];
