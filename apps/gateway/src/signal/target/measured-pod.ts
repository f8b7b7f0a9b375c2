// The pod that an alert is about, when its labels name one: not the pod of an exporter, and only with its own namespace.
import { readTarget } from '../canonical-target.ts';
import type { TargetResource } from '../signal.ts';
import { POD_NAMESPACES, POD_PAIRS } from './label-kinds.ts';
import type { ScrapedProcess } from './scraped-process.ts';

export type MeasuredPod = {
	readonly target?: TargetResource;
	/** Why it is the pod, or why a pod that is named is not; empty when none is named. */
	readonly reason: string;
};

type Labels = Readonly<Record<string, string>>;

export function measuredPod(labels: Labels, process: ScrapedProcess): MeasuredPod {
	const exported = podOf(labels, 'exported_pod', 'exported_namespace');
	if (exported !== undefined)
		return { target: exported, reason: 'the labels exported_pod and exported_namespace name the Pod' };
	for (const { pod, namespaces } of POD_PAIRS)
		for (const namespace of namespaces) {
			const target = podOf(labels, pod, namespace);
			if (target !== undefined) return { target, reason: `the labels ${pod} and ${namespace} name the Pod` };
		}
	const target = POD_NAMESPACES.map((namespace) => podOf(labels, 'pod', namespace)).find((pod) => pod !== undefined);
	if (target === undefined) return { reason: '' };
	if (labels['exported_pod'] || labels['exported_namespace'])
		return { reason: 'pod is of the scrape, and exported_namespace of what was measured: they are no pair' };
	// A proxy that reports on the service behind it. A process may also call itself so.
	const service = labels['exported_service'];
	if (service && !target.name.includes(service) && !service.includes(labels['service'] ?? ''))
		return { reason: `pod is of the scrape, and exported_service names what was measured: ${service}` };
	if (process.isPodItsOwn && process.reportsOn !== 'itself')
		return { reason: `the pod ${target.name} measured it: ${process.name} reports on ${process.reportsOn}` };
	return {
		target,
		reason: process.isPodItsOwn
			? 'the process that was scraped reports on itself: its Pod'
			: 'the labels pod and namespace name the Pod',
	};
}

function podOf(labels: Labels, pod: string, namespace: string): TargetResource | undefined {
	return labels[pod] ? readTarget({ kind: 'Pod', name: labels[pod], namespace: labels[namespace] }) : undefined;
}
