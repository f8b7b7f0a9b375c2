// Pairs of signals: one incident or two? Judged from what a person on call would call one problem, for one repair.
import { ksm, kubelet, type Labels, nodeExporter, scraped } from './scrapes.ts';

export type Pair = { readonly why: string; readonly a: Labels; readonly b: Labels; readonly want: 'one' | 'two' };

const pod = (name: string, alertname = 'KubePodCrashLooping', more: Labels = {}) => ({
	alertname,
	severity: 'warning',
	...ksm({ container: 'cart', namespace: 'shop', pod: name, reason: 'CrashLoopBackOff', uid: name, ...more }),
});
const node = (name: string, ksmPod: string, more: Labels = {}) => ({
	alertname: 'KubeNodeNotReady',
	...ksm({ condition: 'Ready', node: name, status: 'true', pod: ksmPod, ...more }),
});
const disk = (more: Labels) => ({
	alertname: 'NodeFilesystemAlmostOutOfSpace',
	severity: 'warning',
	...nodeExporter({ device: '/dev/sda1', mountpoint: '/', ...more }),
});
/** 56 characters: with a hyphen and the first letter of a hash 58, as many as the API server keeps. */
const LONG = 'a-very-long-name-of-a-deployment-that-a-person-has-chose';
const KSM_OLD = 'kps-kube-state-metrics-58474dc949-6ngch';
const KSM_NEW = 'kps-kube-state-metrics-58474dc949-zpvs7';

