// Which RemediationWorkflow answers a signal: the one with the highest priority of those whose every criterion matches.
// Of equal priorities the first by name, so that every replica chooses the same.
// The choice follows from the spec of the request, which never changes, and from those of the workflows: it is made once
// and remembered, because every look at a target asks for it for all its requests.
import type { Remediation, Signal } from '../../objects/remediation.ts';
import type { Workflow } from '../../objects/workflow.ts';

type Matched = Pick<Remediation, 'signal' | 'targetResource'>;
type Choice = { readonly kind: string; readonly workflow: Workflow | undefined };

// All versions of a request share their signal (objects/signal-texts.ts), and the array of the workflows is the same as
// long as no spec changes (objects/known-workflows.ts). The kind of the target is in neither.
const choices = new WeakMap<readonly Workflow[], WeakMap<Signal, Choice>>();

export function selectWorkflow(workflows: readonly Workflow[], request: Matched): Workflow | undefined {
	const known = choiceFor(workflows, request);
	if (known !== undefined) return known.workflow;
	let chosen: Workflow | undefined;
	for (const workflow of workflows)
		if (answers(workflow, request) && (chosen === undefined || comesBefore(workflow, chosen))) chosen = workflow;
	const ofWorkflows = choices.get(workflows) ?? new WeakMap<Signal, Choice>();
	choices.set(workflows, ofWorkflows);
	ofWorkflows.set(request.signal, { kind: request.targetResource.kind, workflow: chosen });
	return chosen;
}

/** It was chosen before, so that to ask again costs nothing. */
export function isSelected(workflows: readonly Workflow[], request: Matched): boolean {
	return choiceFor(workflows, request) !== undefined;
}

function choiceFor(workflows: readonly Workflow[], { signal, targetResource }: Matched): Choice | undefined {
	const known = choices.get(workflows)?.get(signal);
	return known?.kind === targetResource.kind ? known : undefined;
}

function comesBefore(a: Workflow, b: Workflow): boolean {
	return a.spec.priority === b.spec.priority ? a.name < b.name : a.spec.priority > b.spec.priority;
}

/** Whether it meets every criterion. */
export function answers(workflow: Workflow, { signal, targetResource }: Matched): boolean {
	const { targetKinds, severities, labels = {} } = workflow.spec.match;
	return (
		(targetKinds === undefined || targetKinds.includes(targetResource.kind)) &&
		(severities === undefined || severities.includes(signal.severity)) &&
		Object.entries(labels).every(([label, value]) => signal.labels[label] === value) &&
		workflow.expressions.namesSignal(signal.name) // last: it costs most
	);
}
