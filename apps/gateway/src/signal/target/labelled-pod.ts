// The pods that the labels of an alert name, each with its own namespace: `pod`, and the same under the names that other
// scrapes and senders use.
import { readTarget } from '../canonical-target.ts';
import type { TargetResource } from '../signal.ts';
import { POD_NAMESPACES, POD_PAIRS } from './label-kinds.ts';

type Labels = Readonly<Record<string, string>>;

export type LabelledPod = { readonly target: TargetResource; readonly reason: string };

/** `pod` is the first of them: the other names are for the same pod where they hold the same, or `pod` is absent. */
export function podOfLabels(labels: Labels): LabelledPod | undefined {
	for (const namespace of POD_NAMESPACES) {
		const target = podOf(labels, 'pod', namespace);
		if (target !== undefined) return { target, reason: `the labels pod and ${namespace} name the Pod` };
	}
	return labels['pod'] ? undefined : pairedPod(labels);
}

/** Under another name than `pod`, and another one than `pod` holds: what was measured, beside the pod of the scrape. */
export function podBeside(labels: Labels): LabelledPod | undefined {
	const paired = labels['pod'] ? pairedPod(labels) : undefined;
	return paired?.target.name === labels['pod'] ? undefined : paired;
}

/** Also without a namespace that fits. */
export function nameOfPod(labels: Labels): string {
	return labels['pod'] || POD_PAIRS.map(({ pod }) => labels[pod]).find((name) => name) || '';
}

export function podOf(labels: Labels, pod: string, namespace: string): TargetResource | undefined {
	return labels[pod] ? readTarget({ kind: 'Pod', name: labels[pod], namespace: labels[namespace] }) : undefined;
}

function pairedPod(labels: Labels): LabelledPod | undefined {
	for (const { pod, namespaces } of POD_PAIRS)
		for (const namespace of namespaces) {
			const target = podOf(labels, pod, namespace);
			if (target !== undefined) return { target, reason: `the labels ${pod} and ${namespace} name the Pod` };
		}
	return undefined;
}
