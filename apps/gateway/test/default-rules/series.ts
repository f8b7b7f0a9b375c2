// Series that make kube-prometheus-stack's default alerts fire, one bad thing of each sort. What is made up are the values;
// names and labels are those of the exporters.
import type { Exporter, Series } from './made-up-exporters.ts';

const NOW_S = Date.now() / 1000;
/** Counters: so much more with each second. */
const grows =
	(perSecond: number) =>
	(_: number, seconds: number): number =>
		seconds * perSecond;
const of = (labels: string, ...series: readonly (readonly [string, Series[2], string?])[]): Series[] =>
	series.map(([name, value, more]) => [name, more === undefined ? labels : `${labels},${more}`, value]);

const CART = 'namespace="shop",pod="cart-7d4b9c8f6-x2x8p",uid="1f"';
const DEPLOYMENT = 'namespace="shop",deployment="cart"';
const STATEFUL_SET = 'namespace="shop",statefulset="redis"';
const DAEMON_SET = 'namespace="logging",daemonset="fluent-bit"';
const quota = (type: string, name: string, value: number): Series => [
	'kube_resourcequota',
	`namespace="shop",resourcequota="${name}",resource="pods",type="${type}"`,
	value,
];

const KUBE_STATE: readonly Series[] = [
	...of(
		CART,
		['kube_pod_container_status_waiting_reason', 1, 'container="cart",reason="CrashLoopBackOff"'],
		['kube_pod_container_status_waiting_reason', 1, 'container="proxy",reason="CreateContainerConfigError"'],
		['kube_pod_status_phase', 1, 'phase="Pending"'],
		['kube_pod_owner', 1, 'owner_kind="ReplicaSet",owner_name="cart-7d4b9c8f6"'],
		['kube_pod_container_resource_requests', 100, 'container="cart",resource="cpu",unit="core"'],
		['kube_pod_container_resource_requests', 1e12, 'container="cart",resource="memory",unit="byte"'],
	),
	...of(
		DEPLOYMENT,
		['kube_deployment_status_observed_generation', 1],
		['kube_deployment_metadata_generation', 2],
		['kube_deployment_spec_replicas', 3],
		['kube_deployment_status_replicas_available', 1],
		['kube_deployment_status_replicas_updated', 3],
		['kube_deployment_status_condition', 1, 'condition="Progressing",status="false"'],
	),
	...of(
		STATEFUL_SET,
		['kube_statefulset_status_replicas_ready', 1],
		['kube_statefulset_replicas', 3],
		['kube_statefulset_status_replicas_updated', 1],
		['kube_statefulset_status_observed_generation', 1],
		['kube_statefulset_metadata_generation', 2],
		['kube_statefulset_status_current_revision', 1, 'revision="redis-1"'],
		['kube_statefulset_status_update_revision', 1, 'revision="redis-2"'],
	),
	...of(
		DAEMON_SET,
		['kube_daemonset_status_current_number_scheduled', 2],
		['kube_daemonset_status_desired_number_scheduled', 3],
		['kube_daemonset_status_number_misscheduled', 1],
		['kube_daemonset_status_updated_number_scheduled', 2],
		['kube_daemonset_status_number_available', 2],
	),
	...of(
		'namespace="shop",job_name="report"',
		['kube_job_status_start_time', NOW_S - 50_000],
		['kube_job_status_active', 1],
	),
	['kube_job_failed', 'namespace="shop",job_name="migrate",condition="true",reason="BackoffLimitExceeded"', 1],
	...of(
		'namespace="shop",horizontalpodautoscaler="cart"',
		['kube_horizontalpodautoscaler_status_desired_replicas', 5],
		['kube_horizontalpodautoscaler_status_current_replicas', 4],
		['kube_horizontalpodautoscaler_spec_min_replicas', 2],
		['kube_horizontalpodautoscaler_spec_max_replicas', 10],
	),
	...of(
		'namespace="shop",horizontalpodautoscaler="web"',
		['kube_horizontalpodautoscaler_status_current_replicas', 10],
		['kube_horizontalpodautoscaler_spec_min_replicas', 2],
		['kube_horizontalpodautoscaler_spec_max_replicas', 10],
	),
	...of(
		'namespace="shop",poddisruptionbudget="cart"',
		['kube_poddisruptionbudget_status_desired_healthy', 3],
		['kube_poddisruptionbudget_status_current_healthy', 1],
	),
	quota('hard', 'almost', 100),
	quota('used', 'almost', 95),
	quota('hard', 'full', 100),
	quota('used', 'full', 100),
	quota('hard', 'over', 100),
	quota('used', 'over', 120),
	['kube_resourcequota', 'namespace="shop",resourcequota="cpu",resource="cpu",type="hard"', 1000],
	['kube_resourcequota', 'namespace="shop",resourcequota="memory",resource="memory",type="hard"', 1e13],
	['kube_persistentvolume_status_phase', 'persistentvolume="pv-7",phase="Failed"', 1],
	...['worker-3', 'worker-4'].flatMap((node) =>
		of(
			`node="${node}"`,
			['kube_node_status_condition', 0, 'condition="Ready",status="true"'],
			['kube_node_status_condition', 1, 'condition="DiskPressure",status="true"'],
			['kube_node_spec_unschedulable', 0],
			['kube_node_status_allocatable', 4, 'resource="cpu",unit="core"'],
			['kube_node_status_allocatable', 8e9, 'resource="memory",unit="byte"'],
			['kube_node_status_capacity', 110, 'resource="pods",unit="integer"'],
			['kube_node_role', 1, 'role="control-plane"'],
			['kube_node_info', 1],
		),
	),
	['kube_node_spec_taint', 'node="worker-3",key="node.kubernetes.io/unreachable",effect="NoSchedule",value=""', 1],
	...of(
		'node="worker-5"',
		['kube_node_status_condition', (scrapes) => Math.floor(scrapes / 3) % 2, 'condition="Ready",status="true"'],
		['kube_node_spec_unschedulable', 0],
	),
	...['list', 'watch'].flatMap((what) =>
		of(
			'resource="*v1.Pod"',
			[`kube_state_metrics_${what}_total`, grows(1), 'result="error"'],
			[`kube_state_metrics_${what}_total`, grows(1), 'result="success"'],
		),
	),
	...of('', ['kube_state_metrics_total_shards', 4]),
	['kube_state_metrics_shard_ordinal', 'shard_ordinal="0"', 0],
	['kubernetes_build_info', 'git_version="v1.36.3"', 1],
];

