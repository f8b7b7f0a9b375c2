// Pairs in which names only look alike, and pairs that differ in what a scrape adds: the node and the hash of the
// exporter's pod, the shard of kube-state-metrics, the API server that was asked.
import type { Pair } from './incidents.ts';
import { ksm, type Labels, podMonitored, scraped } from './scrapes.ts';

const crash = (pod: string, more: Labels = {}) => ({
	alertname: 'KubePodCrashLooping',
	...ksm({ container: 'app', namespace: 'shop', pod, uid: pod, ...more }),
});
const lag = (scrape: Labels, consumergroup = 'orders') => ({
	alertname: 'KafkaLag',
	consumergroup,
	topic: 'orders',
	...scrape,
});
const collected = (pod: string, instance: string) =>
	scraped('observability', 'otel-collector', pod, { job: 'shop/cart' }, { instance });
const onNode = (pod: string, node: string, instance: string) => ({
	instance,
	job: 'kafka-exporter',
	namespace: 'kafka',
	node,
	pod,
});
const byAnnotation = (pod: string, hash: string, instance: string) => ({
	app: 'kafka-exporter',
	instance,
	job: 'kubernetes-pods',
	kubernetes_namespace: 'kafka',
	kubernetes_pod_name: pod,
	pod_template_hash: hash,
});

