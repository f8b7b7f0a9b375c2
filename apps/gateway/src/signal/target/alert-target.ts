// Which object an alert is about, read from its labels alone. What was measured is not what measured it:
//  - A label that names an object wins over the pod, the service and the node of the scrape.
//  - The pod of a scrape is the target only when the process reports on itself.
//  - A pod and a namespace, or a service and a namespace, are used only as a pair: both exported or neither.
//  - In doubt there is no object, and the alert itself is the target; an exporter never is.
import { readTarget } from '../canonical-target.ts';
import { identityLabels } from '../fingerprint.ts';
import { lookUpFor } from '../look-up.ts';
import type { LookUp, TargetResource } from '../signal.ts';
import type { SignalRules } from '../signal-rules.ts';
import { calledObject, hostOf, isIpAddress, namesAddress, namespaceIn, probedAddress } from './address.ts';
import {
	CALLED_SERVICE,
	HOST_NODE_LABELS,
	KIND_LABELS,
	LATE_OBJECT_LABELS,
	NODE_ADDRESS_LABELS,
	NODE_LABELS,
	OBJECT_LABELS,
	OWNER_KIND_LABELS,
	SERVICE_PAIRS,
} from './label-kinds.ts';
import { podOfLabels } from './labelled-pod.ts';
import { measuredPod } from './measured-pod.ts';
import {
	measuredNamespace,
	type NamedObject,
	objectOfComponent,
	objectOfKind,
	objectOfLabel,
	objectWithoutPlace,
	valueOf,
} from './named-object.ts';
import { type ScrapedProcess, scrapedProcess } from './scraped-process.ts';

export type Labels = Readonly<Record<string, string>>;

export type Finding = {
	/** Absent: the alert itself is the target. */
	readonly target?: TargetResource;
	/** What the identity is made of, when it is not the target. */
	readonly identity?: TargetResource;
	/** The pod that was measured. */
	readonly subject?: TargetResource;
	readonly lookUp: LookUp;
	readonly reasons: readonly string[];
	/** Without a target: labels that name the measuring process, which is another after a restart. */
	readonly alsoPassing?: readonly string[];
};

const NOTHING: LookUp = { find: 'nothing' };

export function findTarget(labels: Labels, rules: SignalRules): Finding {
	const process = scrapedProcess(labels, rules.exporters);
	const pod = measuredPod(labels, process);
	const subject = pod.target;
	const found =
		namedObject(withoutOwnNames(labels, process), rules) ??
		(subject === undefined || (process.keepsNodes && namesMachine(labels))
			? undefined
			: { target: subject, reason: pod.reason });
	if (found !== undefined) return aboutObject(found, subject);
	const reasons = pod.reason === '' ? [] : [pod.reason];
	const placeless = objectWithoutPlace(labels, OBJECT_LABELS);
	if (placeless !== undefined)
		return itself([...reasons, `the label ${placeless} names an object, and no label says in which namespace`]);
	const node = process.reportsOn === 'its host' ? hostNode(labels, process) : namedNode(labels, process);
	if (node !== undefined) return { ...node, reasons: [...reasons, ...node.reasons] };
	const last = lastNamed(labels, process, rules);
	if (last !== undefined) {
		const about = aboutObject(last, last.target.kind === 'Pod' ? last.target : undefined);
		return { ...about, reasons: [...reasons, ...about.reasons] };
	}
	return itself(
		[...reasons, 'no label names an object: the alert itself is the target'],
		passingLabels(labels, process),
	);
}

function itself(reasons: readonly string[], alsoPassing: readonly string[] = []): Finding {
	return { lookUp: NOTHING, reasons, alsoPassing };
}

/** A node, or what stands for nodes. */
function namesMachine(labels: Labels): boolean {
	return nodeOf(labels, NODE_LABELS) !== undefined || objectOfLabel(labels, LATE_OBJECT_LABELS, 'names') !== undefined;
}

/** Labels of the measuring pod: often its address, and where it runs, when the scrape is one of those that add nodes. */
function passingLabels(labels: Labels, process: ScrapedProcess): string[] {
	const addsNodes = process.isPodItsOwn && process.isNodeItsOwn && !labels['service'] && !labels['endpoint'];
	return [
		...(isInstanceOfPod(labels, process) ? ['instance'] : []),
		...(addsNodes ? [...NODE_LABELS, ...NODE_ADDRESS_LABELS] : []),
	];
}