const VOLUME = 'namespace="shop",persistentvolumeclaim="data-redis-0"';
const histogram = (name: string, labels: string): Series[] =>
	['10', '60', '600', '+Inf'].map(
		(le, index): Series => [
			`${name}_bucket`,
			`${labels}${labels === '' ? '' : ','}le="${le}"`,
			grows(index < 2 ? 0 : 5),
		],
	);

const KUBELET: readonly Series[] = [
	...of(
		VOLUME,
		['kubelet_volume_stats_available_bytes', (_, seconds) => 1e6 - seconds * 1000],
		['kubelet_volume_stats_capacity_bytes', 1e9],
		['kubelet_volume_stats_used_bytes', 9e8],
		['kubelet_volume_stats_inodes_free', (_, seconds) => 1e4 - seconds * 100],
		['kubelet_volume_stats_inodes', 1e6],
		['kubelet_volume_stats_inodes_used', 9e5],
	),
	['kubelet_running_pods', '', 120],
	['kubelet_node_name', 'node="worker-3"', 1],
	['kubelet_evictions', 'eviction_signal="memory.available"', grows(1)],
	...histogram('kubelet_pleg_relist_duration_seconds', ''),
	...histogram('kubelet_pod_worker_duration_seconds', 'operation_type="sync"'),
	['kubelet_certificate_manager_client_ttl_seconds', '', 3600],
	['kubelet_certificate_manager_server_ttl_seconds', '', 3600],
	['kubelet_certificate_manager_client_expiration_renew_errors', '', grows(1)],
	['kubelet_server_expiration_renew_errors', '', grows(1)],
	['kubernetes_build_info', 'git_version="v1.35.1"', 1],
];
const CADVISOR: readonly Series[] = of(
	'namespace="shop",pod="cart-7d4b9c8f6-x2x8p",container="cart",id="/kubepods/1f",image="cart:1",name="a1"',
	['container_cpu_cfs_throttled_periods_total', grows(9)],
	['container_cpu_cfs_periods_total', grows(10)],
);

