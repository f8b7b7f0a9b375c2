// What the docs say about targets and identity (docs/targets.md), from the tables that the code uses.
import { PASSING_LABELS } from '../fingerprint.ts';
import { ADDRESS_LABELS } from './address.ts';
import {
	CALLED_SERVICE,
	COMPONENT_NAMES,
	HOST_NODE_LABELS,
	KIND_LABELS,
	LATE_OBJECT_LABELS,
	NODE_LABELS,
	OBJECT_LABELS,
	OWNER_KIND_LABELS,
	POD_PAIRS,
} from './label-kinds.ts';
import { HOST_EXPORTERS, KEEPERS_OF_NODES, OTHER_EXPORTERS } from './scraped-process.ts';

export type FactTable = {
	readonly title: string;
	readonly head: readonly string[];
	readonly rows: readonly (readonly string[])[];
};

const code = (text: string) => `\`${text}\``;
const codes = (texts: readonly string[]) => texts.map(code).join(', ');
const kindOf = (kind: string, apiVersion: string | undefined) =>
	apiVersion === undefined ? kind : `${kind} (${apiVersion})`;

/** In the order in which they are tried: the first that names an object decides. */
const NAMED: readonly (readonly [what: string, labels: string])[] = [
	['what `TARGET_LABELS` names', 'configured'],
	...KIND_LABELS.map(({ kind, name, namespaces = [] }) => pairRow(kind, name, namespaces)),
	...Object.entries(
		Object.groupBy(OBJECT_LABELS, ({ kind, apiVersion, namespaceLabel }) =>
			[kindOf(kind, apiVersion), namespaceLabel ?? ''].join('\n'),
		),
	).map(([key, labels = []]): readonly [string, string] => {
		const [kind = '', namespaceLabel = ''] = key.split('\n');
		const names = codes(labels.map(({ label }) => label));
		return [kind, namespaceLabel === '' ? names : `${names} with ${code(namespaceLabel)}`];
	}),
	['APIService', '`name`, when it holds group and version of an API'],
	['Job', '`exported_job` of kube-state-metrics'],
	...COMPONENT_NAMES.map(({ component, label, kind, apiVersion, isSaidByAlert }): readonly [string, string] => [
		kindOf(kind, apiVersion),
		`${code(label)} of ${component}${isSaidByAlert ? ', when the name of the alert says this kind' : ''}`,
	]),
	...CALLED_SERVICE.map(({ label, namespaceLabel, kind }): readonly [string, string] => [
		kind,
		`${code(label)} with ${code(namespaceLabel)}`,
	]),
	['Pod', '`exported_pod` with `exported_namespace`'],
	...POD_PAIRS.map(({ pod, namespaces }): readonly [string, string] => [
		'Pod',
		`${code(pod)} with ${namespaces.map(code).join(' or ')}`,
	]),
	[
		'Pod',
		'`pod` with `namespace`. This one and those before it, but `exported_pod`, unless the pod measured something else',
	],
	[
		'Node, of an exporter that measures its machine',
		`${codes([...NODE_LABELS, ...HOST_NODE_LABELS])}; else where the exporter's pod runs; else the address in \`instance\``,
	],
	['Node', codes(NODE_LABELS)],
	...OWNER_KIND_LABELS.map(({ kind, name, namespaces = [] }) => pairRow(kind, name, namespaces)),
	...LATE_OBJECT_LABELS.map(({ label, kind, apiVersion }): readonly [string, string] => [
		kindOf(kind, apiVersion),
		code(label),
	]),
	[
		'Service or Pod',
		`an address of the cluster (\`name.namespace.svc\`) in ${codes(ADDRESS_LABELS)}, unless it is that of an exporter`,
	],
	[
		'Service',
		'`exported_service` with `exported_namespace`, or `service` with `namespace`, when nothing else is named',
	],
	['Namespace', '`namespace`, when no other label says where'],
	['none: the alert itself', 'everything else'],
];

function pairRow(kind: string, name: string, namespaces: readonly string[]): readonly [string, string] {
	const where = namespaces.length === 0 ? '' : `, namespace in ${codes(namespaces)} before the usual labels`;
	return [`the kind in ${code(kind)}`, `${code(name)}${where}`];
}

export const TARGET_FACTS: readonly FactTable[] = [
	{
		title: 'What names the target of an alert',
		head: ['order', 'target', 'labels'],
		rows: NAMED.map(([what, labels], index) => [String(index + 1), what, labels]),
	},
	{
		title: 'Processes that report on something else',
		head: ['report on', 'part of the name of the pod, Service or job'],
		rows: [
			['the machine that they run on', partsOf(HOST_EXPORTERS)],
			['what their labels name, or an address', `${partsOf(OTHER_EXPORTERS)}, and \`EXPORTERS\``],
			['themselves, and a node when they name one', partsOf(KEEPERS_OF_NODES)],
		],
	},
	{
		title: 'Labels that do not make an incident another one',
		head: ['label'],
		rows: [...PASSING_LABELS].map((label) => [code(label)]),
	},
];

function partsOf({ source }: RegExp): string {
	return source
		.replaceAll('[-_]?', '-')
		.replaceAll('[-_]', '-')
		.replace(/\(\?:([^)]+)\)-exporter/, (_, names: string) =>
			names
				.split('|')
				.map((name) => `${name}-exporter`)
				.join('|'),
		)
		.split('|')
		.map(code)
		.join(', ');
}
