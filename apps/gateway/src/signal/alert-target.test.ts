import { describe, expect, it } from 'vitest';
import { describeTarget } from '../../test/fixtures/describe-target.ts';
import { targetOfAlert } from './alert-target.ts';

describe('targetOfAlert', () => {
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
		{ labels: { node: 'w' }, want: 'Node/w' },
		{ labels: { namespace: 'n' }, want: 'Namespace/n' },
		{ labels: { namespace: 'n', severity: 'critical' }, want: 'Namespace/n' },
		{ labels: { namespace: 'n', node: 'w', pod: 'p' }, want: 'n/Pod/p' },
		{ labels: { namespace: 'n', deployment: 'd', pod: 'of-the-exporter' }, want: 'n/Deployment/d' },
		{ labels: { namespace: 'exporter', exported_namespace: 'n', pod: 'exporter', exported_pod: 'p' }, want: 'n/Pod/p' },
		{ labels: { namespace: 'n', pod: '', node: 'w' }, want: 'Node/w' },
		{ labels: { namespace: 'n', pod: 'not a name', node: 'w' }, want: 'Node/w' },
	])('an alert with $labels is about $want', ({ labels, want }) => {
		const target = targetOfAlert({ alertname: 'A', ...labels });
		expect(target && describeTarget(target)).toBe(want);
	});

	it.each([
		{ why: 'no label names a resource', labels: {} },
		{ why: 'a pod is in no namespace', labels: { pod: 'p' } },
		{ why: 'job is what Prometheus scraped', labels: { job: 'kube-state-metrics' } },
		{ why: 'service is what Prometheus scraped', labels: { namespace: 'n', service: 'kube-state-metrics' } },
		{ why: 'another label than the namespace says where', labels: { namespace: 'n', queue: 'orders' } },
		{ why: 'the namespace is impossible', labels: { namespace: 'not a namespace' } },
	])('an alert names no target when $why', ({ labels }) => {
		expect(targetOfAlert({ alertname: 'A', ...labels })).toBeUndefined();
	});
});
