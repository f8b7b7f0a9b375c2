// What Prometheus is told of the queue and of the decisions.
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { APP } from '../app.ts';
import { NOTIFICATION_REQUEST_TYPES } from '../generated/notification-request.ts';
import { REMEDIATION_REQUEST_BLOCK_REASONS, REMEDIATION_REQUEST_PHASES } from '../generated/remediation-request.ts';
import type { OrchestratorObserver } from '../orchestrator.ts';

const SECONDS = [0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const WRITTEN = ['execute', 'adopt', 'block', 'finish'] as const;

export function controllerMetrics(registry: Registry): Pick<OrchestratorObserver, 'queue' | 'reconcile'> {
	const prefix = APP.metricsPrefix;
	const registers = [registry];
	const depth = new Gauge({
		name: `${prefix}queue_targets`,
		help: 'Targets that are due, and that are being looked at',
		labelNames: ['state'],
		registers,
	});
	const latency = new Histogram({
		name: `${prefix}queue_latency_seconds`,
		help: 'Time that a target waits from being due to being looked at',
		buckets: SECONDS,
		registers,
	});
	const durations = new Histogram({
		name: `${prefix}reconcile_duration_seconds`,
		help: 'Time that one look at a target takes, with what is done about it',
		buckets: SECONDS,
		registers,
	});
	const requeues = new Counter({
		name: `${prefix}requeues_total`,
		help: 'Targets that come again: another replica has the lock (contention), or it failed (error)',
		labelNames: ['reason'],
		registers,
	});
	const decisions = new Counter({
		name: `${prefix}decisions_total`,
		help: 'Decisions that were written, with the phase or the reason of the block',
		labelNames: ['decision', 'detail'],
		registers,
	});
	const told = new Counter({
		name: `${prefix}notifications_total`,
		help: 'NotificationRequests that were asked for, by type',
		labelNames: ['type'],
		registers,
	});
	const removed = new Counter({
		name: `${prefix}requests_removed_total`,
		help: 'Finished RemediationRequests whose time was over, by phase',
		labelNames: ['phase'],
		registers,
	});
	const withdrawn = new Counter({
		name: `${prefix}executions_withdrawn_total`,
		help: 'WorkflowExecutions that were taken back before they began, because their request was over',
		registers,
	});
	const eventFailures = new Counter({
		name: `${prefix}event_failures_total`,
		help: 'Kubernetes Events that could not be written',
		registers,
	});
	for (const reason of ['contention', 'error']) requeues.inc({ reason }, 0);
	for (const type of NOTIFICATION_REQUEST_TYPES) told.inc({ type }, 0);
	for (const decision of WRITTEN) for (const detail of detailsOf(decision)) decisions.inc({ decision, detail }, 0);

	return {
		queue: {
			depth(ready, running) {
				depth.set({ state: 'ready' }, ready);
				depth.set({ state: 'running' }, running);
			},
			started: (seconds) => latency.observe(seconds),
			finished: (seconds) => durations.observe(seconds),
			failed: () => requeues.inc({ reason: 'error' }),
		},
		reconcile: {
			decided: (decision, detail) => decisions.inc({ decision, detail }),
			told: (type) => told.inc({ type }),
			removed: (phase) => removed.inc({ phase }),
			contended: () => requeues.inc({ reason: 'contention' }),
			withdrawn: () => withdrawn.inc(),
			eventFailed: () => eventFailures.inc(),
		},
	};
}

function detailsOf(decision: (typeof WRITTEN)[number]): readonly string[] {
	if (decision === 'block') return REMEDIATION_REQUEST_BLOCK_REASONS;
	if (decision !== 'finish') return ['Executing'];
	return REMEDIATION_REQUEST_PHASES.filter((phase) => !['Pending', 'Executing', 'Blocked'].includes(phase));
}