const DISK = 'device="/dev/sda1",fstype="ext4",mountpoint="/"';
const NODE: readonly Series[] = [
	...of(
		DISK,
		['node_filesystem_avail_bytes', (_, seconds) => 1e6 - seconds * 1000],
		['node_filesystem_size_bytes', 1e9],
		['node_filesystem_readonly', 0],
		['node_filesystem_files_free', (_, seconds) => 1e4 - seconds * 100],
		['node_filesystem_files', 1e6],
	),
	...of(
		'device="eth0"',
		['node_network_receive_errs_total', grows(10)],
		['node_network_receive_packets_total', grows(20)],
		['node_network_transmit_errs_total', grows(10)],
		['node_network_transmit_packets_total', grows(20)],
		['node_network_up', (scrapes) => scrapes % 2],
	),
	['node_nf_conntrack_entries', '', 90],
	['node_nf_conntrack_entries_limit', '', 100],
	['node_textfile_scrape_error', '', 1],
	['node_timex_offset_seconds', '', (_, seconds) => 1 + seconds / 100],
	['node_timex_sync_status', '', 0],
	['node_timex_maxerror_seconds', '', 20],
	['node_md_disks_required', 'device="md0"', 2],
	['node_md_disks', 'device="md0",state="active"', 1],
	['node_md_disks', 'device="md0",state="failed"', 1],
	['node_filefd_allocated', '', 95],
	['node_filefd_maximum', '', 100],
	['node_cpu_seconds_total', 'cpu="0",mode="user"', grows(1000)],
	['node_cpu_seconds_total', 'cpu="0",mode="idle"', 1],
	['node_load1', '', 50],
	['node_vmstat_pgmajfault', '', grows(1e6)],
	['node_memory_MemAvailable_bytes', '', 1e8],
	['node_memory_MemTotal_bytes', '', 1e10],
	['node_disk_io_time_weighted_seconds_total', 'device="sda"', grows(1e4)],
	['node_systemd_unit_state', 'name="containerd.service",state="failed",type="notify"', 1],
	['node_systemd_service_restart_total', 'name="kubelet.service"', grows(1)],
	['node_bonding_slaves', 'master="bond0"', 2],
	['node_bonding_active', 'master="bond0"', 1],
];

const API_SERVER: readonly Series[] = [
	...['60', '+Inf'].map(
		(le): Series => ['apiserver_client_certificate_expiration_seconds_bucket', `le="${le}"`, grows(5)],
	),
	['apiserver_client_certificate_expiration_seconds_count', '', 10],
	['aggregator_unavailable_apiservice_total', 'name="v1beta1.metrics.k8s.io",reason="FailedDiscoveryCheck"', grows(1)],
	['aggregator_unavailable_apiservice', 'name="v1beta1.metrics.k8s.io"', 1],
	['apiserver_request_terminations_total', 'code="429"', grows(10)],
	...['GET', 'POST'].flatMap((verb) =>
		of(
			`verb="${verb}",subresource="",scope="resource"`,
			['apiserver_request_total', grows(10), 'code="500"'],
			['apiserver_request_sli_duration_seconds_count', grows(10)],
			...['1', '5', '30', '+Inf'].map(
				(le) => ['apiserver_request_sli_duration_seconds_bucket', grows(0.1), `le="${le}"`] as const,
			),
		),
	),
	...['namespace', 'cluster'].flatMap((scope) =>
		of(
			`verb="GET",subresource="",scope="${scope}"`,
			...['5', '30'].map((le) => ['apiserver_request_sli_duration_seconds_bucket', grows(0.1), `le="${le}"`] as const),
		),
	),
	['rest_client_requests_total', 'code="500"', grows(10)],
];

const etcdHistogram = (name: string, labels = ''): Series[] =>
	['0.001', '2', '8', '+Inf'].map(
		(le, index): Series => [
			`${name}_bucket`,
			`${labels}${labels === '' ? '' : ','}le="${le}"`,
			grows(index < 2 ? 0 : 10),
		],
	);
const ETCD: readonly Series[] = [
	['etcd_server_has_leader', '', 0],
	['etcd_server_leader_changes_seen_total', '', grows(1)],
	[
		'grpc_server_handled_total',
		'grpc_code="Unavailable",grpc_method="Range",grpc_service="etcdserverpb.KV",grpc_type="unary"',
		grows(10),
	],
	...etcdHistogram(
		'grpc_server_handling_seconds',
		'grpc_method="Range",grpc_service="etcdserverpb.KV",grpc_type="unary"',
	),
	...etcdHistogram('etcd_network_peer_round_trip_time_seconds', 'To="8e9e05c5"'),
	['etcd_network_peer_sent_failures_total', 'To="8e9e05c5"', grows(1)],
	['etcd_server_proposals_failed_total', '', grows(10_000)],
	...etcdHistogram('etcd_disk_wal_fsync_duration_seconds'),
	...etcdHistogram('etcd_disk_backend_commit_duration_seconds'),
	['etcd_mvcc_db_total_size_in_bytes', '', (_, seconds) => 2e9 + seconds * 1e6],
	['etcd_server_quota_backend_bytes', '', 2.05e9],
	['etcd_mvcc_db_total_size_in_use_in_bytes', '', 2e8],
];

