// A RemediationWorkflow as the orchestrator sees it.
import type {
	RemediationWorkflow,
	RemediationWorkflowCondition,
	RemediationWorkflowSpec,
} from '../generated/remediation-workflow.ts';
import { WorkflowExpressions } from './expressions/workflow-expressions.ts';

export type Workflow = {
	readonly name: string;
	readonly uid: string;
	readonly resourceVersion: string;
	readonly generation: number;
	readonly spec: RemediationWorkflowSpec;
	/** Of the spec. */
	readonly expressions: WorkflowExpressions;
	readonly conditions: readonly RemediationWorkflowCondition[];
};

export function toWorkflow({ metadata, spec, status }: RemediationWorkflow): Workflow {
	return {
		name: metadata.name,
		uid: metadata.uid,
		resourceVersion: metadata.resourceVersion,
		generation: metadata.generation,
		spec,
		expressions: new WorkflowExpressions(spec),
		conditions: status?.conditions ?? [],
	};
}

/** Nothing but the status differs. */
export function isSameSpec(a: Workflow, b: Workflow): boolean {
	return a.uid === b.uid && a.generation === b.generation;
}
