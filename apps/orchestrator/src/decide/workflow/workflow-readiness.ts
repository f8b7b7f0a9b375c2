// Whether a RemediationWorkflow can work as it is written, and if not why not: its condition Ready.
import type { RemediationWorkflowCondition } from '../../generated/remediation-workflow.ts';
import { REMEDIATION_WORKFLOW_LIMITS as LIMITS } from '../../generated/remediation-workflow.ts';
import type { Workflow } from '../../objects/workflow.ts';
import { parameterProblems } from './parameter-template.ts';

/** Every reason of the condition Ready, with what it means. */
export const READY_REASONS = {
	Valid: 'Nothing in it is known not to work.',
	ExpressionTooCostly: 'The expressions of match.signalNames compile to too much; only its plain names are matched.',
	ExpressionUnreadable:
		'The orchestrator cannot compile an expression that the API server accepted; it matches nothing.',
	PatternTooCostly: 'The expressions of parameterPatterns compile to too much; no value fits them.',
	PatternUnreadable: 'The orchestrator cannot compile a pattern that the API server accepted; no value fits it.',
	TemplateInvalid: 'A parameter cannot be filled from any signal.',
} as const;
export type ReadyReason = keyof typeof READY_REASONS;

const READY = 'Ready';
const MAX_MESSAGE_LENGTH = LIMITS['status.conditions[].message'].maxLength;

/** The conditions that are to be written; undefined when they are stored already. */
export function conditionsToWrite(workflow: Workflow, now: Date): RemediationWorkflowCondition[] | undefined {
	const { generation, conditions } = workflow;
	const stored = conditions.find(({ type }) => type === READY);
	const wanted = readiness(workflow);
	const isStored =
		stored?.observedGeneration === generation &&
		stored.status === wanted.status &&
		stored.reason === wanted.reason &&
		stored.message === wanted.message;
	if (isStored) return undefined;
	const lastTransitionTime =
		stored?.status === wanted.status ? stored.lastTransitionTime : now.toISOString().replace(/\.\d{3}Z$/, 'Z');
	return [
		...conditions.filter(({ type }) => type !== READY),
		{ type: READY, ...wanted, observedGeneration: generation, lastTransitionTime },
	];
}

/** For the block of a request that no workflow matches: an expression that is not used may be why. */
export function describeUnused(workflows: readonly Workflow[]): string {
	const unused = workflows.flatMap(({ name, expressions }) =>
		expressions
			.problems()
			.filter(({ reason }) => reason.startsWith('Expression'))
			.map(({ message }) => ({ name, message })),
	);
	const [first] = unused.toSorted((a, b) => (a.name < b.name ? -1 : 1));
	return first === undefined ? '' : `; RemediationWorkflow ${first.name} is not ready: ${first.message}`;
}

function readiness(workflow: Workflow): { status: 'True' | 'False'; reason: ReadyReason; message: string } {
	const problems: { readonly reason: ReadyReason; readonly message: string }[] = [
		...workflow.expressions.problems(),
		...parameterProblems(workflow).map((message) => ({ reason: 'TemplateInvalid', message }) as const),
	];
	const [first] = problems;
	if (first === undefined) return { status: 'True', reason: 'Valid', message: '' };
	const message = problems.map((problem) => problem.message).join('; ');
	return { status: 'False', reason: first.reason, message: message.slice(0, MAX_MESSAGE_LENGTH).toWellFormed() };
}