const PROMETHEUS: readonly Series[] = [
	...[
		'prometheus_config_last_reload_successful',
		'reloader_last_reload_successful',
		'prometheus_notifications_alertmanagers_discovered',
	].map((name): Series => [name, '', 0]),
	...[
		'prometheus_sd_refresh_failures_total',
		'prometheus_sd_kubernetes_failures_total',
		'prometheus_tsdb_reloads_failures_total',
		'prometheus_tsdb_compactions_failed_total',
		'prometheus_target_scrapes_sample_duplicate_timestamp_total',
		'prometheus_target_scrapes_sample_out_of_order_total',
		'prometheus_target_scrape_pool_exceeded_target_limit_total',
		'prometheus_target_scrape_pool_exceeded_label_limits_total',
		'prometheus_target_scrapes_exceeded_body_size_limit_total',
		'prometheus_target_scrapes_exceeded_sample_limit_total',
	].map((name): Series => [name, '', grows(1)]),
	['prometheus_target_sync_failed_total', 'scrape_job="cart"', grows(1)],
	['prometheus_notifications_queue_length', '', (_, seconds) => 100 * seconds],
	['prometheus_notifications_queue_capacity', '', 1000],
	...of(
		'alertmanager="http://10.42.1.8:9093/api/v2/alerts"',
		['prometheus_notifications_errors_total', grows(5)],
		['prometheus_notifications_sent_total', grows(10)],
	),
	['prometheus_tsdb_head_samples_appended_total', 'type="float"', 0],
	['prometheus_rule_group_rules', 'rule_group="shop"', 3],
	['prometheus_target_metadata_cache_entries', 'scrape_job="cart"', 3],
	...of(
		'remote_name="mimir",url="https://mimir.example.com/push"',
		['prometheus_remote_storage_samples_failed_total', grows(5)],
		['prometheus_remote_storage_samples_total', grows(10)],
		['prometheus_remote_storage_failed_samples_total', grows(5)],
		['prometheus_remote_storage_succeeded_samples_total', grows(10)],
		['prometheus_remote_storage_queue_highest_sent_timestamp_seconds', NOW_S - 1000],
		['prometheus_remote_storage_queue_highest_timestamp_seconds', NOW_S],
		['prometheus_remote_storage_shards_desired', 300],
		['prometheus_remote_storage_shards_max', 200],
	),
	['prometheus_rule_evaluation_failures_total', 'rule_group="shop"', grows(1)],
	['prometheus_rule_group_iterations_missed_total', 'rule_group="shop"', grows(1)],
	['prometheus_engine_queries', '', 20],
	['prometheus_engine_queries_concurrent_max', '', 20],
];
const ALERTMANAGER: readonly Series[] = [
	['alertmanager_config_last_reload_successful', '', 0],
	['alertmanager_cluster_members', '', 0],
	['alertmanager_cluster_failed_peers', '', 1],
	...of(
		'integration="webhook"',
		['alertmanager_notifications_failed_total', grows(5), 'reason="serverError"'],
		['alertmanager_notifications_total', grows(10)],
	),
	['process_start_time_seconds', '', (_, seconds) => NOW_S + seconds],
];
const OPERATOR: readonly Series[] = [
	...['list_operations', 'watch_operations'].flatMap((what) =>
		of(
			'controller="prometheus"',
			[`prometheus_operator_${what}_failed_total`, grows(9)],
			[`prometheus_operator_${what}_total`, grows(10)],
		),
	),
	...of(
		'controller="prometheus"',
		['prometheus_operator_syncs', 1, 'status="failed"'],
		['prometheus_operator_reconcile_errors_total', grows(9)],
		['prometheus_operator_reconcile_operations_total', grows(10)],
		['prometheus_operator_status_update_errors_total', grows(9)],
		['prometheus_operator_status_update_operations_total', grows(10)],
		['prometheus_operator_ready', 0],
		['prometheus_operator_managed_resources', 1, 'state="rejected",resource="ServiceMonitor"'],
	),
	['prometheus_operator_node_address_lookup_errors_total', '', grows(1)],
];