export const FURTHER_PAIRS: readonly Pair[] = [
	{
		why: 'a Deployment and its canary',
		a: crash('cart-7d4b9c8f6-x2x8p'),
		b: crash('cart-canary-7d4b9c8f6-x2x8p'),
		want: 'two',
	},
	{
		why: 'a Deployment whose own name ends like a hash',
		a: crash('cart-bcdfgh-7d4b9c8f6-x2x8p'),
		b: crash('cart-7d4b9c8f6-x2x8p'),
		want: 'two',
	},
	{
		why: 'StatefulSets that an operator gives generated names',
		a: crash('orders-instance1-x2x8-0'),
		b: crash('orders-instance1-q7wk-0'),
		want: 'two',
	},
	{ why: 'two brokers of one Kafka', a: crash('events-kafka-0'), b: crash('events-kafka-1'), want: 'two' },
	{ why: 'two tries of one Job', a: crash('migrate-x2x8p'), b: crash('migrate-q7wkz'), want: 'one' },
	{ why: 'two Jobs of releases', a: crash('migrate-v12-x2x8p'), b: crash('migrate-v13-q7wkz'), want: 'two' },
	{
		why: 'a CronJob and a Job that was started from it by hand',
		a: crash('backup-29383200-x2x8p'),
		b: crash('backup-manual-001-q7wkz'),
		want: 'two',
	},
	{
		why: 'pods of a Deployment and of a StatefulSet of one name',
		a: crash('redis-7d4b9c8f6-x2x8p'),
		b: crash('redis-0'),
		want: 'two',
	},
	{
		why: 'one pod, seen by two shards of kube-state-metrics',
		a: crash('redis-0'),
		b: { ...crash('redis-0'), instance: '10.42.2.102:8080', service: 'kps-kube-state-metrics-1' },
		want: 'one',
	},
	{
		why: 'one consumer group, and the exporter moved to another node',
		a: lag(onNode('kafka-exporter-6c8d9f7b5-xw4kz', 'worker-1', '10.42.1.4:9308')),
		b: lag(onNode('kafka-exporter-6c8d9f7b5-q7wkz', 'worker-2', '10.42.2.9:9308')),
		want: 'one',
	},
	{
		why: 'one consumer group, and the exporter was updated, with the labels of its pod',
		a: lag(byAnnotation('kafka-exporter-6c8d9f7b5-xw4kz', '6c8d9f7b5', '10.42.1.4:9308')),
		b: lag(byAnnotation('kafka-exporter-5f6c7d8b9-q7wkz', '5f6c7d8b9', '10.42.2.9:9308')),
		want: 'one',
	},
	{
		why: 'two consumer groups of one exporter on one node',
		a: lag(onNode('kafka-exporter-6c8d9f7b5-xw4kz', 'worker-1', '10.42.1.4:9308')),
		b: lag(onNode('kafka-exporter-6c8d9f7b5-xw4kz', 'worker-1', '10.42.1.4:9308'), 'mails'),
		want: 'two',
	},
	...['5432', '9200', '161'].map((port): Pair => {
		const of = (host: string) => ({
			alertname: 'Down',
			...scraped('m', 'many-exporter', 'many-exporter-6c8d9f7b5-xw4kz'),
			instance: `${host}:${port}`,
		});
		return {
			why: `two addresses of port ${port}, measured by one exporter`,
			a: of('10.0.7.4'),
			b: of('10.0.7.5'),
			want: 'two',
		};
	}),
	{
		why: 'services on two machines of Consul, measured by one exporter',
		a: {
			alertname: 'ConsulDown',
			...scraped('m', 'consul-exporter', 'consul-exporter-6c8d9f7b5-xw4kz', { node: 'db-1' }),
		},
		b: {
			alertname: 'ConsulDown',
			...scraped('m', 'consul-exporter', 'consul-exporter-6c8d9f7b5-xw4kz', { node: 'db-2' }),
		},
		want: 'two',
	},
	{
		why: 'one APIService, seen by two API servers',
		a: { alertname: 'KubeAggregatedAPIErrors', instance: '10.0.0.11:6443', name: 'v1beta1.metrics.k8s.io' },
		b: { alertname: 'KubeAggregatedAPIErrors', instance: '10.0.0.12:6443', name: 'v1beta1.metrics.k8s.io' },
		want: 'one',
	},
	{
		why: 'targets of two Services are down',
		a: { alertname: 'TargetDown', job: 'cart', namespace: 'shop', service: 'cart' },
		b: { alertname: 'TargetDown', job: 'web', namespace: 'shop', service: 'web' },
		want: 'two',
	},
	{
		why: 'two GPUs of one node',
		a: {
			alertname: 'GpuXidError',
			...scraped('gpu', 'dcgm-exporter', 'dcgm-exporter-7hq5k', { Hostname: 'gpu-1', gpu: '0' }),
		},
		b: {
			alertname: 'GpuXidError',
			...scraped('gpu', 'dcgm-exporter', 'dcgm-exporter-7hq5k', { Hostname: 'gpu-1', gpu: '1' }),
		},
		want: 'one',
	},
	{
		why: 'two applications of one controller, one of them sharded away',
		a: {
			alertname: 'ArgoCdAppUnhealthy',
			...scraped('argocd', 'argocd-metrics', 'argocd-application-controller-0', {
				name: 'cart',
				namespace: 'argocd',
				project: 'p',
			}),
		},
		b: {
			alertname: 'ArgoCdAppUnhealthy',
			...scraped('argocd', 'argocd-metrics', 'argocd-application-controller-1', {
				name: 'cart',
				namespace: 'argocd',
				project: 'p',
			}),
		},
		want: 'one',
	},
	{
		why: 'one node pool, with and without the pod that measured it',
		a: { alertname: 'KarpenterNodePoolNearCapacity', job: 'karpenter', namespace: 'karpenter', nodepool: 'general' },
		b: { alertname: 'KarpenterNodePoolNearCapacity', nodepool: 'general' },
		want: 'one',
	},
	{
		why: 'two databases of two exporters that are scraped by name',
		a: { alertname: 'PostgresqlDown', instance: 'orders-exporter.db.svc:9187', job: 'postgres' },
		b: { alertname: 'PostgresqlDown', instance: 'mails-exporter.db.svc:9187', job: 'postgres' },
		want: 'two',
	},
	{
		why: 'one broker, scraped by a PodMonitor and named by its label',
		a: {
			alertname: 'KafkaOffline',
			...podMonitored('kafka', 'kafka', 'events-kafka-1', { kubernetes_pod_name: 'events-kafka-1' }),
		},
		b: { alertname: 'KafkaOffline', namespace: 'kafka', pod: 'events-kafka-1' },
		want: 'one',
	},
	{
		why: 'one relayed error, the collector restarted',
		a: { alertname: 'CartErrors', ...collected('otel-collector-6d5c8f7b9-xz42k', '10.42.1.9:8889') },
		b: { alertname: 'CartErrors', ...collected('otel-collector-6d5c8f7b9-kk42k', '10.42.3.7:8889') },
		want: 'one',
	},
	{
		why: 'two objects of one namespace, named by a label that the tables do not know',
		a: { alertname: 'MachineNotReady', ...ksm({ namespace: 'capi', machine: 'a', prometheus: 'monitoring/kps' }) },
		b: { alertname: 'MachineNotReady', ...ksm({ namespace: 'capi', machine: 'b', prometheus: 'monitoring/kps' }) },
		want: 'two',
	},
	{
		why: 'two Services of one namespace have no address',
		a: { alertname: 'ServiceWithoutAddress', ...ksm({ namespace: 'shop', service: 'cart', uid: 'a' }) },
		b: { alertname: 'ServiceWithoutAddress', ...ksm({ namespace: 'shop', service: 'web', uid: 'b' }) },
		want: 'two',
	},
	{
		why: 'two namespaces terminate',
		a: { alertname: 'NamespaceTerminating', ...ksm({ namespace: 'a', phase: 'Terminating' }) },
		b: { alertname: 'NamespaceTerminating', ...ksm({ namespace: 'b', phase: 'Terminating' }) },
		want: 'two',
	},
];
