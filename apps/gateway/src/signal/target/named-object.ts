// Objects that labels name, by the tables in label-kinds.ts. A value that cannot be the name of an object names none, and
// neither does a namespaced kind without a namespace.
import { readTarget } from '../canonical-target.ts';
import type { TargetResource } from '../signal.ts';
import type { TargetLabel } from '../signal-rules.ts';
import { COMPONENT_NAMES, type KindLabels, NAMESPACE_LABELS } from './label-kinds.ts';

type Labels = Readonly<Record<string, string>>;

/** Meshes write it where a call leaves them. */
const UNKNOWN = 'unknown';

export type NamedObject = { readonly target: TargetResource; readonly reason: string };

/** `exported_x` wins over `x`: Prometheus renames so when the scrape has a label of the same name. Empty is absent. */
export function valueOf(labels: Labels, label: string): string | undefined {
	return labels[`exported_${label}`] || labels[label] || undefined;
}

export function measuredNamespace(labels: Labels): string | undefined {
	return NAMESPACE_LABELS.map((label) => labels[label]).find((value) => value);
}

export function objectOfLabel(
	labels: Labels,
	table: readonly TargetLabel[],
	verb: 'names' | 'is configured to name',
): NamedObject | undefined {
	for (const index of namedBy(labels, table)) {
		const { label, namespaceLabel, kind, apiVersion, isClusterScoped = false } = table[index]!;
		const nearby = namespaceLabel === undefined ? measuredNamespace(labels) : labels[namespaceLabel];
		const namespace = isClusterScoped ? undefined : nearby;
		const name = valueOf(labels, label) ?? '';
		const target = readTarget({ kind, name, namespace, apiVersion });
		if (target === undefined || (namespaceLabel !== undefined && !namespace)) continue;
		if (name === UNKNOWN && namespace === UNKNOWN) continue;
		return { target, reason: `the label ${label} ${verb} the ${kind}` };
	}
	return undefined;
}

/** A label that names an object, and no label says in which namespace. It could be any of that name. */
export function objectWithoutPlace(labels: Labels, table: readonly TargetLabel[]): string | undefined {
	if (measuredNamespace(labels) !== undefined) return undefined;
	return namedBy(labels, table)
		.map((index) => table[index]!)
		.find(({ kind, label }) => {
			const name = valueOf(labels, label) ?? '';
			return readTarget({ kind, name }) === undefined && readTarget({ kind, name, namespace: 'any' }) !== undefined;
		})?.label;
}

/** Label → its places in a table. Most alerts have a dozen labels, of which the tables know two or three. */
const places = new WeakMap<readonly TargetLabel[], ReadonlyMap<string, readonly number[]>>();

/** Entries of the table whose label is there, in the order of the table. */
function namedBy(labels: Labels, table: readonly TargetLabel[]): readonly number[] {
	let known = places.get(table);
	if (known === undefined) {
		const map = new Map<string, number[]>();
		for (const [index, { label }] of table.entries())
			for (const name of [label, `exported_${label}`]) map.set(name, [...(map.get(name) ?? []), index]);
		known = map;
		places.set(table, known);
	}
	const found = new Set<number>();
	for (const label of Object.keys(labels))
		if (labels[label]) for (const index of known.get(label) ?? []) found.add(index);
	return found.size < 2 ? [...found] : [...found].toSorted((a, b) => a - b);
}

export function objectOfKind(labels: Labels, table: readonly KindLabels[]): NamedObject | undefined {
	for (const { kind: kindLabel, name: nameLabel, namespaces = [], group, version } of table) {
		const kind = labels[kindLabel];
		const name = kind ? valueOf(labels, nameLabel) : undefined;
		if (!kind || name === undefined || !isKind(kindLabel, kind)) continue;
		const namespace = namespaces.map((label) => labels[label]).find((value) => value) ?? measuredNamespace(labels);
		const target = readTarget({
			kind: kind.charAt(0).toUpperCase() + kind.slice(1),
			name,
			namespace,
			apiVersion: group && version ? [labels[group], labels[version]].filter((part) => part).join('/') : undefined,
		});
		if (target !== undefined)
			return { target, reason: `the labels ${kindLabel} and ${nameLabel} name the ${target.kind}` };
	}
	return undefined;
}

/** Many things have a `kind`; only a kind of Kubernetes is written in camel case. */
function isKind(label: string, kind: string): boolean {
	return label !== 'kind' || /^[A-Z][a-z0-9][A-Za-z0-9]*$/.test(kind);
}

/** One of them is there, or no component names an object. */
const COMPONENT_LABELS = [...new Set(COMPONENT_NAMES.flatMap(({ label }) => [label, `exported_${label}`]))];

/** The group of an API, as the API server names it in its metrics. */
const API_SERVICE = /^v\d+(?:(?:alpha|beta)\d+)?\.(?:[a-z0-9-]+\.)+[a-z0-9-]+$/;

export function objectOfComponent(labels: Labels): NamedObject | undefined {
	const apiService = labels['name'] ?? '';
	if (API_SERVICE.test(apiService)) {
		const target = readTarget({ kind: 'APIService', name: apiService });
		return target && { target, reason: 'the label name holds the group and version of an API: the APIService' };
	}
	// Old versions of kube-state-metrics name the Job in a label `job`, which Prometheus renames.
	if (labels['exported_job'] && /state-metrics/.test(labels['job'] ?? '')) {
		const target = readTarget({ kind: 'Job', name: labels['exported_job'], namespace: measuredNamespace(labels) });
		if (target !== undefined) return { target, reason: 'kube-state-metrics names the Job in exported_job' };
	}
	if (!COMPONENT_LABELS.some((label) => labels[label])) return undefined;
	const parts = [labels['job'], labels['service'], labels['container'], labels['pod']];
	// An aggregation keeps the name of the object, and of the component only what the alert's name says.
	const isAggregated = parts.every((part) => !part);
	const alertName = (labels['alertname'] ?? '').toLowerCase();
	for (const entry of COMPONENT_NAMES) {
		const { component, label, kind, apiVersion, beside, isSaidByAlert = false, isClusterScoped = false } = entry;
		const name = valueOf(labels, label);
		if (name === undefined || (isSaidByAlert && !alertName.includes(kind.toLowerCase()))) continue;
		const written = component.replaceAll('-', '');
		const isComponent = isAggregated
			? alertName.includes(written)
			: parts.some((part) => part?.replaceAll('-', '').includes(written)) && beside.some((other) => labels[other]);
		if (!isComponent) continue;
		const namespace = isClusterScoped ? '' : measuredNamespace(labels);
		const target = namespace === undefined ? undefined : readTarget({ kind, name, namespace, apiVersion });
		if (target !== undefined) return { target, reason: `${component} names the ${kind} in its label ${label}` };
	}
	return undefined;
}
