// Writes into the status of a RemediationWorkflow whether it can work: once for each generation, by the replica whose turn
// it is. The others see it written, and write nothing.
import { conditionsToWrite } from '../../decide/workflow/workflow-readiness.ts';
import type { KnownWorkflows } from '../../objects/known-workflows.ts';
import type { ObjectStore } from '../../objects/object-store.ts';

export function createWorkflowStatus(
	store: Pick<ObjectStore, 'patchWorkflow'>,
	known: Pick<KnownWorkflows, 'get' | 'changed'>,
	now: () => Date,
): (name: string) => Promise<{ readonly afterMs?: number }> {
	return async (name) => {
		const workflow = known.get(name);
		const conditions = workflow === undefined ? undefined : conditionsToWrite(workflow, now());
		if (workflow === undefined || conditions === undefined) return {};
		const answer = await store.patchWorkflow(workflow, { conditions });
		// Changed or gone: the watch reports it, and the name is enqueued again.
		if (typeof answer === 'object') known.changed(answer);
		return {};
	};
}
