// Alerts as other distributions and operators send them, added last of all: 26 of 31 were right at first.
import { type CorpusAlert, ksm, kubelet, plain, podMonitored, scraped } from './scrapes.ts';

const CART = 'cart-7d4b9c8f6-x2x8p';
const rancherKsm = (metric = {}) =>
	ksm({
		pod: 'rancher-monitoring-kube-state-metrics-58474dc949-6ngch',
		service: 'rancher-monitoring-kube-state-metrics',
		namespace: 'cattle-monitoring-system',
		...metric,
	});
const pushProx = (component: string) =>
	scraped(
		'kube-system',
		`pushprox-${component}-client`,
		`pushprox-${component}-client-x2x8p`,
		{},
		{ component, job: component },
	);

export const DISTRIBUTION_ALERTS: readonly CorpusAlert[] = [
	plain(
		'KubePersistentVolumeErrors',
		rancherKsm({ persistentvolume: 'pv-7', phase: 'Failed' }),
		'PersistentVolume/pv-7',
	),
	plain(
		'KubeJobFailed',
		rancherKsm({ job_name: 'helm-install', namespace: 'kube-system' }),
		'kube-system/Job/helm-install',
	),
	plain('etcdNoLeader', pushProx('kube-etcd'), 'Node of kube-system/pushprox-kube-etcd-client-x2x8p'),
	plain(
		'HostDiskFull',
		scraped(
			'cattle-monitoring-system',
			'rancher-monitoring-prometheus-node-exporter',
			'rancher-monitoring-prometheus-node-exporter-w7bb7',
			{ mountpoint: '/' },
			{ job: 'node-exporter' },
		),
		'Node of cattle-monitoring-system/rancher-monitoring-prometheus-node-exporter-w7bb7',
	),
	plain('CniIpamErrors', podMonitored('kube-system', 'aws-cni', 'aws-node-x2x8p'), 'kube-system/Pod/aws-node-x2x8p'),
	plain(
		'FluentBitOutputErrors',
		scraped('logging', 'fluent-bit', 'fluent-bit-x2x8p', { name: 'es.0' }),
		'logging/Pod/fluent-bit-x2x8p',
	),
	plain(
		'PromtailFileLagging',
		podMonitored('logging', 'promtail', 'promtail-x2x8p', { filename: '/var/log/pods/a.log' }),
		'logging/Pod/promtail-x2x8p',
	),
	plain('LogErrors', { app: 'cart', detected_level: 'error', namespace: 'shop', pod: CART }, `shop/Pod/${CART}`),
	plain('TempoRequestErrors', { cluster: 'c', job: 'tempo/ingester', namespace: 'tempo' }, 'none'),
	plain('DeploymentPausedLong', { deployment: 'cart', label_team: 'shop', namespace: 'shop' }, 'shop/Deployment/cart'),
	plain('PodEvicted', ksm({ namespace: 'shop', pod: CART, reason: 'Evicted', uid: 'u' }), `shop/Pod/${CART}`),
	plain(
		'IngressClassUnknown',
		ksm({ controller: 'k8s.io/ingress-nginx', ingressclass: 'nginx' }),
		'IngressClass/nginx',
	),
	plain('WildcardRole', ksm({ clusterrole: 'everything' }), 'ClusterRole/everything'),
	plain('MysqlReplicationLag', podMonitored('db', 'mysql', 'mysql-0'), 'db/Pod/mysql-0'),
	plain(
		'PxcNodeNotSynced',
		scraped('db', 'pxc', 'cluster1-pxc-0', {}, { container: 'mysqld-exporter' }),
		'db/Pod/cluster1-pxc-0',
	),
	plain(
		'RedisMasterLinkDown',
		scraped('cache', 'rfr-redis', 'rfr-redis-0', {}, { container: 'redis-exporter' }),
		'cache/Pod/rfr-redis-0',
	),
	plain(
		'ProxySqlHostgroupDown',
		scraped('db', 'proxysql-exporter', 'proxysql-exporter-6d9f8c7b5-xk2wz', { hostgroup: '10' }),
		'none',
	),
	plain(
		'ArgoCdClusterConnectionLost',
		scraped('argocd', 'argocd-metrics', 'argocd-application-controller-0', {
			server: 'https://kubernetes.default.svc',
		}),
		'argocd/Pod/argocd-application-controller-0',
	),
	plain(
		'VirtHandlerRestErrors',
		{ ...scraped('kubevirt', 'kubevirt-prometheus-metrics', 'virt-handler-x2x8p'), node: 'worker-3' },
		'kubevirt/Pod/virt-handler-x2x8p',
	),
	plain(
		'CsiPluginErrors',
		scraped('rook-ceph', 'csi-metrics', 'csi-rbdplugin-x2x8p', { driver: 'rbd' }),
		'rook-ceph/Pod/csi-rbdplugin-x2x8p',
	),
	plain(
		'CephPersistentVolumeFull',
		kubelet({ namespace: 'shop', persistentvolumeclaim: 'data' }),
		'shop/PersistentVolumeClaim/data',
	),
	plain(
		'NodeAgentBackupErrors',
		podMonitored('velero', 'node-agents', 'node-agent-x2x8p', { node: 'worker-3' }),
		'velero/Pod/node-agent-x2x8p',
	),
	plain(
		'NamespaceCostHigh',
		scraped('kubecost', 'kubecost-cost-analyzer', 'kubecost-cost-analyzer-6d9f8c7b5-xk2wz', { namespace: 'shop' }),
		'none',
	),
	plain(
		'WindowsDiskFull',
		scraped('monitoring', 'windows-exporter', 'windows-exporter-x2x8p', { volume: 'C:' }),
		'Node of monitoring/windows-exporter-x2x8p',
	),
	plain(
		'MonitorDown',
		scraped('monitoring', 'uptime-kuma', 'uptime-kuma-0', {
			monitor_name: 'shop',
			monitor_url: 'https://shop.example.com',
		}),
		'none',
	),
	plain(
		'GatusEndpointDown',
		scraped('monitoring', 'gatus', 'gatus-6d9f8c7b5-xk2wz', { group: 'core', name: 'shop', type: 'HTTP' }),
		'none',
	),
	plain('PodsPending', { namespace: 'shop', phase: 'Pending' }, 'Namespace/shop'),
	plain(
		'ReplicasUnavailable',
		{ kube_deployment: 'cart', kube_namespace: 'shop', kube_cluster_name: 'c' },
		'shop/Deployment/cart',
	),
	plain(
		'ContainerRestarts',
		{ container_name: 'cart', namespace_name: 'shop', pod_name: CART, project_id: 'p' },
		`shop/Pod/${CART}`,
	),
	plain('NodeNotReady', { node_name: 'gke-1', project_id: 'p', location: 'a' }, 'Node/gke-1'),
	plain(
		'StatefulSetPartition',
		{ namespace: 'shop', statefulset: 'redis', revision: 'redis-5f6c7d8b9' },
		'shop/StatefulSet/redis',
	),
];
