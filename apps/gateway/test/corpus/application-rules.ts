// Alerts on databases, queues, probes and applications: some processes report on themselves, exporters on others.
import { alert, type CorpusAlert, podMonitored, scraped } from './scrapes.ts';

const pgExporter = (metric = {}) =>
	scraped('db', 'postgres-exporter', 'postgres-exporter-5b8d7c9f4-t7rkx', metric, { instance: '10.42.3.4:9187' });
const redisSidecar = (metric = {}) =>
	scraped('cache', 'redis-metrics', 'redis-master-0', metric, { container: 'metrics', instance: '10.42.3.8:9121' });
const blackbox = (target: string, metric = {}) => ({
	...scraped('monitoring', 'blackbox-exporter', 'blackbox-exporter-6c9f5d7b8-qw4kz', metric),
	instance: target,
	job: 'blackbox',
});
const rabbit = (metric = {}) => scraped('queue', 'rabbitmq', 'rabbitmq-server-1', metric, { endpoint: 'prometheus' });
const cart = (metric = {}) => scraped('shop', 'cart', 'cart-7d4b9c8f6-x2x8p', metric, { endpoint: 'http' });
const CART_POD = 'shop/Pod/cart-7d4b9c8f6-x2x8p';

export const DATABASE_ALERTS: readonly CorpusAlert[] = [
	alert('PostgresqlDown', pgExporter(), 'none', 'critical'),
	alert(
		'PostgresqlDown',
		pgExporter({ server: 'postgres.db.svc.cluster.local:5432' }),
		'db/Service/postgres',
		'critical',
	),
	alert('PostgresqlReplicationLag', pgExporter({ server: 'postgres-1.postgres.db.svc:5432' }), 'db/Pod/postgres-1'),
	alert('PostgresqlTooManyConnections', pgExporter({ datname: 'orders', server: '10.0.7.4:5432' }), 'none'),
	alert('PostgresqlExporterError', pgExporter(), 'db/Pod/postgres-exporter-5b8d7c9f4-t7rkx'),
	alert(
		'PostgresqlTooManyConnections',
		scraped('db', 'orders-pg', 'orders-pg-1', { datname: 'orders' }, { container: 'postgres' }),
		'db/Pod/orders-pg-1',
	),
	alert('CNPGClusterHighReplicationLag', podMonitored('db', 'orders', 'orders-2', {}), 'db/Pod/orders-2'),
	alert('MysqlDown', scraped('db', 'mysql-exporter', 'mysql-exporter-6d8f9c7b5-xk2wz'), 'none', 'critical'),
	alert('MysqlSlowQueries', scraped('db', 'mysql-metrics', 'mysql-0', {}, { container: 'metrics' }), 'db/Pod/mysql-0'),
	alert(
		'RedisDown',
		scraped('cache', 'redis-exporter', 'prometheus-redis-exporter-6f7c9d8b5-zk4xw', {
			addr: 'redis://redis-master.cache.svc:6379',
		}),
		'cache/Service/redis-master',
		'critical',
	),
	alert('RedisDown', redisSidecar(), 'cache/Pod/redis-master-0', 'critical'),
	alert('RedisOutOfConfiguredMaxmemory', redisSidecar(), 'cache/Pod/redis-master-0'),
	alert('RedisMissingMaster', {}, 'none'),
	alert('MongodbDown', scraped('db', 'mongodb-exporter', 'mongodb-exporter-6c8f9d7b5-vx4kz'), 'none', 'critical'),
	alert(
		'MongodbReplicationLag',
		scraped('db', 'mongodb-metrics', 'mongodb-2', { set: 'rs0' }, { container: 'metrics' }),
		'db/Pod/mongodb-2',
	),
	alert(
		'ElasticsearchClusterRed',
		scraped('logging', 'elasticsearch-exporter', 'elasticsearch-exporter-6d8c9f7b5-kw2xz', {
			cluster: 'logs',
			color: 'red',
		}),
		'none',
		'critical',
	),
	alert(
		'ElasticsearchDiskSpaceLow',
		scraped('logging', 'elasticsearch-exporter', 'elasticsearch-exporter-6d8c9f7b5-kw2xz', {
			cluster: 'logs',
			host: '10.42.4.4',
			name: 'es-data-0',
		}),
		'none',
	),
	alert(
		'KafkaConsumersGroup',
		scraped('kafka', 'kafka-exporter', 'events-kafka-exporter-6c8d9f7b5-xw4kz', {
			consumergroup: 'orders',
			topic: 'orders',
		}),
		'none',
	),
	alert(
		'KafkaUnderReplicatedPartitions',
		podMonitored('kafka', 'kafka-resources-metrics', 'events-kafka-1', { topic: 'orders' }),
		'kafka/Pod/events-kafka-1',
	),
	alert(
		'CassandraNodeDown',
		scraped('db', 'cassandra-jmx', 'cassandra-0', {}, { container: 'jmx-exporter', job: 'jmx-exporter' }),
		'db/Pod/cassandra-0',
	),
	alert('RabbitmqMemoryHigh', rabbit(), 'queue/Pod/rabbitmq-server-1'),
	alert('RabbitmqQueueNotConsumed', rabbit({ queue: 'orders', vhost: '/' }), 'queue/Pod/rabbitmq-server-1'),
	alert('RabbitmqQueueNotConsumed', { namespace: 'queue', queue: 'orders' }, 'none'),
	alert(
		'NatsHighConnectionCount',
		scraped('queue', 'nats', 'nats-0', {}, { container: 'prom-exporter' }),
		'queue/Pod/nats-0',
	),
	alert(
		'MinioDiskOffline',
		scraped('storage', 'minio', 'minio-3', { server: 'minio-3.minio-hl.storage.svc.cluster.local:9000' }),
		'storage/Pod/minio-3',
	),
	alert(
		'MemcachedDown',
		scraped('cache', 'memcached', 'memcached-0', {}, { container: 'exporter' }),
		'cache/Pod/memcached-0',
	),
	alert(
		'VaultSealed',
		scraped('vault', 'vault-internal', 'vault-0', { cluster: 'vault-cluster-1b2c' }),
		'vault/Pod/vault-0',
	),
	alert(
		'PgbouncerErrors',
		scraped('db', 'pgbouncer-exporter', 'pgbouncer-exporter-6d9f8c7b5-wx2kz', { errmsg: 'server conn crashed' }),
		'none',
	),
	alert(
		'SnmpDeviceDown',
		{ ...scraped('monitoring', 'snmp-exporter', 'snmp-exporter-6c9d8f7b5-kx4wz'), instance: '10.9.0.2', job: 'snmp' },
		'none',
	),
	alert(
		'CloudwatchRdsCpu',
		scraped('monitoring', 'yace', 'yet-another-cloudwatch-exporter-6d9c8f7b5-xk2wz', {
			dimension_DBInstanceIdentifier: 'orders',
			region: 'eu-west-1',
		}),
		'none',
	),
	alert(
		'BackupJobStale',
		scraped('monitoring', 'pushgateway', 'prometheus-pushgateway-6f9d8c7b5-zx4kw', {
			instance: 'db-1',
			job: 'pg_backup',
		}),
		'none',
	),
];

