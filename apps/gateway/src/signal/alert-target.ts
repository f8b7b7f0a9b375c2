// Which resource an alert is about, read from its labels. Order decides when several are named: owners come before
// what they own, because exporters add the labels of their own pod and node to what they measure of others.
//  - `job` and `service` are left out: nearly always they name what Prometheus scraped, not what is broken. A Job is
//    named by `job_name`, as kube-state-metrics does.
//  - `exported_x` wins over `x`: Prometheus renames so when the scraped target's own label took the name.
//  - A value that cannot be the name of an object names no target. A namespaced kind without `namespace` neither.
//  - The namespace itself is the target only when no other label says where: else two incidents in one namespace
//    would become one.
import { type BuiltInKind, readTarget } from './canonical-target.ts';
import { identityLabels } from './fingerprint.ts';
import type { TargetResource } from './signal.ts';

export type Labels = Readonly<Record<string, string>>;

const TARGET_LABELS: readonly (readonly [label: string, kind: BuiltInKind])[] = [
	['deployment', 'Deployment'],
	['statefulset', 'StatefulSet'],
	['daemonset', 'DaemonSet'],
	['cronjob', 'CronJob'],
	['job_name', 'Job'],
	['horizontalpodautoscaler', 'HorizontalPodAutoscaler'],
	['poddisruptionbudget', 'PodDisruptionBudget'],
	['persistentvolumeclaim', 'PersistentVolumeClaim'],
	['persistentvolume', 'PersistentVolume'],
	['replicaset', 'ReplicaSet'],
	['pod', 'Pod'],
	['node', 'Node'],
];
/** Kept when an alert has more labels than a RemediationRequest holds. */
export const IDENTIFYING_LABELS = ['alertname', 'severity', 'namespace', ...TARGET_LABELS.map(([label]) => label)];

export function targetOfAlert(labels: Labels): TargetResource | undefined {
	const namespace = namespaceOfAlert(labels);
	for (const [label, kind] of TARGET_LABELS) {
		const name = labelValue(labels, label);
		const target = name === undefined ? undefined : readTarget({ kind, name, namespace });
		if (target !== undefined) return target;
	}
	const where = Object.keys(identityLabels(labels)).filter((label) => label !== 'alertname');
	const onlyNamespace = where.every((label) => label === 'namespace' || label === 'exported_namespace');
	return namespace !== undefined && onlyNamespace ? readTarget({ kind: 'Namespace', name: namespace }) : undefined;
}

export function namespaceOfAlert(labels: Labels): string | undefined {
	return labelValue(labels, 'namespace');
}

function labelValue(labels: Labels, label: string): string | undefined {
	return nonEmpty(labels[`exported_${label}`]) ?? nonEmpty(labels[label]);
}

/** To Prometheus an empty label is an absent one. */
function nonEmpty(value: string | undefined): string | undefined {
	return value === '' ? undefined : value;
}
