// Which labels and annotations of a signal the workflows mention: decisions depend on those, and on no others.
import type { Signal } from '../../objects/remediation.ts';
import type { Workflow } from '../../objects/workflow.ts';
import { fieldsIn } from './template-fields.ts';

export type MentionedTexts = { readonly labels: ReadonlySet<string>; readonly annotations: ReadonlySet<string> };
type Texts = Pick<Signal, 'labels' | 'annotations'>;

export function mentionedTexts(workflows: readonly Workflow[]): MentionedTexts {
	const labels = new Set<string>();
	const annotations = new Set<string>();
	for (const { spec } of workflows) {
		for (const label of Object.keys(spec.match.labels ?? {})) labels.add(label);
		for (const template of Object.values(spec.parameters ?? {}))
			for (const { group, key } of fieldsIn(template)) {
				if (group === 'labels') labels.add(key);
				if (group === 'annotations') annotations.add(key);
			}
	}
	return { labels, annotations };
}

export function onlyMentioned({ labels, annotations }: Texts, mentioned: MentionedTexts): Texts {
	return { labels: only(labels, mentioned.labels), annotations: only(annotations, mentioned.annotations) };
}

function only(texts: Readonly<Record<string, string>>, names: ReadonlySet<string>): Readonly<Record<string, string>> {
	return Object.fromEntries(Object.entries(texts).filter(([name]) => names.has(name)));
}
