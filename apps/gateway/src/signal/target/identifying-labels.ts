// Labels that are kept when an alert has more than a RemediationRequest holds.
import type { SignalRules } from '../signal-rules.ts';
import {
	CALLED_SERVICE,
	COMPONENT_NAMES,
	KIND_LABELS,
	LATE_OBJECT_LABELS,
	NAMESPACE_LABELS,
	NODE_LABELS,
	OBJECT_LABELS,
	OWNER_KIND_LABELS,
	POD_PAIRS,
} from './label-kinds.ts';

const BUILT_IN: readonly string[] = [
	...new Set([
		'alertname',
		'severity',
		...NAMESPACE_LABELS,
		'pod',
		'exported_pod',
		'service',
		'exported_service',
		'container',
		'job',
		'instance',
		...NODE_LABELS,
		...[...OBJECT_LABELS, ...LATE_OBJECT_LABELS, ...CALLED_SERVICE].map(({ label }) => label),
		...[...KIND_LABELS, ...OWNER_KIND_LABELS].flatMap(({ kind, name }) => [kind, name]),
		...COMPONENT_NAMES.map(({ label }) => label),
		...POD_PAIRS.map(({ pod }) => pod),
	]),
];

const byRules = new WeakMap<SignalRules, ReadonlySet<string>>();

export function identifyingLabels(rules: SignalRules): ReadonlySet<string> {
	const known = byRules.get(rules);
	if (known !== undefined) return known;
	const all = new Set([...BUILT_IN, rules.clusterLabel, ...rules.targetLabels.map(({ label }) => label)]);
	byRules.set(rules, all);
	return all;
}
