// What makes two signals the same incident. With an object: the signal's name and the object, whatever else the labels say;
// of names that controllers generate only what stays when the pod is replaced, and kinds in small letters. Without: all
// labels but those of state and routing. No cache, look-up or right takes part: every replica finds the same.
import { createHash } from 'node:crypto';
import { workloadOf } from './generated-name.ts';
import type { TargetResource } from './signal.ts';
import type { SignalRules } from './signal-rules.ts';

type Labels = Readonly<Record<string, string>>;

/** Labels that change, or name the sender or the reader, while the incident stays the same. */
export const PASSING_LABELS: ReadonlySet<string> = new Set([
	// how bad it is, and in which state
	'severity',
	'priority',
	'value',
	'status',
	'state',
	'phase',
	'alertstate',
	'sync_status',
	'health_status',
	// the windows of a burn rate
	'long',
	'short',
	'window',
	'sloth_window',
	'sloth_severity',
	// who measured and evaluated it
	'prometheus',
	'prometheus_replica',
	'replica',
	'__replica__',
	'thanos_replica',
	'rule_replica',
	'ruler_replica',
	'receive_replica',
	'monitor',
	// who reads it
	'team',
	'squad',
	'owner',
	'channel',
	'slack_channel',
	'receiver',
	'notify',
	'escalation',
	'oncall',
	'page',
	'runbook',
	'runbook_url',
	'dashboard',
	'alertgroup',
	// ids that are new after every restart
	'uid',
	'container_id',
	'id',
	// what controllers write on each pod anew, where a scrape copies the labels of pods
	'pod_template_hash',
	'controller_revision_hash',
	'pod_template_generation',
	'pod_ip',
]);

/** They hold the name of a pod. */
const POD_LABELS: ReadonlySet<string> = new Set([
	'pod',
	'pod_name',
	'kubernetes_pod_name',
	'kube_pod_name',
	'k8s_pod_name',
]);

/** `cluster`: where it is part of the identity. */
export function fingerprintOfTarget(signalName: string, target: TargetResource, cluster?: string): string {
	const { kind, name } = workloadOf(target) ?? target;
	const parts = [signalName, target.namespace ?? '', kind.toLowerCase(), name];
	return sha256(`object\n${JSON.stringify(cluster === undefined ? parts : [...parts, cluster])}`);
}

/** `alsoPassing`: further labels that this alert's scrape gave it, not what was measured. */
export function fingerprintOfLabels(
	labels: Labels,
	rules: SignalRules,
	{ cluster, alsoPassing = [] }: { cluster?: string | undefined; alsoPassing?: readonly string[] } = {},
): string {
	const pairs = Object.entries(identityLabels(labels, rules))
		.filter(([label]) => !alsoPassing.includes(label))
		.map(([label, value]) => [label, POD_LABELS.has(label) ? stableName(value) : value])
		.toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1));
	return sha256(`labels\n${JSON.stringify(cluster === undefined ? pairs : [cluster, ...pairs])}`);
}

export function identityLabels(labels: Labels, rules: SignalRules): Record<string, string> {
	return Object.fromEntries(
		Object.entries(labels).filter(
			([label, value]) => !PASSING_LABELS.has(label) && !rules.passingLabels.includes(label) && value !== '',
		),
	);
}

/** Of one alert, when its sender gives none: of all labels, as Alertmanager's own. */
export function idOfLabels(labels: Labels): string {
	const pairs = Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1));
	return sha256(`alert\n${JSON.stringify(pairs)}`).slice(0, 16);
}

/** In words, for people. */
export function describeIdentity(object: TargetResource | undefined, cluster: string | undefined): string {
	const also = cluster === undefined ? '' : `, and the cluster ${cluster}`;
	if (object === undefined) return `its identity is its labels without those of state and routing${also}`;
	const { kind, name } = workloadOf(object) ?? object;
	return `its identity is its name and ${kind.toLowerCase()} ${object.namespace ?? ''}/${name}${also}`;
}

function stableName(pod: string): string {
	return workloadOf({ kind: 'Pod', name: pod })?.name ?? pod;
}

function sha256(text: string): string {
	return createHash('sha256').update(text).digest('hex');
}
