// Which RemediationWorkflow answers a signal: the one with the highest priority of those whose every criterion matches.
// Of equal priorities the first by name, so that every replica chooses the same.
import type { Remediation } from '../objects/remediation.ts';
import type { Workflow } from '../objects/workflow.ts';

export function selectWorkflow(
	workflows: Iterable<Workflow>,
	request: Pick<Remediation, 'signal' | 'targetResource'>,
): Workflow | undefined {
	let chosen: Workflow | undefined;
	for (const workflow of workflows)
		if (matches(workflow, request) && (chosen === undefined || comesBefore(workflow, chosen))) chosen = workflow;
	return chosen;
}

function comesBefore(a: Workflow, b: Workflow): boolean {
	return a.spec.priority === b.spec.priority ? a.name < b.name : a.spec.priority > b.spec.priority;
}

function matches(
	workflow: Workflow,
	{ signal, targetResource }: Pick<Remediation, 'signal' | 'targetResource'>,
): boolean {
	const { targetKinds, severities, labels = {} } = workflow.spec.match;
	return (
		workflow.namesSignal(signal.name) &&
		(targetKinds === undefined || targetKinds.includes(targetResource.kind)) &&
		(severities === undefined || severities.includes(signal.severity)) &&
		Object.entries(labels).every(([label, value]) => signal.labels[label] === value)
	);
}