export const PAIRS: readonly Pair[] = [
	{
		why: 'two pods of one Deployment crash',
		a: pod('cart-7d4b9c8f6-x2x8p'),
		b: pod('cart-7d4b9c8f6-q7wkz'),
		want: 'one',
	},
	{
		why: 'a pod is replaced by a roll-out',
		a: pod('cart-7d4b9c8f6-x2x8p'),
		b: pod('cart-5f6c7d8b9-n4xwk'),
		want: 'one',
	},
	{
		why: 'pods of two Deployments crash',
		a: pod('cart-7d4b9c8f6-x2x8p'),
		b: pod('checkout-7d4b9c8f6-x2x8p'),
		want: 'two',
	},
	{
		why: 'one name, two namespaces',
		a: pod('cart-7d4b9c8f6-x2x8p'),
		b: pod('cart-7d4b9c8f6-x2x8p', 'KubePodCrashLooping', { namespace: 'shop-test' }),
		want: 'two',
	},
	{ why: 'two pods of one StatefulSet', a: pod('redis-0'), b: pod('redis-1'), want: 'two' },
	{
		why: 'one pod of a StatefulSet, started again',
		a: pod('redis-0', 'KubePodCrashLooping', { uid: '1' }),
		b: pod('redis-0', 'KubePodCrashLooping', { uid: '2' }),
		want: 'one',
	},
	{ why: 'two pods of one DaemonSet', a: pod('fluent-bit-x2x8p'), b: pod('fluent-bit-q7wkz'), want: 'one' },
	{ why: 'pods of two DaemonSets', a: pod('fluent-bit-x2x8p'), b: pod('falco-x2x8p'), want: 'two' },
	{ why: 'two runs of one CronJob', a: pod('backup-29383200-x2x8p'), b: pod('backup-29384640-q7wkz'), want: 'one' },
	{
		why: 'two Jobs of one CronJob',
		a: { alertname: 'KubeJobFailed', ...ksm({ job_name: 'backup-29383200', namespace: 'shop' }) },
		b: { alertname: 'KubeJobFailed', ...ksm({ job_name: 'backup-29384640', namespace: 'shop' }) },
		want: 'one',
	},
	{
		why: 'two Jobs that a person named',
		a: { alertname: 'KubeJobFailed', ...ksm({ job_name: 'migrate-1', namespace: 'shop' }) },
		b: { alertname: 'KubeJobFailed', ...ksm({ job_name: 'migrate-2', namespace: 'shop' }) },
		want: 'two',
	},
	{
		why: 'numbers of eight digits that are no time',
		a: pod('tenant-12345678'),
		b: pod('tenant-87654321'),
		want: 'two',
	},
	{
		why: 'two containers of one pod',
		a: pod('cart-7d4b9c8f6-x2x8p'),
		b: pod('cart-7d4b9c8f6-x2x8p', 'KubePodCrashLooping', { container: 'proxy' }),
		want: 'one',
	},
	{
		why: 'two problems of one pod',
		a: pod('cart-7d4b9c8f6-x2x8p'),
		b: pod('cart-7d4b9c8f6-x2x8p', 'KubePodNotReady'),
		want: 'two',
	},
	{ why: 'names that only look generated: vowels', a: pod('cart-blue-abcde'), b: pod('cart-blue-edcba'), want: 'two' },
	{ why: 'a long name, cut by the API server', a: pod(`${LONG}-7x2x8p`), b: pod(`${LONG}-5q7wkz`), want: 'one' },
	{
		why: 'two StatefulSet pods with names of 63 characters',
		a: pod(`${'s'.repeat(61)}-0`),
		b: pod(`${'s'.repeat(61)}-1`),
		want: 'two',
	},
	{ why: 'two nodes are down', a: node('worker-3', KSM_OLD), b: node('worker-4', KSM_OLD), want: 'two' },
	{
		why: 'one node is down, and kube-state-metrics was restarted',
		a: node('worker-3', KSM_OLD),
		b: node('worker-3', KSM_NEW, { instance: '10.42.2.7:8080' }),
		want: 'one',
	},
	{ why: 'one disk, two severities', a: disk({}), b: { ...disk({}), severity: 'critical' }, want: 'one' },
	{
		why: 'two file systems of one node',
		a: disk({}),
		b: disk({ device: '/dev/sdb1', mountpoint: '/data' }),
		want: 'one',
	},
	{
		why: 'disks of two nodes',
		a: disk({}),
		b: disk({ instance: '10.0.0.34:9100', pod: 'kps-prometheus-node-exporter-kpfcc' }),
		want: 'two',
	},
	{
		why: 'one node, and its exporter was restarted',
		a: disk({}),
		b: disk({ pod: 'kps-prometheus-node-exporter-kpfcc' }),
		want: 'one',
	},
	{
		why: 'two volumes of one namespace',
		a: { alertname: 'F', ...kubelet({ namespace: 'shop', persistentvolumeclaim: 'data-redis-0' }) },
		b: { alertname: 'F', ...kubelet({ namespace: 'shop', persistentvolumeclaim: 'data-redis-1' }) },
		want: 'two',
	},
	{
		why: 'one volume, moved to another node',
		a: { alertname: 'F', ...kubelet({ namespace: 'shop', persistentvolumeclaim: 'data' }) },
		b: {
			alertname: 'F',
			...kubelet({ namespace: 'shop', persistentvolumeclaim: 'data', node: 'worker-4', instance: '10.0.0.34:10250' }),
		},
		want: 'one',
	},
	{
		why: 'quotas of two namespaces',
		a: { alertname: 'Q', ...ksm({ namespace: 'shop', resourcequota: 'compute', resource: 'pods' }) },
		b: { alertname: 'Q', ...ksm({ namespace: 'blog', resourcequota: 'compute', resource: 'pods' }) },
		want: 'two',
	},
	{
		why: 'two resources of one quota',
		a: { alertname: 'Q', ...ksm({ namespace: 'shop', resourcequota: 'compute', resource: 'pods' }) },
		b: { alertname: 'Q', ...ksm({ namespace: 'shop', resourcequota: 'compute', resource: 'requests.cpu' }) },
		want: 'one',
	},
	{
		why: 'one burn rate in two windows',
		a: { alertname: 'KubeAPIErrorBudgetBurn', severity: 'critical', long: '1h', short: '5m' },
		b: { alertname: 'KubeAPIErrorBudgetBurn', severity: 'warning', long: '3d', short: '6h' },
		want: 'one',
	},
	{
		why: 'a pair of Prometheus servers',
		a: { alertname: 'QueueFull', queue: 'orders', prometheus_replica: 'prometheus-0' },
		b: { alertname: 'QueueFull', queue: 'orders', prometheus_replica: 'prometheus-1' },
		want: 'one',
	},
	{
		why: 'a pair of servers behind Thanos',
		a: { alertname: 'QueueFull', queue: 'orders', replica: 'a' },
		b: { alertname: 'QueueFull', queue: 'orders', replica: 'b' },
		want: 'one',
	},
	{
		why: 'two queues',
		a: { alertname: 'QueueFull', queue: 'orders' },
		b: { alertname: 'QueueFull', queue: 'mails' },
		want: 'two',
	},
	{
		why: 'an application that goes from Unknown to OutOfSync',
		a: { alertname: 'ArgoCdAppOutOfSync', name: 'cart', project: 'p', dest_server: 's', sync_status: 'Unknown' },
		b: { alertname: 'ArgoCdAppOutOfSync', name: 'cart', project: 'p', dest_server: 's', sync_status: 'OutOfSync' },
		want: 'one',
	},
	{
		why: 'two applications out of sync',
		a: { alertname: 'ArgoCdAppOutOfSync', name: 'cart', project: 'p', dest_server: 's' },
		b: { alertname: 'ArgoCdAppOutOfSync', name: 'web', project: 'p', dest_server: 's' },
		want: 'two',
	},
	{
		why: 'an alert that is routed to another team',
		a: { alertname: 'QueueFull', queue: 'orders', team: 'shop' },
		b: { alertname: 'QueueFull', queue: 'orders', team: 'platform' },
		want: 'one',
	},
	{
		why: 'two probed addresses',
		a: { alertname: 'ProbeFailed', job: 'blackbox', instance: 'https://a.example.com' },
		b: { alertname: 'ProbeFailed', job: 'blackbox', instance: 'https://b.example.com' },
		want: 'two',
	},
	{
		why: 'one probed address, and the prober was restarted',
		a: {
			alertname: 'ProbeFailed',
			...scraped('m', 'blackbox-exporter', 'blackbox-exporter-6c9f5d7b8-qw4kz'),
			instance: 'https://a.example.com',
		},
		b: {
			alertname: 'ProbeFailed',
			...scraped('m', 'blackbox-exporter', 'blackbox-exporter-6c9f5d7b8-zx4kw'),
			instance: 'https://a.example.com',
		},
		want: 'one',
	},
	{
		why: 'two databases behind one exporter',
		a: {
			alertname: 'PostgresqlDown',
			...scraped('db', 'postgres-exporter', 'postgres-exporter-5b8d7c9f4-t7rkx', { server: 'a.example.com:5432' }),
		},
		b: {
			alertname: 'PostgresqlDown',
			...scraped('db', 'postgres-exporter', 'postgres-exporter-5b8d7c9f4-t7rkx', { server: 'b.example.com:5432' }),
		},
		want: 'two',
	},
	{
		why: 'one database, and its exporter was restarted',
		a: {
			alertname: 'PostgresqlDown',
			...scraped('db', 'postgres-exporter', 'postgres-exporter-5b8d7c9f4-t7rkx', { server: 'a.example.com:5432' }),
		},
		b: {
			alertname: 'PostgresqlDown',
			...scraped(
				'db',
				'postgres-exporter',
				'postgres-exporter-5b8d7c9f4-q7wkz',
				{ server: 'a.example.com:5432' },
				{ instance: '10.42.9.9:8080' },
			),
		},
		want: 'one',
	},
	{
		why: 'two ingresses of one controller',
		a: {
			alertname: 'I',
			...scraped('ingress-nginx', 'controller', 'controller-6b7f8c9d5-zk4xw', { namespace: 'shop', ingress: 'web' }),
		},
		b: {
			alertname: 'I',
			...scraped('ingress-nginx', 'controller', 'controller-6b7f8c9d5-zk4xw', { namespace: 'shop', ingress: 'api' }),
		},
		want: 'two',
	},
	{
		why: 'one ingress, seen by two pods of the controller',
		a: {
			alertname: 'I',
			...scraped('ingress-nginx', 'controller', 'controller-6b7f8c9d5-zk4xw', { namespace: 'shop', ingress: 'web' }),
		},
		b: {
			alertname: 'I',
			...scraped(
				'ingress-nginx',
				'controller',
				'controller-6b7f8c9d5-q7wkz',
				{ namespace: 'shop', ingress: 'web' },
				{ instance: '10.42.9.9:8080' },
			),
		},
		want: 'one',
	},
	{
		why: 'a kind that is spelled in two ways',
		a: { alertname: 'R', resource_kind: 'ROLLOUT', resource_name: 'r', namespace: 'n' },
		b: { alertname: 'R', resource_kind: 'Rollout', resource_name: 'r', namespace: 'n' },
		want: 'one',
	},
	{
		why: 'a Deployment, seen by its label and by its pod',
		a: { alertname: 'HighCpu', namespace: 'shop', deployment: 'cart' },
		b: { alertname: 'HighCpu', namespace: 'shop', pod: 'cart-7d4b9c8f6-x2x8p' },
		want: 'one',
	},
	{
		why: 'ReplicaSets of one Deployment',
		a: { alertname: 'M', ...ksm({ namespace: 'shop', replicaset: 'cart-7d4b9c8f6' }) },
		b: { alertname: 'M', ...ksm({ namespace: 'shop', replicaset: 'cart-5f6c7d8b9' }) },
		want: 'one',
	},
	{
		why: 'two clusters, of which none is ours',
		a: { alertname: 'HighCpu', namespace: 'shop', deployment: 'cart', cluster: 'a' },
		b: { alertname: 'HighCpu', namespace: 'shop', deployment: 'cart', cluster: 'b' },
		want: 'two',
	},
];
