// Alerts of the default rules about the monitoring itself, and of node-exporter.
import { alert, type CorpusAlert, ITS_NODE, type Labels, nodeExporter, scraped } from './scrapes.ts';

const PROMETHEUS = 'prometheus-kps-kube-prometheus-stack-prometheus-0';
const prometheus = (metric: Labels = {}) =>
	scraped('monitoring', 'kps-kube-prometheus-stack-prometheus', PROMETHEUS, metric, {
		container: 'prometheus',
		endpoint: 'http-web',
		instance: '10.42.1.9:9090',
	});
const AM = 'alertmanager-kps-kube-prometheus-stack-alertmanager-0';
const alertmanager = (metric: Labels = {}) =>
	scraped('monitoring', 'kps-kube-prometheus-stack-alertmanager', AM, metric, {
		container: 'alertmanager',
		endpoint: 'http-web',
		instance: '10.42.1.8:9093',
	});
const amService = { namespace: 'monitoring', service: 'kps-kube-prometheus-stack-alertmanager' };
const AM_SERVICE = 'monitoring/Service/kps-kube-prometheus-stack-alertmanager';
const operator = (metric: Labels = {}) =>
	scraped(
		'monitoring',
		'kps-kube-prometheus-stack-operator',
		'kps-kube-prometheus-stack-operator-6d5c8f9b7-hjk2x',
		metric,
		{ container: 'kube-prometheus-stack', endpoint: 'https' },
	);
const OPERATOR_POD = 'monitoring/Pod/kps-kube-prometheus-stack-operator-6d5c8f9b7-hjk2x';

export const MONITORING_ALERTS: readonly CorpusAlert[] = [
	...(
		[
			['PrometheusBadConfig', {}],
			['PrometheusSDRefreshFailure', { mechanism: 'kubernetes', config: 'serviceMonitor/shop/cart/0' }],
			['PrometheusKubernetesListWatchFailures', {}],
			['PrometheusNotificationQueueRunningFull', {}],
			['PrometheusErrorSendingAlertsToSomeAlertmanagers', { alertmanager: 'http://10.42.1.8:9093/api/v2/alerts' }],
			['PrometheusNotConnectedToAlertmanagers', {}],
			['PrometheusTSDBReloadsFailing', {}],
			['PrometheusTSDBCompactionsFailing', {}],
			['PrometheusNotIngestingSamples', {}],
			['PrometheusDuplicateTimestamps', {}],
			['PrometheusOutOfOrderTimestamps', {}],
			['PrometheusRemoteStorageFailures', { remote_name: 'mimir', url: 'https://mimir.example.com/api/v1/push' }],
			['PrometheusRemoteWriteBehind', { remote_name: 'mimir', url: 'http://mimir-nginx.mimir.svc/api/v1/push' }],
			['PrometheusRemoteWriteDesiredShards', { remote_name: 'mimir', url: 'https://mimir.example.com/api/v1/push' }],
			['PrometheusRuleFailures', { rule_group: '/etc/prometheus/rules/shop.yaml;shop' }],
			['PrometheusMissingRuleEvaluations', { rule_group: '/etc/prometheus/rules/shop.yaml;shop' }],
			['PrometheusTargetLimitHit', {}],
			['PrometheusLabelLimitHit', {}],
			['PrometheusScrapeBodySizeLimitHit', {}],
			['PrometheusScrapeSampleLimitHit', {}],
			['PrometheusTargetSyncFailure', { scrape_job: 'serviceMonitor/shop/cart/0' }],
			['PrometheusHighQueryLoad', {}],
			['PrometheusErrorSendingAlertsToAnyAlertmanager', {}],
		] as const
	).map(([name, metric]) => alert(name, prometheus(metric), `monitoring/Pod/${PROMETHEUS}`)),
	alert('AlertmanagerFailedReload', alertmanager(), `monitoring/Pod/${AM}`, 'critical'),
	alert('AlertmanagerMembersInconsistent', alertmanager(), `monitoring/Pod/${AM}`, 'critical'),
	alert(
		'AlertmanagerFailedToSendAlerts',
		alertmanager({ integration: 'webhook', reason: 'serverError' }),
		`monitoring/Pod/${AM}`,
	),
	alert('AlertmanagerClusterFailedPeers', alertmanager(), `monitoring/Pod/${AM}`),
	alert('AlertmanagerClusterFailedToSendAlerts', { ...amService, integration: 'webhook' }, AM_SERVICE, 'critical'),
	alert('AlertmanagerConfigInconsistent', amService, AM_SERVICE, 'critical'),
	alert('AlertmanagerClusterDown', amService, AM_SERVICE, 'critical'),
	alert('AlertmanagerClusterCrashlooping', amService, AM_SERVICE, 'critical'),
	alert('ConfigReloaderSidecarErrors', prometheus({}), `monitoring/Pod/${PROMETHEUS}`),
	alert('PrometheusOperatorListErrors', { controller: 'prometheus', namespace: 'monitoring' }, 'none'),
	alert('PrometheusOperatorWatchErrors', { controller: 'prometheus', namespace: 'monitoring' }, 'none'),
	alert('PrometheusOperatorSyncFailed', operator({ controller: 'prometheus', status: 'failed' }), OPERATOR_POD),
	alert('PrometheusOperatorReconcileErrors', { controller: 'prometheus', namespace: 'monitoring' }, 'none'),
	alert('PrometheusOperatorNodeLookupErrors', operator(), OPERATOR_POD),
	alert(
		'PrometheusOperatorRejectedResources',
		operator({ controller: 'prometheus', resource: 'ServiceMonitor', state: 'rejected' }),
		OPERATOR_POD,
	),
];

