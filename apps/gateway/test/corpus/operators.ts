// Alerts of programs that manage or measure something: storage, queues, meshes, certificates, virtual machines, GPUs.
import { type CorpusAlert, KSM_POD, ksm, ksmRenamed, kubelet, plain, podMonitored, scraped } from './scrapes.ts';

const CART = 'cart-7d4b9c8f6-x2x8p';
const strimzi = (pod: string, metric = {}) =>
	podMonitored('kafka', 'kafka-resources-metrics', pod, {
		kubernetes_pod_name: pod,
		node_ip: '10.0.0.33',
		node_name: 'worker-3',
		strimzi_io_cluster: 'events',
		strimzi_io_kind: 'Kafka',
		...metric,
	});
const karpenter = (metric: Readonly<Record<string, string>>) =>
	scraped('karpenter', 'karpenter', 'karpenter-7d8f9b6c5-lt4xw', metric);

export const STORAGE_AND_QUEUE_ALERTS: readonly CorpusAlert[] = [
	plain('UnderReplicatedPartitions', strimzi('events-kafka-1', { topic: 'orders' }), 'kafka/Pod/events-kafka-1'),
	plain(
		'TooLargeConsumerGroupLag',
		strimzi('events-kafka-exporter-6c8d9f7b5-xw4kz', { consumergroup: 'orders', topic: 'orders' }),
		'none',
	),
	plain(
		'KafkaTopicNotReady',
		ksmRenamed({
			customresource_group: 'kafka.strimzi.io',
			customresource_kind: 'KafkaTopic',
			customresource_version: 'v1beta2',
			name: 'orders',
			namespace: 'kafka',
			ready: 'False',
			topicName: 'orders',
		}),
		'kafka/KafkaTopic/orders',
	),
	plain(
		'KafkaRunningOutOfSpace',
		kubelet({ namespace: 'kafka', persistentvolumeclaim: 'data-0-events-kafka-1' }),
		'kafka/PersistentVolumeClaim/data-0-events-kafka-1',
	),
	plain(
		'CNPGLongRunningTransaction',
		podMonitored('db', 'orders', 'orders-1', { cluster: 'orders', datname: 'app', usename: 'app' }),
		'db/Pod/orders-1',
	),
	plain(
		'PostgresBloat',
		podMonitored('db', 'postgres-exporter', 'orders-db-0', { datname: 'orders', container: 'exporter' }),
		'db/Pod/orders-db-0',
	),
	plain('PostgreSQLMaxConnectionsReached', { instance: '10.42.3.4:9187' }, 'none'),
	plain(
		'MongodbMemberUnhealthy',
		scraped('monitoring', 'mongodb-exporter', 'mongodb-exporter-6c8f9d7b5-vx4kz', {
			member_idx: 'mongo-0.mongo.db.svc.cluster.local:27017',
			rs_nm: 'rs0',
		}),
		'db/Pod/mongo-0',
	),
	plain(
		'RabbitmqDiskAlarm',
		scraped('queue', 'orders-mq', 'orders-mq-server-1', {
			rabbitmq_node: 'rabbit@orders-mq-server-1.orders-mq-nodes.queue',
		}),
		'queue/Pod/orders-mq-server-1',
	),
	plain(
		'CephOSDFlapping',
		{ ceph_daemon: 'osd.0', hostname: 'ceph', instance: 'ceph:9283', job: 'ceph', type: 'ceph_default' },
		'none',
	),
	plain(
		'CephPGsInactive',
		{ instance: 'ceph:9283', job: 'ceph', name: 'device_health_metrics', pool_id: '3', type: 'ceph_default' },
		'none',
	),
	plain(
		'LonghornDiskStorageWarning',
		scraped('longhorn-system', 'longhorn-backend', 'longhorn-manager-p7x4v', {
			disk: 'default-disk',
			node: 'worker-3',
		}),
		'Node/worker-3',
	),
	plain(
		'LonghornBackupFailed',
		scraped('longhorn-system', 'longhorn-backend', 'longhorn-manager-p7x4v', {
			backup: 'backup-1',
			volume: 'pvc-0b1f',
		}),
		'longhorn-system/Volume/pvc-0b1f',
	),
	plain('VeleroBackupFailed', { namespace: 'velero', schedule: 'daily' }, 'velero/Schedule/daily'),
	plain(
		'HarborComponentDown',
		scraped('harbor', 'harbor-exporter', 'harbor-exporter-6c9d8f7b5-kx4wz', { component: 'registry' }),
		'none',
	),
	plain(
		'CsiOperationErrors',
		scraped('kube-system', 'ebs-csi-controller', 'ebs-csi-controller-6c9d8f7b5-kx4wz', {
			method_name: 'ControllerPublishVolume',
		}),
		'kube-system/Pod/ebs-csi-controller-6c9d8f7b5-kx4wz',
	),
	plain(
		'StorageOperationErrors',
		kubelet({ operation_name: 'volume_mount', volume_plugin: 'kubernetes.io/csi' }),
		'Node/worker-3',
	),
];

