// Counts what becomes of the workflows: each by the replica whose write the API server accepted, so once over all replicas.
import { selectWorkflow } from '../../decide/workflow/workflow-match.ts';
import type { KnownObjects } from '../../objects/known-objects.ts';
import type { Remediation } from '../../objects/remediation.ts';
import type { RequestWriter } from '../request-writer.ts';

/** Of a request that a workflow answers, when it is first decided on; that its execution began; and how that ended. */
export const WORKFLOW_RESULTS = ['matched', 'executed', 'succeeded', 'failed'] as const;
export type WorkflowResult = (typeof WORKFLOW_RESULTS)[number];
export type WorkflowObserver = {
	/** It exists: its counts are there from now on. */
	workflowKnown(name: string): void;
	workflowRemoved(name: string): void;
	workflowCounted(name: string, result: WorkflowResult): void;
	workflowStatusFailed(name: string, error: unknown, retryInMs: number): void;
};
type Known = {
	readonly workflows: Pick<KnownObjects['workflows'], 'list'>;
	readonly executions: Pick<KnownObjects['executions'], 'by'>;
};

export function countingWriter(
	writer: RequestWriter,
	known: Known,
	observer: Pick<WorkflowObserver, 'workflowCounted'>,
): RequestWriter {
	return {
		...writer,
		async write(request, patchOf, decision, fencing) {
			const written = await writer.write(request, patchOf, decision, fencing);
			if (written !== undefined) count(request, written);
			return written;
		},
	};

	function count(before: Remediation, after: Remediation): void {
		const matched = before.phase === undefined ? selectWorkflow(known.workflows.list, before) : undefined;
		if (matched !== undefined) observer.workflowCounted(matched.name, 'matched');
		const result = resultOf(before, after);
		const execution = known.executions.by('target', after.target).find(({ uid }) => uid === after.executionRef?.uid);
		if (result !== undefined && execution !== undefined) observer.workflowCounted(execution.workflowName, result);
	}
}

function resultOf(before: Remediation, after: Remediation): WorkflowResult | undefined {
	if (after.phase === 'Executing') return before.phase === 'Executing' ? undefined : 'executed';
	if (after.phase === 'Completed' && after.outcome === 'Remediated') return 'succeeded';
	return after.phase === 'Failed' && after.outcome === 'RemediationFailed' ? 'failed' : undefined;
}
