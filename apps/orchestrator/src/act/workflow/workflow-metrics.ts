// Metrics of the workflows. The names of workflows are the only label values that are not known in advance: they are
// there from the workflow's first sight to its removal, and at most so many.
import { Counter, type Registry } from 'prom-client';
import { APP } from '../../app.ts';
import { WORKFLOW_RESULTS, type WorkflowObserver } from './workflow-counts.ts';

const MAX_WORKFLOWS = 500;
/** Stands for every workflow beyond those. A name of a Kubernetes object has no such characters. */
const OTHERS = '(others)';

export function workflowMetrics(registry: Registry): WorkflowObserver {
	const requests = new Counter({
		name: `${APP.metricsPrefix}workflow_requests_total`,
		help: 'Requests by workflow: it was chosen when the request was first decided on (matched), a run of it began (executed), and how the run ended (succeeded, failed)',
		labelNames: ['workflow', 'result'],
		registers: [registry],
	});
	const statusFailures = new Counter({
		name: `${APP.metricsPrefix}workflow_status_failures_total`,
		help: 'Failed writes of the status of a RemediationWorkflow',
		registers: [registry],
	});
	const known = new Set<string>();
	const labelOf = (name: string) => (known.has(name) ? name : OTHERS);

	return {
		workflowKnown(name) {
			if (known.has(name) || known.size >= MAX_WORKFLOWS) return;
			known.add(name);
			for (const result of WORKFLOW_RESULTS) requests.inc({ workflow: name, result }, 0);
		},
		workflowRemoved(name) {
			if (!known.delete(name)) return;
			for (const result of WORKFLOW_RESULTS) requests.remove({ workflow: name, result });
		},
		workflowCounted: (name, result) => requests.inc({ workflow: labelOf(name), result }),
		workflowStatusFailed: () => statusFailures.inc(),
	};
}