/**
 * The address of the measuring pod. Exporters of many devices put there what they measured, unless another label does;
 * the ports that are allotted to exporters show which of the two it is.
 */
function isInstanceOfPod(labels: Labels, { isPodItsOwn, reportsOn, name }: ScrapedProcess): boolean {
	const { instance = '' } = labels;
	const host = hostOf(instance);
	if (!isPodItsOwn || host === undefined || !isIpAddress(host)) return false;
	if (reportsOn !== 'others' || labels['exported_job'] || namesAddress(labels)) return true;
	return /state-metrics/.test(name) || EXPORTER_PORT.test(instance);
}
/** 9100 to 9999, but Elasticsearch's. */
const EXPORTER_PORT = /:9(?!200$)[1-9]\d\d$/;

/** Programs that run jobs of their own give them names. */
function withoutOwnNames(labels: Labels, { isPodItsOwn, reportsOn }: ScrapedProcess): Labels {
	if (!isPodItsOwn || reportsOn !== 'itself' || labels['job_name'] === undefined) return labels;
	const { job_name: _, ...rest } = labels;
	return rest;
}

/** What a label names for certain, whatever was scraped. */
function namedObject(labels: Labels, rules: SignalRules): NamedObject | undefined {
	return (
		objectOfLabel(labels, rules.targetLabels, 'is configured to name') ??
		objectOfKind(labels, KIND_LABELS) ??
		objectOfLabel(labels, OBJECT_LABELS, 'names') ??
		objectOfComponent(labels) ??
		objectOfLabel(labels, CALLED_SERVICE, 'names')
	);
}

/** When neither a pod nor a node is named. */
function lastNamed(labels: Labels, process: ScrapedProcess, rules: SignalRules): NamedObject | undefined {
	return (
		objectOfKind(labels, OWNER_KIND_LABELS) ??
		objectOfLabel(labels, LATE_OBJECT_LABELS, 'names') ??
		called(labels, process) ??
		service(labels, process, rules) ??
		onlyNamespace(labels, process, rules)
	);
}

function aboutObject({ target, reason }: NamedObject, subject: TargetResource | undefined): Finding {
	const isOrdinal = target.kind === 'StatefulSet' && subject?.name.startsWith(`${target.name}-`) === true;
	return {
		target,
		...(isOrdinal ? { identity: subject } : {}),
		...(subject === undefined ? {} : { subject }),
		lookUp: lookUpFor(target),
		reasons: isOrdinal ? [reason, `the pods of a StatefulSet are incidents of their own: ${subject.name}`] : [reason],
	};
}

function nodeOf(labels: Labels, names: readonly string[]): { target: TargetResource; label: string } | undefined {
	for (const label of names) {
		const name = valueOf(labels, label);
		const target = name === undefined ? undefined : readTarget({ kind: 'Node', name });
		if (target !== undefined) return { target, label };
	}
	return undefined;
}

function namedNode(labels: Labels, { isNodeItsOwn }: ScrapedProcess): Finding | undefined {
	const node = nodeOf(labels, isNodeItsOwn ? ['exported_node'] : NODE_LABELS);
	return node && { target: node.target, lookUp: NOTHING, reasons: [`the label ${node.label} names the Node`] };
}

/** The Node that an exporter measured: its label, else where the exporter's pod runs, else its address. */
function hostNode(labels: Labels, { name, isPodItsOwn }: ScrapedProcess): Finding | undefined {
	const measured = `${name} measures the machine that it runs on`;
	const node = nodeOf(labels, [...NODE_LABELS, ...HOST_NODE_LABELS]);
	if (node !== undefined)
		return { target: node.target, lookUp: NOTHING, reasons: [measured, `the label ${node.label} names the Node`] };
	const address = hostOf(labels['exported_instance'] ?? labels['instance'] ?? '');
	const pod = isPodItsOwn ? podOfLabels(labels)?.target : undefined;
	const byPod = pod?.namespace === undefined ? {} : { pod: { namespace: pod.namespace, name: pod.name } };
	if (address === undefined && pod === undefined) return undefined;
	// Without a port it is no address of a scrape: the scrape was configured to put the node's name there.
	const isName = address !== undefined && !isIpAddress(address) && !/:\d+$/.test(labels['instance'] ?? '');
	const target = isName ? readTarget({ kind: 'Node', name: address }) : undefined;
	return {
		...(target === undefined ? {} : { target }),
		identity: { kind: 'Node', name: address ?? `of ${pod?.namespace}/${pod?.name}` },
		lookUp: { find: 'node', ...byPod, ...(address === undefined ? {} : { address }) },
		reasons: [
			measured,
			...(pod === undefined ? [] : [`the Node is the one that runs ${pod.namespace}/${pod.name}`]),
			...(address === undefined
				? []
				: [`${pod === undefined ? 'the Node is' : 'else'} the one with the address ${address}`]),
		],
	};
}

