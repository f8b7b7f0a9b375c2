// Metrics of the decisions.
import { Counter, Gauge, type Registry } from 'prom-client';
import { APP } from '../app.ts';
import type { LockedDecision } from '../decide/decision.ts';
import { NOTIFICATION_REQUEST_TYPES } from '../generated/notification-request.ts';
import { REMEDIATION_REQUEST_BLOCK_REASONS, REMEDIATION_REQUEST_PHASES } from '../generated/remediation-request.ts';
import type { PauseChange } from '../objects/known-pause.ts';
import { PAUSE_SCOPES } from '../objects/pause-switch.ts';
import { isTerminalPhase } from '../objects/remediation.ts';
import { CREATE_FAILURES } from './failed-creates.ts';
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
		help: 'WorkflowExecutions that were withdrawn before they began, because of a pause, a rejection, a resolved signal or the end of their request',
		registers,
	});
	const createFailures = new Counter({
		name: `${prefix}execution_create_failures_total`,
		help: 'WorkflowExecutions that were not created: the API server rejected them, failed, or the pause switch could not be read',
		labelNames: ['reason'],
		registers,
	});
	for (const reason of CREATE_FAILURES) createFailures.inc({ reason }, 0);
	const eventFailures = new Counter({
		name: `${prefix}event_failures_total`,
		help: 'Kubernetes Events that could not be written',
		registers,
	});
	for (const phase of DETAILS.finish) removed.inc({ phase }, 0);
	for (const type of NOTIFICATION_REQUEST_TYPES) notifications.inc({ type }, 0);
	for (const [decision, details] of Object.entries(DETAILS))
		for (const detail of details) decisions.inc({ decision, detail }, 0);

	return {
		decided: (decision, detail) => decisions.inc({ decision, detail }),
		notified: (type) => notifications.inc({ type }),
		removed: (phase) => removed.inc({ phase }),
		contended,
		withdrawn: () => withdrawn.inc(),
		createFailed: (reason) => createFailures.inc({ reason }),
		eventFailed: () => eventFailures.inc(),
	};
}

/** 1 at what the switch stops now. */
export function pauseMetrics(registry: Registry): (change: PauseChange) => void {
	const paused = new Gauge({
		name: `${APP.metricsPrefix}pause`,
		help: 'What the pause switch stops: 1 for its scope, 0 for the others',
		labelNames: ['scope'],
		registers: [registry],
	});
	const set = (current: string) => {
		for (const scope of PAUSE_SCOPES) paused.set({ scope }, scope === current ? 1 : 0);
	};
	set('nothing');
	return ({ pause }) => set(pause.scope);
}
