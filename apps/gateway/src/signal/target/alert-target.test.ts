import { describe, expect, it } from 'vitest';
import { describeTarget } from '../../../test/fixtures/describe-target.ts';
import { DEFAULT_SIGNAL_RULES } from '../signal-rules.ts';
import { findTarget, type Labels } from './alert-target.ts';

function target(labels: Labels, rules = DEFAULT_SIGNAL_RULES): string | undefined {
	const found = findTarget({ alertname: 'A', ...labels }, rules).target;
	return found && describeTarget(found);
}

describe('the target of an alert', () => {
	it.each([
		{ labels: { namespace: 'n', pod: 'p' }, want: 'n/Pod/p' },
		{ labels: { namespace: 'n', deployment: 'd' }, want: 'n/Deployment/d' },
		{ labels: { namespace: 'n', statefulset: 's' }, want: 'n/StatefulSet/s' },
		{ labels: { namespace: 'n', daemonset: 'd' }, want: 'n/DaemonSet/d' },
		{ labels: { namespace: 'n', replicaset: 'r' }, want: 'n/ReplicaSet/r' },
		{ labels: { namespace: 'n', job_name: 'j' }, want: 'n/Job/j' },
		{ labels: { namespace: 'n', cronjob: 'c' }, want: 'n/CronJob/c' },
		{ labels: { namespace: 'n', persistentvolumeclaim: 'v' }, want: 'n/PersistentVolumeClaim/v' },
		{ labels: { namespace: 'n', horizontalpodautoscaler: 'h' }, want: 'n/HorizontalPodAutoscaler/h' },
		{ labels: { namespace: 'n', poddisruptionbudget: 'b' }, want: 'n/PodDisruptionBudget/b' },
		{ labels: { namespace: 'n', persistentvolume: 'v' }, want: 'PersistentVolume/v' },
		{ labels: { namespace: 'n', service: 's' }, want: 'n/Service/s' },
		{ labels: { node: 'w' }, want: 'Node/w' },
		{ labels: { namespace: 'n' }, want: 'Namespace/n' },
		{ labels: { namespace: 'n', severity: 'critical' }, want: 'Namespace/n' },
		{ labels: { namespace: 'n', node: 'w', pod: 'p' }, want: 'n/Pod/p' },
		{ labels: { namespace: 'n', deployment: 'd', pod: 'of-the-exporter' }, want: 'n/Deployment/d' },
		{ labels: { namespace: 'exporter', exported_namespace: 'n', pod: 'exporter', exported_pod: 'p' }, want: 'n/Pod/p' },
		{ labels: { namespace: 'n', pod: '', node: 'w' }, want: 'Node/w' },
		{ labels: { namespace: 'n', pod: 'not a name', node: 'w' }, want: 'Node/w' },
		{
			labels: { namespace: 'n', kind: 'ROLLOUT', name: 'r', resource_kind: 'ROLLOUT', resource_name: 'r' },
			want: 'n/ROLLOUT/r',
		},
	])('an alert with $labels is about $want', ({ labels, want }) => {
		expect(target(labels)).toBe(want);
	});

	it.each([
		{ why: 'no label names a resource', labels: {} },
		{ why: 'a pod is in no namespace', labels: { pod: 'p' } },
		{ why: 'job is what Prometheus scraped', labels: { job: 'kube-state-metrics' } },
		{ why: 'another label than the namespace says where', labels: { namespace: 'n', queue: 'orders' } },
		{ why: 'the namespace is impossible', labels: { namespace: 'not a namespace' } },
		{
			why: 'pod and namespace are no pair',
			labels: { exported_namespace: 'shop', namespace: 'keda', pod: 'keda-operator-6d7f8b9c5-hx4jk' },
		},
		{
			why: 'the pod under another name is an exporter',
			labels: {
				instance: '10.42.1.4:9308',
				kubernetes_namespace: 'kafka',
				kubernetes_pod_name: 'kafka-exporter-6c8d9f7b5-xw4kz',
			},
		},
		{ why: 'the address is that of an exporter', labels: { job: 'pg', instance: 'pg-exporter.db.svc:9187' } },
		{
			why: 'the address is that of a relay',
			labels: { instance: 'prom.a.svc:9090', exported_instance: 'x', job: 'f' },
		},
		{
			why: 'the process names another namespace than its own',
			labels: { namespace: 'knative', pod: 'activator-0', service: 'activator', namespace_name: 'shop' },
		},
		{
			why: 'an object has no namespace, whatever else is named',
			labels: { persistentvolumeclaim: 'data', node: 'w', instance: '10.0.0.1:10250' },
		},
		{ why: 'the node is where an exporter runs', labels: { namespace: 'n', pod: 'x-exporter-0', node: 'w', job: 'x' } },
		{
			why: 'an exporter is all that is named, and it is not about the scrape',
			labels: { namespace: 'm', service: 'node-exporter', job: 'node-exporter' },
		},
	])('an alert names no target when $why', ({ labels }) => {
		expect(target(labels)).toBeUndefined();
	});

	const stateMetrics = {
		namespace: 'shop',
		pod: 'kps-kube-state-metrics-58474dc949-6ngch',
		service: 'kps-kube-state-metrics',
		job: 'kube-state-metrics',
		instance: '10.42.2.101:8080',
	};
	const externalSecrets = {
		namespace: 'es',
		pod: 'external-secrets-6d5c8f7b9-xz42k',
		job: 'external-secrets-metrics',
		name: 'vault',
		condition: 'Ready',
	};
	it.each([
		{
			why: 'kube-state-metrics gives a Service its uid too',
			labels: { ...stateMetrics, service: 'cart', uid: 'u' },
			want: 'shop/Service/cart',
		},
		{
			why: 'the Service that kube-state-metrics measured may be that of an exporter',
			labels: { ...stateMetrics, service: 'postgres-exporter', uid: 'u' },
			want: 'shop/Service/postgres-exporter',
		},
		{
			why: 'kube-state-metrics may measure its own pod',
			labels: { ...stateMetrics, uid: 'u' },
			want: 'shop/Pod/kps-kube-state-metrics-58474dc949-6ngch',
		},
		{
			why: 'the kubelet is no pod, and measured the one that is named',
			labels: {
				namespace: 'kube-system',
				pod: 'kubelet-csr-approver-6d5c8f7b9-xz42k',
				service: 'kps-kubelet',
				job: 'kubelet',
				instance: '10.0.0.1:10250',
				node: 'w',
			},
			want: 'kube-system/Pod/kubelet-csr-approver-6d5c8f7b9-xz42k',
		},
		{
			why: 'a collector adds k8s_pod_name where it measured a pod, and here it measured a node',
			labels: { namespace: 'o', pod: 'collector-0', job: 'collector', instance: '10.42.0.9:8889', k8s_node_name: 'w' },
			want: 'Node/w',
		},
		{
			why: 'a server without a host is where the process listens',
			labels: { namespace: 'kube-system', service: 'dns', job: 'dns', server: 'dns://:53', zone: '.' },
			want: 'kube-system/Service/dns',
		},
		{
			why: 'the name of the alert says which of its kinds a component names',
			labels: { ...externalSecrets, alertname: 'SecretStoreNotReady', exported_namespace: 'shop' },
			want: 'shop/SecretStore/vault',
		},
		{
			why: 'a kind without namespaces is in none, wherever the component runs',
			labels: { ...externalSecrets, alertname: 'ClusterSecretStoreNotReady' },
			want: 'ClusterSecretStore/vault',
		},
		{
			why: 'of several kinds one is named when the name of the alert says none',
			labels: { ...externalSecrets, alertname: 'NotSynced', exported_namespace: 'shop' },
			want: 'shop/ExternalSecret/vault',
		},
		{
			why: 'a process may have jobs of its own',
			labels: { namespace: 'n', pod: 'worker-0', job: 'worker', endpoint: 'http', exported_job: 'NightlySync' },
			want: 'n/Pod/worker-0',
		},
	])('$why', ({ labels, want }) => {
		expect(target(labels)).toBe(want);
	});

	it.each([
		{
			why: 'a process relays what was measured elsewhere',
			labels: {
				namespace: 'o',
				pod: 'collector-0',
				job: 'collector',
				instance: '10.42.0.9:8889',
				exported_job: 'cart',
				exported_instance: 'c0ffee',
			},
		},
		{
			why: 'a process relays what a job of a namespace measured',
			labels: { namespace: 'o', pod: 'collector-0', job: 'collector', endpoint: 'http', exported_job: 'shop/cart' },
		},
	])('an alert names no target when $why', ({ labels }) => {
		expect(target(labels)).toBeUndefined();
	});

	it('a configured label names an object of its kind, before the built-in labels', () => {
		const rules = {
			...DEFAULT_SIGNAL_RULES,
			targetLabels: [
				{ label: 'game', namespaceLabel: 'game_namespace', kind: 'GameServer', apiVersion: 'agones.dev/v1' },
				{ label: 'tenant', kind: 'Tenant', apiVersion: 'example.com/v1' },
			],
		};
		expect(target({ game: 'g', game_namespace: 'games', pod: 'p', namespace: 'n' }, rules)).toBe('games/GameServer/g');
		expect(target({ game: 'g', pod: 'p', namespace: 'n' }, rules)).toBe('n/Pod/p');
		expect(target({ tenant: 't', deployment: 'd', namespace: 'n' }, rules)).toBe('n/Tenant/t');
		expect(findTarget({ tenant: 't', namespace: 'n' }, rules)).toMatchObject({
			target: { apiVersion: 'example.com/v1' },
			lookUp: { find: 'kind' },
		});
	});

	it('a configured exporter is never the target', () => {
		const labels = { namespace: 'n', pod: 'probe-7c9d8f6b5-x2x8p', service: 'probe', instance: '10.0.0.1:80' };
		expect(target(labels)).toBe('n/Pod/probe-7c9d8f6b5-x2x8p');
		expect(target(labels, { ...DEFAULT_SIGNAL_RULES, exporters: ['probe'] })).toBeUndefined();
	});

	it.each([
		{ labels: { instance: '10.0.0.5:9100', job: 'node-exporter' }, want: { find: 'node', address: '10.0.0.5' } },
		{ labels: { instance: '[fd00::5]:9100', job: 'node-exporter' }, want: { find: 'node', address: 'fd00::5' } },
		{
			labels: { instance: '10.0.0.5:9100', job: 'node-exporter', namespace: 'm', pod: 'node-exporter-x2x8p' },
			want: { find: 'node', address: '10.0.0.5', pod: { namespace: 'm', name: 'node-exporter-x2x8p' } },
		},
		{ labels: { node: 'w', instance: '10.0.0.5:9100', job: 'node-exporter' }, want: { find: 'nothing' } },
		{
			labels: { instance: '10.42.7.7:9835', job: 'gpu-exporter', namespace: 'm', pod: 'gpu-exporter-x2x8p' },
			want: { find: 'node', address: '10.42.7.7', pod: { namespace: 'm', name: 'gpu-exporter-x2x8p' } },
		},
		{
			labels: { namespace: 'n', pod: 'cart-7d4b9c8f6-x2x8p' },
			want: { find: 'owner', ownerReferences: [], impliedOwners: [{ kind: 'ReplicaSet', name: 'cart-7d4b9c8f6' }] },
		},
		{ labels: { namespace: 'n', deployment: 'd' }, want: { find: 'nothing' } },
		{ labels: { namespace: 'n', scaledObject: 's' }, want: { find: 'kind' } },
	])('what is looked up for $labels is $want', ({ labels, want }) => {
		expect(findTarget({ alertname: 'A', ...labels }, DEFAULT_SIGNAL_RULES).lookUp).toEqual(want);
	});
});
