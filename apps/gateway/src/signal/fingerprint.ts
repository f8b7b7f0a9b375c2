// What makes two signals the same incident. With a target: the signal's name and the target, whatever else the labels
// say. Without: all labels but those that change while the incident goes on.
// Not covered: a replica of Prometheus that identifies itself by a label of another name (for example `replica`) makes
// incidents of its own. Drop that label with alert_relabel_configs, as Alertmanager itself needs it.
import { createHash } from 'node:crypto';
import type { TargetResource } from './signal.ts';

/** Their values change, or name the sender, while the incident stays the same. */
const PASSING_LABELS: ReadonlySet<string> = new Set([
	'severity',
	'priority',
	'value',
	'prometheus',
	'prometheus_replica',
]);

export function fingerprintOfTarget(signalName: string, target: TargetResource): string {
	// Only the name of a signal may have a colon before the last field: escaped, the fields cannot run into each other.
	const name = signalName.replace(/[%:\n]/g, encodeURIComponent);
	return sha256(`${name}:${target.namespace ?? ''}:${target.kind}:${target.name}`);
}

export function fingerprintOfLabels(labels: Readonly<Record<string, string>>): string {
	const pairs = Object.entries(identityLabels(labels)).toSorted(([a], [b]) => (a < b ? -1 : 1));
	return sha256(`labels\n${JSON.stringify(pairs)}`);
}

export function identityLabels(labels: Readonly<Record<string, string>>): Record<string, string> {
	return Object.fromEntries(
		Object.entries(labels).filter(([label, value]) => !PASSING_LABELS.has(label) && value !== ''),
	);
}

function sha256(text: string): string {
	return createHash('sha256').update(text).digest('hex');
}