export const PLATFORM_ALERTS: readonly CorpusAlert[] = [
	plain(
		'FluxSuspendedForTooLong',
		{
			cluster_type: 'management_cluster',
			customresource_kind: 'Kustomization',
			exported_namespace: 'flux-apps',
			job: 'flux-ksm',
			name: 'flux',
			suspended: 'true',
		},
		'flux-apps/Kustomization/flux',
	),
	plain(
		'FluxCustomerSuspendedForTooLong',
		{ customresource_kind: 'Kustomization', exported_namespace: 'default', provider: 'capa' },
		'none',
	),
	plain(
		'MachineUnhealthyPhase',
		{ cluster_id: 'falcon', exported_namespace: 'fleet', name: 'falcon-72jq5', phase: 'Failed' },
		'none',
	),
	plain(
		'MachineNotReady',
		ksmRenamed({
			cluster_name: 'falcon',
			customresource_group: 'cluster.x-k8s.io',
			customresource_kind: 'Machine',
			customresource_version: 'v1beta1',
			name: 'falcon-72jq5',
			namespace: 'fleet',
		}),
		'fleet/Machine/falcon-72jq5',
	),
	plain(
		'KarpenterNodePoolNearCapacity',
		{ job: 'karpenter', namespace: 'karpenter', nodepool: 'general', resource_type: 'cpu' },
		'NodePool/general',
	),
	plain('KarpenterNodePoolNearCapacity', karpenter({ nodepool: 'general', resource_type: 'cpu' }), 'NodePool/general'),
	plain(
		'KarpenterNodeClaimNotReady',
		karpenter({ nodeclaim: 'general-x2x8p', nodepool: 'general' }),
		'NodeClaim/general-x2x8p',
	),
	plain(
		'KarpenterCloudProviderErrors',
		{ controller: 'nodeclaim.disruption', job: 'karpenter', method: 'Get', namespace: 'karpenter', provider: 'aws' },
		'none',
	),
	plain('ClusterAutoscalerUnschedulablePods', { job: 'cluster-autoscaler', namespace: 'autoscaler' }, 'none'),
	plain(
		'ClusterAutoscalerNodeGroupAtCapacity',
		{ cluster: 'c', job: 'cluster-autoscaler', namespace: 'autoscaler', node_group: 'ng-1' },
		'none',
	),
	plain(
		'KedaScaledJobErrors',
		{ exported_namespace: 'shop', job: 'keda-operator', scaledJob: 'orders' },
		'shop/ScaledJob/orders',
	),
	plain(
		'ArgoCdAppSyncFailed',
		{
			dest_server: 'https://kubernetes.default.svc',
			exported_namespace: 'argocd',
			job: 'argocd-application-controller-metrics',
			name: 'cart',
			namespace: 'argocd',
			phase: 'Failed',
			project: 'default',
		},
		'argocd/Application/cart',
	),
	plain(
		'ArgoCdNotificationDeliveryFailed',
		{
			exported_service: 'slack',
			job: 'argocd-notifications-controller-metrics',
			namespace: 'argocd',
			succeeded: 'false',
		},
		'none',
	),
	plain(
		'CertificateExpiringSoon',
		scraped('cert-manager', 'cert-manager', 'cert-manager-7c5b8d6f9-bx6wt', {
			issuer_kind: 'ClusterIssuer',
			issuer_name: 'letsencrypt',
			name: 'web-tls',
			namespace: 'shop',
		}),
		'shop/Certificate/web-tls',
	),
	plain(
		'SealedSecretNotSynced',
		scraped('kube-system', 'sealed-secrets', 'sealed-secrets-controller-6c9d8f7b5-kx4wz', {
			condition: 'Synced',
			name: 'db',
			namespace: 'shop',
		}),
		'none',
	),
	plain(
		'HostCertificateExpires',
		scraped('monitoring', 'x509-certificate-exporter', 'x509-certificate-exporter-nodes-x2x8p', {
			filename: 'kubelet-client.pem',
			filepath: '/etc/kubernetes/pki/kubelet-client.pem',
		}),
		'Node of monitoring/x509-certificate-exporter-nodes-x2x8p',
	),
	plain('NginxHigh4xx', { exported_namespace: 'shop', exported_service: 'web' }, 'shop/Service/web'),
	plain(
		'KongHighErrorRate',
		scraped('kong', 'kong-metrics', 'kong-6c9d8f7b5-kx4wz', { code: '502', service: 'shop.web.80' }),
		'none',
	),
	plain(
		'IstioExternalErrors',
		{
			destination_service_name: 'PassthroughCluster',
			destination_service_namespace: 'unknown',
			destination_workload: 'unknown',
			destination_workload_namespace: 'unknown',
			response_code: '503',
		},
		'none',
	),
	plain(
		'KnativeErrors',
		scraped('knative-serving', 'activator-service', 'activator-6c9d8f7b5-kx4wz', {
			namespace_name: 'shop',
			response_code: '502',
			revision_name: 'cart-00001',
		}),
		'none',
	),
	plain(
		'VmiNotReady',
		{
			...scraped('kubevirt', 'kubevirt-prometheus-metrics', 'virt-handler-x2x8p', {}),
			name: 'win-db',
			namespace: 'vms',
			node: 'worker-3',
			phase: 'failed',
		},
		'none',
	),
	plain(
		'VmMemoryHigh',
		{ container: 'compute', namespace: 'vms', node: 'worker-3', pod: 'virt-launcher-win-db-x2x8p' },
		'vms/Pod/virt-launcher-win-db-x2x8p',
	),
	plain(
		'GpuMemoryFull',
		scraped('gpu-operator', 'nvidia-dcgm-exporter', 'nvidia-dcgm-exporter-7hq5k', {
			Hostname: 'gpu-1',
			gpu: '0',
			namespace: 'ml',
			pod: 'train-0',
		}),
		'ml/Pod/train-0',
	),
	plain(
		'GpuHot',
		scraped('gpu', 'nvidia-gpu-exporter', 'nvidia-gpu-exporter-x2x8p', { uuid: 'g1' }),
		'Node of gpu/nvidia-gpu-exporter-x2x8p',
	),
	plain(
		'NicErrors',
		scraped('monitoring', 'ethtool-exporter', 'ethtool-exporter-x2x8p', { device: 'eth0' }),
		'Node of monitoring/ethtool-exporter-x2x8p',
	),
	plain(
		'ProcessGone',
		scraped('monitoring', 'process-exporter', 'process-exporter-x2x8p', { groupname: 'nginx' }),
		'Node of monitoring/process-exporter-x2x8p',
	),
	plain(
		'AccessPointDown',
		scraped('monitoring', 'unpoller', 'unpoller-6c9d8f7b5-kx4wz', { name: 'ap-1', site_name: 'home' }),
		'none',
	),
	plain('UpsOnBattery', scraped('monitoring', 'nut-exporter', 'nut-exporter-6c9d8f7b5-kx4wz', { ups: 'ups1' }), 'none'),
	plain(
		'DomainExpires',
		scraped('monitoring', 'domain-exporter', 'domain-exporter-6c9d8f7b5-kx4wz', { domain: 'example.com' }),
		'none',
	),
	plain(
		'MetalLBSessionDown',
		scraped('metallb-system', 'speaker', 'speaker-x2x8p', { peer: '10.0.0.1:179' }),
		'metallb-system/Pod/speaker-x2x8p',
	),
	plain(
		'EventSystemOom',
		scraped('monitoring', 'event-exporter', 'event-exporter-58d9c7b6f-k8x5z', {
			involved_object_kind: 'Node',
			involved_object_name: 'worker-3',
			reason: 'SystemOOM',
		}),
		'Node/worker-3',
	),
	plain(
		'ShellInContainer',
		scraped('falco', 'falco-exporter', 'falco-exporter-x2x8p', {
			hostname: 'worker-3',
			k8s_ns_name: 'shop',
			k8s_pod_name: CART,
		}),
		`shop/Pod/${CART}`,
	),
	plain('ProbeFailed', { instance: 'https://shop.example.com', job: 'shop-probe', namespace: 'shop' }, 'none'),
	plain('LokiRequestErrors', { job: 'loki/ingester', namespace: 'loki', route: 'push' }, 'none'),
	plain('BpfMapAlmostFull', { map_name: 'policy_00001' }, 'none'),
	plain('EndpointNotReady', ksm({ endpoint: 'cart', ip: '10.42.0.7', namespace: 'shop', ready: 'false' }), 'none'),
	plain(
		'NodeLeaseStale',
		ksm({ lease: 'worker-3', namespace: 'kube-node-lease', owner_kind: 'Node', owner_name: 'worker-3' }),
		'Node/worker-3',
	),
	plain(
		'VolumeAttachmentStuck',
		ksm({ attacher: 'ebs.csi.aws.com', node: 'worker-3', volumeattachment: 'csi-0b1f' }),
		'VolumeAttachment/csi-0b1f',
	),
	plain(
		'PersistentVolumeReleased',
		ksm({ claim_namespace: 'shop', name: 'data', persistentvolume: 'pvc-0b1f' }),
		'PersistentVolume/pvc-0b1f',
	),
	plain(
		'HpaWithoutTarget',
		ksm({
			horizontalpodautoscaler: 'cart',
			namespace: 'shop',
			scaletargetref_kind: 'Deployment',
			scaletargetref_name: 'cart',
		}),
		'shop/HorizontalPodAutoscaler/cart',
	),
	plain(
		'ContainerOomKilled',
		{ container: 'cart', namespace: 'shop', owner_kind: 'ReplicaSet', owner_name: 'cart-7d4b9c8f6', pod: CART },
		`shop/Pod/${CART}`,
	),
	plain(
		'JobSlow',
		{ job_name: 'backup-29383200', namespace: 'shop', owner_kind: 'CronJob', owner_name: 'backup' },
		'shop/Job/backup-29383200',
	),
	plain('KubeStateMetricsSlow', ksm({}), `monitoring/Pod/${KSM_POD}`),
];
