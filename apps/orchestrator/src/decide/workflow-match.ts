// Which RemediationWorkflow answers a signal: the one with the highest priority of those whose every criterion fits.
// Of equal priorities the first by name, so that every replica chooses the same.
import { RE2JS } from 're2js';
import type { RemediationWorkflow, RemediationWorkflowSpec } from '../generated/remediation-workflow.ts';
import type { Remediation } from '../objects/remediation.ts';

export type Workflow = {
	readonly name: string;
	readonly uid: string;
	readonly resourceVersion: string;
	readonly generation: number;
	readonly spec: RemediationWorkflowSpec;
	/** One of `match.signalNames`; always true when there are none. */
	readonly namesSignal: (signalName: string) => boolean;
	/** Expressions that the API server took and that mean nothing here. */
	readonly unreadable: readonly string[];
};

export function toWorkflow({ metadata, spec }: RemediationWorkflow): Workflow {
	return {
		name: metadata.name ?? '',
		uid: metadata.uid ?? '',
		resourceVersion: metadata.resourceVersion ?? '0',
		generation: metadata.generation ?? 1,
		spec,
		...nameMatcher(spec.match.signalNames),
	};
}

export function selectWorkflow(
	workflows: Iterable<Workflow>,
	request: Pick<Remediation, 'signal' | 'targetResource'>,
): Workflow | undefined {
	let chosen: Workflow | undefined;
	for (const workflow of workflows)
		if (fits(workflow, request) && (chosen === undefined || comesBefore(workflow, chosen))) chosen = workflow;
	return chosen;
}

function comesBefore(a: Workflow, b: Workflow): boolean {
	return a.spec.priority === b.spec.priority ? a.name < b.name : a.spec.priority > b.spec.priority;
}

function fits(workflow: Workflow, { signal, targetResource }: Pick<Remediation, 'signal' | 'targetResource'>): boolean {
	const { targetKinds, severities, labels = {} } = workflow.spec.match;
	return (
		workflow.namesSignal(signal.name) &&
		(targetKinds === undefined || targetKinds.includes(targetResource.kind)) &&
		(severities === undefined || severities.includes(signal.severity)) &&
		Object.entries(labels).every(([label, value]) => signal.labels[label] === value)
	);
}

/**
 * The CRD takes RE2 expressions; the same engine here means the same meaning, and no expression that never ends. The
 * API server's release of it may still know more than ours: one such expression must not stop all other workflows.
 */
function nameMatcher(signalNames: readonly string[] | undefined): Pick<Workflow, 'namesSignal' | 'unreadable'> {
	if (signalNames === undefined) return { namesSignal: () => true, unreadable: [] };
	const exact = new Set(signalNames.filter((name) => !name.startsWith('^')));
	const expressions: RE2JS[] = [];
	const unreadable: string[] = [];
	for (const source of signalNames.filter((name) => name.startsWith('^'))) {
		try {
			expressions.push(RE2JS.compile(source));
		} catch {
			unreadable.push(source); // told where it is missed: in the block of a request that no workflow fits
		}
	}
	return {
		namesSignal: (signalName) =>
			exact.has(signalName) || expressions.some((expression) => expression.matches(signalName)),
		unreadable,
	};
}