export const PROBE_ALERTS: readonly CorpusAlert[] = [
	alert('BlackboxProbeFailed', blackbox('https://shop.example.com/health'), 'none', 'critical'),
	alert('BlackboxSlowProbe', blackbox('https://shop.example.com/health', { phase: 'connect' }), 'none'),
	alert(
		'BlackboxSslCertificateWillExpireSoon',
		{ instance: 'https://shop.example.com', job: 'blackbox', namespace: 'monitoring' },
		'none',
	),
	alert(
		'BlackboxProbeFailed',
		blackbox('http://cart.shop.svc.cluster.local:8080/healthz'),
		'shop/Service/cart',
		'critical',
	),
	alert(
		'BlackboxProbeFailed',
		{ ingress: 'web', instance: 'https://shop.example.com', job: 'blackbox-ingress', namespace: 'shop' },
		'shop/Ingress/web',
		'critical',
	),
	alert(
		'ProbeFailing',
		{ instance: 'http://payments.shop.svc:8080/ready', job: 'probe/monitoring/payments', namespace: 'monitoring' },
		'shop/Service/payments',
	),
	alert('EndpointDown', { instance: 'https://api.partner.example.com', job: 'external' }, 'none'),
	alert('IcmpProbeFailed', blackbox('10.9.0.1'), 'none'),
];