const inMonitoring = (component: string, pod: string, container: string, endpoint: string, instance: string) => ({
	namespace: 'monitoring',
	service: `kps-${component}`,
	pod,
	container,
	endpoint,
	instance,
});
const inKubeSystem = (component: string, pod: string, instance: string) => ({
	namespace: 'kube-system',
	service: `kps-kube-prometheus-stack-${component}`,
	pod,
	container: component.replace('kube-etcd', 'etcd'),
	endpoint: 'http-metrics',
	instance,
});
const kubelet = {
	namespace: 'kube-system',
	service: 'kps-kube-prometheus-stack-kubelet',
	endpoint: 'https-metrics',
	instance: '10.0.0.33:10250',
	node: 'worker-3',
};

/** Of a kube-state-metrics pod: it has another name after a restart. */
export function kubeStateMetrics(pod: string, instance: string, series = KUBE_STATE): Exporter {
	return {
		job: 'kube-state-metrics',
		honorLabels: true,
		labels: inMonitoring('kube-state-metrics', pod, 'kube-state-metrics', 'http', instance),
		series,
	};
}

export const EXPORTERS: readonly Exporter[] = [
	kubeStateMetrics('kps-kube-state-metrics-58474dc949-6ngch', '10.42.2.101:8080'),
	{
		job: 'kube-state-metrics',
		honorLabels: true,
		labels: inMonitoring(
			'kube-state-metrics',
			'kps-kube-state-metrics-58474dc949-zpvs7',
			'kube-state-metrics',
			'http-shard',
			'10.42.2.102:8080',
		),
		series: of('', ['kube_state_metrics_total_shards', 2]),
	},
	{
		job: 'node-exporter',
		labels: inMonitoring(
			'prometheus-node-exporter',
			'kps-prometheus-node-exporter-w7bb7',
			'node-exporter',
			'http-metrics',
			'10.0.0.33:9100',
		),
		series: NODE,
	},
	{ job: 'kubelet', honorLabels: true, labels: { ...kubelet, metrics_path: '/metrics' }, series: KUBELET },
	{ job: 'kubelet', honorLabels: true, labels: { ...kubelet, metrics_path: '/metrics/cadvisor' }, series: CADVISOR },
	{
		job: 'kubelet',
		honorLabels: true,
		labels: { ...kubelet, metrics_path: '/metrics', node: 'worker-4', instance: '10.0.0.34:10250' },
	},
	{
		job: 'apiserver',
		labels: { namespace: 'default', service: 'kubernetes', endpoint: 'https', instance: '10.0.0.11:6443' },
		series: API_SERVER,
	},
	{
		job: 'apiserver',
		labels: { namespace: 'default', service: 'kubernetes', endpoint: 'https', instance: '10.0.0.12:6443' },
	},
	{ job: 'kube-etcd', labels: inKubeSystem('kube-etcd', 'etcd-control-1', '10.0.0.11:2381'), series: ETCD },
	{ job: 'kube-etcd', labels: inKubeSystem('kube-etcd', 'etcd-control-2', '10.0.0.12:2381') },
	{ job: 'kube-scheduler', labels: inKubeSystem('kube-scheduler', 'kube-scheduler-control-1', '10.0.0.11:10259') },
	{ job: 'kube-proxy', labels: inKubeSystem('kube-proxy', 'kube-proxy-5n8kx', '10.0.0.33:10249') },
	{
		job: 'kps-kube-prometheus-stack-prometheus',
		labels: inMonitoring(
			'kube-prometheus-stack-prometheus',
			'prometheus-kps-kube-prometheus-stack-prometheus-0',
			'prometheus',
			'http-web',
			'10.42.1.9:9090',
		),
		series: PROMETHEUS,
	},
	// Two that do not agree, and two that do not answer.
	...[0, 1, 2, 3].map(
		(ordinal): Exporter => ({
			job: 'kps-kube-prometheus-stack-alertmanager',
			labels: inMonitoring(
				'kube-prometheus-stack-alertmanager',
				`alertmanager-kps-kube-prometheus-stack-alertmanager-${ordinal}`,
				'alertmanager',
				'http-web',
				`10.42.1.${ordinal}:9093`,
			),
			...(ordinal < 2 ? { series: [...ALERTMANAGER, ['alertmanager_config_hash', '', ordinal] as const] } : {}),
		}),
	),
	{
		job: 'kps-kube-prometheus-stack-operator',
		labels: inMonitoring(
			'kube-prometheus-stack-operator',
			'kps-kube-prometheus-stack-operator-6d5c8f9b7-hjk2x',
			'kube-prometheus-stack',
			'https',
			'10.42.1.6:10250',
		),
		series: OPERATOR,
	},
];