function called(labels: Labels, { isScrape }: ScrapedProcess): NamedObject | undefined {
	const object = calledObject(labels, isScrape);
	return object && { target: object.target, reason: `the label ${object.label} holds its address in the cluster` };
}

/** Labels that a scrape gives to everything of one Service. */
const OF_SERVICE: ReadonlySet<string> = new Set(['alertname', 'job', 'namespace', 'service']);

/** The Service is the target when it is all that is named. */
function service(labels: Labels, process: ScrapedProcess, rules: SignalRules): NamedObject | undefined {
	if (probedAddress(labels) !== undefined) return undefined;
	const exported = labels['exported_service'];
	if (exported) {
		const target = readTarget({ kind: 'Service', name: exported, namespace: labels['exported_namespace'] });
		return target && { target, reason: 'the label exported_service names it' };
	}
	for (const pair of SERVICE_PAIRS) {
		const target = readTarget({ kind: 'Service', name: labels[pair.service] ?? '', namespace: labels[pair.namespace] });
		if (target !== undefined && process.reportsOn === 'itself')
			return { target, reason: `the labels ${pair.service} and ${pair.namespace} name the Service` };
	}
	if (!labels['service'] || labels['exported_namespace'] || labels['exported_pod']) return undefined;
	const isOnly = Object.keys(identityLabels(labels, rules)).every((label) => OF_SERVICE.has(label));
	if (process.reportsOn !== 'itself' && process.isServiceItsOwn && !(isOnly && process.isAboutScrape)) return undefined;
	const target = readTarget({ kind: 'Service', name: labels['service'], namespace: labels['namespace'] });
	return target && { target, reason: 'the label service is all that is named beside the namespace' };
}

const OF_NAMESPACE: ReadonlySet<string> = new Set(['alertname', 'namespace', 'exported_namespace']);
/** What a scrape adds to a series about a namespace, and what kube-state-metrics says of one. */
const BESIDE_NAMESPACE: ReadonlySet<string> = new Set([
	...OF_NAMESPACE,
	'container',
	'endpoint',
	'instance',
	'job',
	'pod',
	'service',
	'metrics_path',
	'condition',
]);
/** Labels and annotations of the object, as kube-state-metrics names them. */
const OF_METADATA = /^(?:label|annotation)_/;

/** Only when no other label says where: else two incidents in one namespace would become one. */
function onlyNamespace(labels: Labels, process: ScrapedProcess, rules: SignalRules): NamedObject | undefined {
	const name = measuredNamespace(labels);
	if (name === undefined) return undefined;
	const others = Object.keys(identityLabels(labels, rules));
	const isOnly = others.every((label) => OF_NAMESPACE.has(label));
	// kube-state-metrics keeps the namespace of what it measures; Prometheus says in which namespace both of them run.
	const [monitoring, prometheus] = labels['prometheus']?.split('/') ?? [];
	const scraped = process.isPodItsOwn && prometheus !== undefined ? monitoring : namespaceIn(labels['instance']);
	const isMeasured =
		process.reportsOn === 'others' &&
		/state-metrics/.test(process.name) &&
		scraped !== undefined &&
		scraped !== name &&
		others.every((label) => BESIDE_NAMESPACE.has(label) || OF_METADATA.test(label));
	const target = isOnly || isMeasured ? readTarget({ kind: 'Namespace', name }) : undefined;
	return target && { target, reason: 'the namespace is all that is named' };
}