export const APPLICATION_ALERTS: readonly CorpusAlert[] = [
	alert('HighErrorRate', cart({ code: '500', handler: '/checkout', method: 'POST' }), CART_POD, 'critical'),
	alert('HighErrorRate', { namespace: 'shop', service: 'cart' }, 'shop/Service/cart', 'critical'),
	alert(
		'HighErrorRate',
		{ code: '500', job: 'cart', namespace: 'shop', service: 'cart' },
		'shop/Service/cart',
		'critical',
	),
	alert('HighLatency', cart({ quantile: '0.99', node: 'worker-3' }), CART_POD),
	alert('JvmMemoryFillingUp', cart({ application: 'cart', area: 'heap' }), CART_POD),
	alert('GoRoutineLeak', cart({}), CART_POD),
	alert('HighErrorRate', { app: 'cart', namespace: 'shop' }, 'none', 'critical'),
	alert('HighErrorRate', { instance: '10.42.1.17:8080', job: 'cart', namespace: 'shop' }, 'none', 'critical'),
	alert('SloBurnRate', { long: '1h', service: 'checkout', short: '5m', team: 'shop' }, 'none', 'critical'),
	alert(
		'CoreDNSErrorsHigh',
		scraped(
			'kube-system',
			'kps-kube-prometheus-stack-coredns',
			'coredns-6d8f9c7b5-wk4xz',
			{ rcode: 'SERVFAIL', server: 'dns://:53' },
			{ container: 'coredns', job: 'coredns' },
		),
		'kube-system/Pod/coredns-6d8f9c7b5-wk4xz',
	),
	alert(
		'CiliumAgentPolicyImportErrors',
		scraped('kube-system', 'cilium-agent', 'cilium-x7k2m', {}, { node: 'worker-3', container: 'cilium-agent' }),
		'kube-system/Pod/cilium-x7k2m',
	),
	alert('LokiRequestErrors', scraped('logging', 'loki', 'loki-write-0', { route: 'push' }), 'logging/Pod/loki-write-0'),
	alert('LokiProcessTooManyRestarts', { instance: '10.42.1.5:3100', job: 'loki' }, 'none'),
	alert(
		'ThanosCompactHalted',
		scraped('monitoring', 'thanos-compactor', 'thanos-compactor-0'),
		'monitoring/Pod/thanos-compactor-0',
	),
	alert(
		'GrafanaRequestsFailing',
		scraped(
			'monitoring',
			'kps-grafana',
			'kps-grafana-6d9f8c7b5-kz2xw',
			{ handler: '/api/ds/query', status_code: '500' },
			{ container: 'grafana', endpoint: 'http-web' },
		),
		'monitoring/Pod/kps-grafana-6d9f8c7b5-kz2xw',
	),
	alert(
		'PodLogErrors',
		{ app: 'cart', container: 'cart', job: 'shop/cart', namespace: 'shop', pod: 'cart-7d4b9c8f6-x2x8p' },
		CART_POD,
	),
	alert(
		'HighCpu',
		{ k8s_deployment_name: 'cart', k8s_namespace_name: 'shop', k8s_pod_name: 'cart-7d4b9c8f6-x2x8p' },
		'shop/Deployment/cart',
	),
	alert(
		'HighCpu',
		{ k8s_namespace_name: 'shop', k8s_node_name: 'worker-3', k8s_pod_name: 'redis-0' },
		'shop/Pod/redis-0',
	),
	alert('NodeHot', { k8s_node_name: 'worker-3' }, 'Node/worker-3'),
	alert(
		'AppDown',
		{
			app: 'cart',
			instance: '10.42.1.17:8080',
			job: 'kubernetes-pods',
			kubernetes_namespace: 'shop',
			kubernetes_pod_name: 'cart-7d4b9c8f6-x2x8p',
		},
		CART_POD,
	),
	alert(
		'ContainerKilled',
		{
			container_label_io_kubernetes_pod_name: 'redis-0',
			container_label_io_kubernetes_pod_namespace: 'shop',
			instance: 'worker-3:8080',
			job: 'cadvisor',
		},
		'shop/Pod/redis-0',
	),
	alert('InstanceDown', cart({}), CART_POD, 'critical'),
	alert(
		'PrometheusTargetMissing',
		scraped('cache', 'redis-exporter', 'redis-exporter-6f7c9d8b5-zk4xw'),
		'cache/Pod/redis-exporter-6f7c9d8b5-zk4xw',
		'critical',
	),
	alert(
		'DatasourceNoData',
		{ datasource_uid: 'P1', grafana_folder: 'Shop', ref_id: 'A', rulename: 'Cart errors' },
		'none',
	),
	alert('Cart errors', { grafana_folder: 'Shop', namespace: 'shop', deployment: 'cart' }, 'shop/Deployment/cart'),
	alert(
		'FalcoShellInContainer',
		{
			k8s_ns_name: 'shop',
			k8s_pod_name: 'cart-7d4b9c8f6-x2x8p',
			rule: 'Terminal shell in container',
			source: 'syscalls',
		},
		CART_POD,
	),
	alert('PodNameInvalid', { namespace: 'shop', pod: 'Not A Name' }, 'none'),
	alert('WeirdNamespace', { namespace: 'Not A Namespace', deployment: 'cart' }, 'none'),
	alert('NoLabels', {}, 'none'),
	alert('WatchtowerDown', { job: 'watchtower', instance: 'nas.example.com:8080' }, 'none'),
	alert(
		'PairIsBroken',
		scraped('keda', 'keda-operator', 'keda-operator-6d7f8b9c5-hx4jk', { namespace: 'shop' }),
		'none',
	),
	alert(
		'ExportedPair',
		scraped('monitoring', 'otel-collector', 'otel-collector-0', { namespace: 'shop', pod: 'cart-7d4b9c8f6-x2x8p' }),
		CART_POD,
	),
	alert(
		'ExportedPodWithoutNamespace',
		scraped('monitoring', 'otel-collector', 'otel-collector-0', { pod: 'cart-7d4b9c8f6-x2x8p' }),
		'none',
	),
];
