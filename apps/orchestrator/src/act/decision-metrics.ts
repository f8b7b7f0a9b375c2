// Metrics of the decisions.
import { Counter, type Registry } from 'prom-client';
import { APP } from '../app.ts';
import type { LockedDecision } from '../decide/decision.ts';
import { NOTIFICATION_REQUEST_TYPES } from '../generated/notification-request.ts';
import { REMEDIATION_REQUEST_BLOCK_REASONS, REMEDIATION_REQUEST_PHASES } from '../generated/remediation-request.ts';
import { isTerminalPhase } from '../objects/remediation.ts';
import type { DecisionObserver } from './reconciler.ts';

/** Every decision that is written into a request, with every detail that it can have. */
const DETAILS: Readonly<Record<LockedDecision['do'], readonly string[]>> = {
	execute: ['Executing'],
	adopt: ['Executing'],
	block: REMEDIATION_REQUEST_BLOCK_REASONS,
	finish: REMEDIATION_REQUEST_PHASES.filter(isTerminalPhase),
};

/** `contended` counts a target that is requeued because another replica holds its lock. */
export function decisionMetrics(registry: Registry, contended: () => void): DecisionObserver {
	const prefix = APP.metricsPrefix;
	const registers = [registry];
	const decisions = new Counter({
		name: `${prefix}decisions_total`,
		help: 'Decisions that were written into a request, with its phase or block reason',
		labelNames: ['decision', 'detail'],
		registers,
	});
	const notifications = new Counter({
		name: `${prefix}notifications_total`,
		help: 'NotificationRequests that were created, by type',
		labelNames: ['type'],
		registers,
	});
	const removed = new Counter({
		name: `${prefix}requests_removed_total`,
		help: 'Finished RemediationRequests that were removed after their retention, by phase',
		labelNames: ['phase'],
		registers,
	});
	const withdrawn = new Counter({
		name: `${prefix}executions_withdrawn_total`,
		help: 'WorkflowExecutions that were withdrawn before they began, because their request was over',
		registers,
	});
	const eventFailures = new Counter({
		name: `${prefix}event_failures_total`,
		help: 'Kubernetes Events that could not be written',
		registers,
	});
	for (const type of NOTIFICATION_REQUEST_TYPES) notifications.inc({ type }, 0);
	for (const [decision, details] of Object.entries(DETAILS))
		for (const detail of details) decisions.inc({ decision, detail }, 0);

	return {
		decided: (decision, detail) => decisions.inc({ decision, detail }),
		notified: (type) => notifications.inc({ type }),
		removed: (phase) => removed.inc({ phase }),
		contended,
		withdrawn: () => withdrawn.inc(),
		eventFailed: () => eventFailures.inc(),
	};
}
