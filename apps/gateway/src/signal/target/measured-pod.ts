// The pod that an alert is about, when its labels name one: not the pod of an exporter, and only with its own namespace.
import type { TargetResource } from '../signal.ts';
import { podBeside, podOf, podOfLabels } from './labelled-pod.ts';
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
	const beside = podBeside(labels);
	if (beside !== undefined) return beside;
	const named = podOfLabels(labels);
	if (named === undefined) return { reason: '' };
	const { target } = named;
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
		reason: process.isPodItsOwn ? 'the process that was scraped reports on itself: its Pod' : named.reason,
	};
}