const disk = { device: '/dev/sdb1', fstype: 'ext4', mountpoint: '/mnt/longhorn' };

export const HOST_ALERTS: readonly CorpusAlert[] = [
	...(
		[
			['NodeFilesystemSpaceFillingUp', disk],
			['NodeFilesystemAlmostOutOfSpace', disk],
			['NodeFilesystemFilesFillingUp', disk],
			['NodeFilesystemAlmostOutOfFiles', disk],
			['NodeNetworkReceiveErrs', { device: 'eth0' }],
			['NodeNetworkTransmitErrs', { device: 'eth0' }],
			['NodeHighNumberConntrackEntriesUsed', {}],
			['NodeTextFileCollectorScrapeError', {}],
			['NodeClockSkewDetected', {}],
			['NodeClockNotSynchronising', {}],
			['NodeRAIDDegraded', { device: 'md0' }],
			['NodeRAIDDiskFailure', { device: 'md0', state: 'failed' }],
			['NodeFileDescriptorLimit', {}],
			['NodeCPUHighUsage', {}],
			['NodeSystemSaturation', {}],
			['NodeMemoryMajorPagesFaults', {}],
			['NodeMemoryHighUtilization', {}],
			['NodeDiskIOSaturation', { device: 'sda' }],
			['NodeSystemdServiceFailed', { name: 'containerd.service', state: 'failed', type: 'notify' }],
			['NodeSystemdServiceCrashlooping', { name: 'kubelet.service', type: 'simple' }],
			['NodeBondingDegraded', { master: 'bond0' }],
			['NodeNetworkInterfaceFlapping', { device: 'eth0' }],
		] as const
	).map(([name, metric]) => alert(name, nodeExporter(metric), ITS_NODE)),
	// kube-prometheus puts the node's name into instance, others add it as a label or join it.
	alert(
		'NodeFilesystemSpaceFillingUp',
		nodeExporter({
			...disk,
			container: 'kube-rbac-proxy',
			endpoint: 'https',
			instance: 'master03',
			pod: 'node-exporter-thvjc',
			service: 'node-exporter',
		}),
		'Node/master03',
	),
	alert('NodeMemoryHighUtilization', nodeExporter({ node: 'worker-3' }), 'Node/worker-3'),
	alert('HostOutOfMemory', nodeExporter({ nodename: 'worker-3' }), 'Node/worker-3'),
	alert('HostHighCpuLoad', { instance: '10.0.0.33:9100', nodename: 'worker-3' }, 'Node/worker-3'),
	alert('HostHighCpuLoad', { instance: '10.0.0.33:9100' }, 'Node at 10.0.0.33'),
	alert('HostOutOfDiskSpace', { ...disk, instance: '10.0.0.10:9100', job: 'node-exporter' }, 'Node at 10.0.0.10'),
	alert(
		'HostOutOfInodes',
		{ ...disk, instance: 'worker-3.example.com:9100', job: 'node' },
		'Node at worker-3.example.com',
	),
	alert(
		'HostUnusualNetworkThroughputIn',
		{
			device: 'eth0',
			instance: '10.0.0.33:9100',
			job: 'kubernetes-service-endpoints',
			namespace: 'monitoring',
			pod: 'prometheus-node-exporter-8sk4d',
			service: 'prometheus-node-exporter',
			node: 'worker-3',
		},
		'Node/worker-3',
	),
	alert('HostSystemdServiceCrashed', nodeExporter({ name: 'docker.service', state: 'failed' }), ITS_NODE),
	alert(
		'HostKernelVersionDeviations',
		{ instance: '10.0.0.33:9100', nodename: 'worker-3', release: '6.1.0' },
		'Node/worker-3',
	),
	alert('WindowsServerCpuUsage', { instance: '10.0.0.51:9182' }, 'Node at 10.0.0.51'),
	alert(
		'SmartDeviceTemperatureWarning',
		scraped('monitoring', 'smartctl-exporter', 'smartctl-exporter-0-9xk2m', { device: 'nvme0' }),
		'Node of monitoring/smartctl-exporter-0-9xk2m',
	),
	alert(
		'NodeProblemKernelDeadlock',
		scraped('kube-system', 'node-problem-detector', 'node-problem-detector-vx5wq', {
			reason: 'DockerHung',
			type: 'KernelDeadlock',
		}),
		'Node of kube-system/node-problem-detector-vx5wq',
	),
	alert(
		'GpuXidError',
		scraped('gpu-operator', 'nvidia-dcgm-exporter', 'nvidia-dcgm-exporter-7hq5k', {
			Hostname: 'gpu-1',
			UUID: 'GPU-1',
			gpu: '0',
			device: 'nvidia0',
		}),
		'Node/gpu-1',
	),
];
