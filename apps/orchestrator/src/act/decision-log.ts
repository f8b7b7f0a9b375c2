// Log messages about decisions and workflows.
import type { PauseChange } from '../objects/known-pause.ts';
import type { Log } from '../process/log.ts';
import type { DecisionObserver } from './reconciler.ts';
import type { WorkflowObserver } from './workflow/workflow-counts.ts';

export function decisionLog(log: Log): DecisionObserver {
	return {
		decided: (decision, detail) => log.info({ decision, detail }, 'decided'),
		notified: (type) => log.info({ type }, 'notification requested'),
		removed: (phase) => log.info({ phase }, 'finished request removed'),
		contended: (target, holder) => log.debug({ target, holder }, 'target held by another pod'),
		withdrawn: (execution, why) => log.warn({ execution, why }, 'execution withdrawn before it began'),
		createFailed: (reason) => log.warn({ reason }, 'execution not created'),
		eventFailed(error) {
			const reason = error instanceof Error ? error.message : String(error);
			log.warn({ reason }, 'Event not written');
		},
	};
}

export function workflowLog(log: Log): WorkflowObserver {
	return {
		workflowKnown() {},
		workflowRemoved() {},
		workflowCounted() {},
		workflowStatusFailed(workflow, error, retryInMs) {
			const reason = error instanceof Error ? error.message : String(error);
			log.warn({ workflow, reason, retryInMs: Math.round(retryInMs) }, 'workflow status not written');
		},
	};
}

export function logPause(log: Log): (change: PauseChange) => void {
	return ({ pause }) => log.warn({ scope: pause.scope, reason: pause.description }, 'pause switch changed');
}
