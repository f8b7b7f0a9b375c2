// The run that a request asks for: its workflow, with the parameters filled. The one place where routing chooses a workflow
// for a request, its own or another of the target.
import type { Remediation } from '../objects/remediation.ts';
import { runIdentity } from '../objects/run-identity.ts';
import type { Workflow } from '../objects/workflow.ts';
import { type FillResult, fillParameters } from './workflow/parameter-template.ts';
import { selectWorkflow } from './workflow/workflow-match.ts';

export type AskedRun = {
	readonly workflow: Workflow;
	readonly filled: FillResult;
	/**
	 * Equal for requests that ask for the very same run. Parameters that cannot be filled for the same reason are the same,
	 * too: one person corrects them once, and one request of them is reported.
	 */
	readonly identity: string;
};

// A look at a target asks for the run of each request many times; both objects are replaced when they change.
const remembered = new WeakMap<Workflow, WeakMap<Remediation, AskedRun>>();

export function askedRun(request: Remediation, workflows: readonly Workflow[]): AskedRun | undefined {
	const workflow = selectWorkflow(workflows, request);
	if (workflow === undefined) return undefined;
	let ofWorkflow = remembered.get(workflow);
	if (ofWorkflow === undefined) remembered.set(workflow, (ofWorkflow = new WeakMap()));
	const known = ofWorkflow.get(request);
	if (known !== undefined) return known;
	const asked = fill(request, workflow);
	ofWorkflow.set(request, asked);
	return asked;
}

function fill(request: Remediation, workflow: Workflow): AskedRun {
	const filled = fillParameters(workflow, request);
	const { uid: workflowUid, generation } = workflow;
	const { target } = request;
	const identity =
		'parameters' in filled
			? runIdentity({ workflowUid, generation, target, parameters: filled.parameters })
			: JSON.stringify([workflowUid, generation, target, filled.problem]);
	return { workflow, filled, identity };
}
