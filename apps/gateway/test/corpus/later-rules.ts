// Alerts that were added later, after the rules had been made more general: 42 of the first 50 were right at first.
import { type CorpusAlert, ksm, kubelet, nodeExporter, plain, podMonitored, scraped } from './scrapes.ts';

const CART = 'cart-7d4b9c8f6-x2x8p';
export const LATER_ALERTS: readonly CorpusAlert[] = [
	// deckhouse-like: tier, module, and node on everything
	plain(
		'ModuleHookErrors',
		{
			hook: 'h',
			module: 'ingress',
			queue: '/q',
			tier: 'cluster',
			job: 'deckhouse',
			instance: '10.111.0.7:9652',
			node: 'master-0',
			pod: 'deckhouse-6d9f8c7b5-xk2wz',
			namespace: 'd8-system',
		},
		'd8-system/Pod/deckhouse-6d9f8c7b5-xk2wz',
	),
	plain(
		'NodeDiskBytesUsage',
		{ device: '/dev/sda', mountpoint: '/', node: 'worker-3', tier: 'cluster' },
		'Node/worker-3',
	),
	plain(
		'PodEphemeralStorage',
		{ namespace: 'shop', pod: CART, container: 'cart', node: 'worker-3', tier: 'cluster' },
		`shop/Pod/${CART}`,
	),
	// extended monitoring
	plain(
		'IngressResponses5xx',
		{ namespace: 'shop', ingress: 'web', service: 'web', service_port: '80', vhost: 'shop.example.com' },
		'shop/Ingress/web',
	),
	plain('CronJobFailed', { namespace: 'shop', cronjob: 'report', job: 'kube-state-metrics' }, 'shop/CronJob/report'),
	// sapcc: owner labels from kube_pod_labels join
	plain(
		'PodOOMKilled',
		{
			label_service: 'cart',
			label_support_group: 'sg',
			namespace: 'shop',
			pod: CART,
			container: 'cart',
			service: 'resources',
			context: 'memory',
			support_group: 'sg',
		},
		`shop/Pod/${CART}`,
	),
	plain('PodNotReady', ksm({ pod: 'redis-0', namespace: 'shop', uid: 'u', condition: 'true' }), 'shop/Pod/redis-0'),
	plain(
		'MariadbDown',
		scraped('db', 'cart-mariadb-metrics', 'cart-mariadb-metrics-6d9f8c7b5-xk2wz', {}, { container: 'mysql-exporter' }),
		'none',
	),
	plain(
		'PgBackupTooOld',
		scraped('db', 'cart-pgbackup', 'cart-pgbackup-6d9f8c7b5-xk2wz', { kind: 'full' }),
		'db/Pod/cart-pgbackup-6d9f8c7b5-xk2wz',
	),
	// Elastic, OpenSearch
	plain(
		'OpenSearchNodeDiskWatermark',
		scraped('logging', 'opensearch-prometheus-exporter', 'opensearch-prometheus-exporter-6d9f8c7b5-xk2wz', {
			cluster: 'logs',
			node: 'opensearch-data-0',
			nodeid: 'x',
		}),
		'none',
	),
	plain(
		'OpenSearchHeapHigh',
		scraped('logging', 'opensearch', 'opensearch-data-0', { cluster: 'logs', node: 'opensearch-data-0', nodeid: 'x' }),
		'logging/Pod/opensearch-data-0',
	),
	// Cassandra / K8ssandra
	plain(
		'CassandraDroppedMessages',
		scraped('db', 'dc1-service', 'orders-dc1-r1-sts-0', {
			cluster: 'orders',
			datacenter: 'dc1',
			rack: 'r1',
			node_id: 'u',
		}),
		'db/Pod/orders-dc1-r1-sts-0',
	),
	// Vault, Consul
	plain(
		'ConsulServiceUnhealthy',
		scraped('consul', 'consul-exporter', 'consul-exporter-6d9f8c7b5-xk2wz', {
			check: 'service:web',
			node: 'node-7',
			service_name: 'web',
			status: 'critical',
		}),
		'none',
	),
	// A namespace of Vault's own: the labels do not say so, and the pair is broken.
	plain(
		'VaultLeaseCount',
		scraped('vault', 'vault-internal', 'vault-1', { cluster: 'vault-cluster-1b2c', namespace: 'root' }),
		'none',
	),
	// Temporal: own label `namespace`
	plain(
		'TemporalWorkflowFailures',
		scraped('temporal', 'temporal-history', 'temporal-history-6d9f8c7b5-xk2wz', {
			namespace: 'default',
			operation: 'x',
		}),
		'none',
	),
	// Spark / Flink operators
	plain(
		'FlinkJobRestarting',
		podMonitored('stream', 'flink', 'orders-taskmanager-1-1', { job_name: 'orders', job_id: 'u', tm_id: 't' }),
		'stream/Pod/orders-taskmanager-1-1',
	),
	plain(
		'AirflowTaskFailures',
		scraped('data', 'airflow-statsd', 'airflow-statsd-6d9f8c7b5-xk2wz', { dag_id: 'd', task_id: 't' }),
		'none',
	),
	// GitOps
	plain(
		'HelmReleaseNotReady',
		ksm({
			customresource_group: 'helm.toolkit.fluxcd.io',
			customresource_kind: 'HelmRelease',
			customresource_version: 'v2',
			name: 'podinfo',
			namespace: 'apps',
			ready: 'False',
		}),
		'apps/HelmRelease/podinfo',
	),
	plain(
		'ArgoCdAppUnhealthy',
		scraped('argocd', 'argo-cd-application-controller-metrics', 'argo-cd-application-controller-0', {
			name: 'cart',
			project: 'p',
			health_status: 'Degraded',
			dest_namespace: 'shop',
		}),
		'argocd/Application/cart',
	),
	plain(
		'ArgoWorkflowFailed',
		scraped('argo', 'argo-workflows-workflow-controller', 'argo-workflows-workflow-controller-6d9f8c7b5-xk2wz', {
			cronworkflow: 'nightly',
			namespace: 'shop',
		}),
		'none',
	),
	// cluster API, crossplane
	plain(
		'CrossplaneNotReady',
		ksm({
			customresource_group: 'rds.aws.upbound.io',
			customresource_kind: 'Instance',
			customresource_version: 'v1beta1',
			name: 'orders-db',
		}),
		'monitoring/Instance/orders-db',
	),
	// certificates
	plain(
		'CertificateAtRisk',
		{
			name: 'web-tls',
			exported_namespace: 'shop',
			issuer_kind: 'Issuer',
			issuer_name: 'ca',
			condition: 'False',
			job: 'cert-manager',
			namespace: 'cert-manager',
			instance: '10.42.0.9:9402',
			pod: 'cert-manager-7c5b8d6f9-bx6wt',
			node: 'worker-9',
		},
		'shop/Certificate/web-tls',
	),
	plain(
		'TlsSecretExpires',
		scraped('monitoring', 'x509-certificate-exporter', 'x509-certificate-exporter-6f8d9c7b5-zx2kw', {
			secret_name: 'tls',
			secret_namespace: 'shop',
		}),
		'shop/Secret/tls',
	),
	// network
	plain(
		'CalicoIpamFull',
		scraped('calico-system', 'calico-kube-controllers-metrics', 'calico-kube-controllers-6d9f8c7b5-xk2wz', {
			ippool: 'default',
			node: 'worker-3',
		}),
		'Node/worker-3',
	),
	plain(
		'ExternalDnsErrors',
		scraped('dns', 'external-dns', 'external-dns-6d9f8c7b5-xk2wz', {}),
		'dns/Pod/external-dns-6d9f8c7b5-xk2wz',
	),
	plain(
		'NodeLocalDnsDown',
		podMonitored('kube-system', 'node-local-dns', 'node-local-dns-x2x8p', { node: 'worker-3' }),
		'kube-system/Pod/node-local-dns-x2x8p',
	),
	plain(
		'GoldpingerUnhealthy',
		scraped('monitoring', 'goldpinger', 'goldpinger-x2x8p', { goldpinger_instance: 'worker-3', status: 'unhealthy' }),
		'monitoring/Pod/goldpinger-x2x8p',
	),
	plain(
		'BlackboxDown',
		{ instance: 'redis.cache.svc:6379', job: 'blackbox-tcp', module: 'tcp_connect' },
		'cache/Service/redis',
	),
	plain(
		'BlackboxDown',
		{ instance: 'probe-1', target: 'http://web.shop.svc/healthz', job: 'blackbox' },
		'shop/Service/web',
	),
	plain(
		'PingLoss',
		scraped('monitoring', 'smokeping-prober', 'smokeping-prober-6d9f8c7b5-xk2wz', { host: '10.9.0.1', ip: '10.9.0.1' }),
		'none',
	),
	// machines
	plain(
		'NodeTemperature',
		nodeExporter({ chip: 'platform_coretemp_0', sensor: 'temp1' }),
		'Node of monitoring/kps-prometheus-node-exporter-w7bb7',
	),
	plain(
		'ZfsPoolDegraded',
		scraped('monitoring', 'zfs-exporter', 'zfs-exporter-x2x8p', { pool: 'tank' }),
		'Node of monitoring/zfs-exporter-x2x8p',
	),
	// No node has the address: in the end, the alert itself.
	plain('IpmiFanFailed', { instance: '10.8.0.3', job: 'ipmi-exporter', name: 'FAN1' }, 'Node at 10.8.0.3'),
	plain(
		'HostClockSkew',
		{ instance: 'worker-3:9100', job: 'node-exporter', namespace: 'monitoring', service: 'node-exporter' },
		'Node at worker-3',
	),
	plain('HostSwap', { instance: 'ip-10-0-3-7.eu-west-1.compute.internal', job: 'integrations/unix' }, 'none'),
	plain('KubeletEvictions', kubelet({ eviction_signal: 'nodefs.available' }), 'Node/worker-3'),
	plain(
		'NvidiaXid',
		scraped('gpu-operator', 'nvidia-dcgm-exporter', 'nvidia-dcgm-exporter-7hq5k', { gpu: '0', node: 'gpu-1' }),
		'Node/gpu-1',
	),
	plain('CsiNodeVolumesFull', ksm({ node: 'worker-3', driver: 'ebs.csi.aws.com' }), 'Node/worker-3'),
	// OpenTelemetry resource attributes on Prometheus metrics
	plain(
		'OtelErrors',
		{
			k8s_cluster_name: 'c',
			k8s_deployment_name: 'cart',
			k8s_namespace_name: 'shop',
			k8s_node_name: 'worker-3',
			service_name: 'cart',
			service_namespace: 'payments',
			job: 'payments/cart',
		},
		'shop/Deployment/cart',
	),
	plain(
		'OtelLatency',
		scraped('shop', 'cart', CART, { service_name: 'cart', service_namespace: 'payments' }),
		`shop/Pod/${CART}`,
	),
	plain(
		'CollectorQueueFull',
		scraped('otel', 'otel-collector', 'otel-collector-agent-x2x8p', { exporter: 'otlp' }),
		'otel/Pod/otel-collector-agent-x2x8p',
	),
	// workloads without the usual labels
	plain(
		'TrivyImageVulnerable',
		scraped('trivy-system', 'trivy-operator', 'trivy-operator-6c8d9f7b5-wq4kx', {
			namespace: 'shop',
			name: 'replicaset-cart',
			resource_kind: 'StatefulSet',
			resource_name: 'redis',
		}),
		'shop/StatefulSet/redis',
	),
	plain(
		'HpaMetricUnavailable',
		{
			exported_namespace: 'shop',
			horizontalpodautoscaler: 'cart',
			namespace: 'monitoring',
			pod: 'prometheus-adapter-6d9f8c7b5-xk2wz',
		},
		'shop/HorizontalPodAutoscaler/cart',
	),
	plain(
		'QuotaReached',
		{ namespace: 'shop', resource: 'pods', resourcequota: 'compute' },
		'shop/ResourceQuota/compute',
	),
	plain('DeploymentPaused', { deployment: 'cart' }, 'none'),
	plain(
		'WebhookFailing',
		{ name: 'validate.kyverno.svc', type: 'validating', job: 'apiserver', instance: '10.0.0.11:6443' },
		'none',
	),
	plain(
		'CrdConversionFailing',
		{ customresourcedefinition: 'certificates.cert-manager.io' },
		'CustomResourceDefinition/certificates.cert-manager.io',
	),
	plain(
		'SpotTermination',
		{
			node: 'worker-3',
			pod: 'aws-node-termination-handler-x2x8p',
			namespace: 'kube-system',
			job: 'nth',
			instance: '10.0.0.33:9092',
			service: 'nth',
		},
		'kube-system/Pod/aws-node-termination-handler-x2x8p',
	),
	plain('ImagePullSlow', { image: 'cart:1', node: 'worker-3', namespace: 'shop', pod: CART }, `shop/Pod/${CART}`),
	plain(
		'RunnerQueueLong',
		scraped('ci', 'gitlab-runner', 'gitlab-runner-6d9f8c7b5-xk2wz', { runner: 'r1' }),
		'ci/Pod/gitlab-runner-6d9f8c7b5-xk2wz',
	),
	// aggregations
	plain(
		'KafkaConsumerLag',
		{ consumergroup: 'orders', job: 'kafka-exporter', namespace: 'kafka', pod: 'kafka-exporter-6c8d9f7b5-xw4kz' },
		'none',
	),
	plain('HostClocksDiffer', { job: 'node-exporter', namespace: 'monitoring', service: 'node-exporter' }, 'none'),
	plain('CartErrors', { job: 'cart', namespace: 'shop', pod: CART }, `shop/Pod/${CART}`),
];
