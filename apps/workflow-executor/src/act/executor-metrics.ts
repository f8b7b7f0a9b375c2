// Metrics of the lock and of what becomes of executions.
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { APP } from '../app.ts';
import { WAIT_REASONS } from '../decide/create-refusal.ts';
import type { LockObserver } from '../distributed-lock.ts';
import {
	WORKFLOW_EXECUTION_FAILURE_REASONS,
	WORKFLOW_EXECUTION_SKIP_REASONS,
} from '../generated/workflow-execution.ts';
import type { ExecutorObserver } from './executor-observer.ts';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
/** A run lasts for minutes, and its cooldown is part of it. */
const HOLD_SECONDS = [1, 10, 30, 60, 300, 600, 1800, 3600, 7200];

export function lockMetrics(registry: Registry): LockObserver {
	const prefix = `${APP.metricsPrefix}lock_`;
	const registers = [registry];
	const attempts = new Counter({
		name: `${prefix}acquisition_attempts_total`,
		help: 'Attempts to acquire the lock of a target',
		registers,
	});
	const successes = new Counter({
		name: `${prefix}acquisition_successes_total`,
		help: 'Attempts that acquired the lock: the PipelineRun was created or adopted, and claimed',
		registers,
	});
	const failures = new Counter({
		name: `${prefix}acquisition_failures_total`,
		help: 'Attempts that did not acquire the lock: another execution has the target (contention), or the API server failed (api_error)',
		labelNames: ['reason'],
		registers,
	});
	const acquisition = new Histogram({
		name: `${prefix}acquisition_duration_seconds`,
		help: 'Duration of one successful attempt',
		buckets: SECONDS,
		registers,
	});
	const hold = new Histogram({
		name: `${prefix}hold_duration_seconds`,
		help: 'Time a target was locked, run and cooldown included',
		buckets: HOLD_SECONDS,
		registers,
	});
	const releases = new Counter({
		name: `${prefix}releases_total`,
		help: 'Releases: the target was given free (removed), or a step towards it failed and is retried (failed)',
		labelNames: ['result'],
		registers,
	});
	for (const result of ['removed', 'failed']) releases.inc({ result }, 0);
	for (const reason of ['contention', 'api_error']) failures.inc({ reason }, 0);
	return {
		attempted: () => attempts.inc(),
		acquired({ seconds }) {
			successes.inc();
			acquisition.observe(seconds);
		},
		contended: () => failures.inc({ reason: 'contention' }),
		failed: () => failures.inc({ reason: 'api_error' }),
		released({ heldSeconds }) {
			releases.inc({ result: 'removed' });
			hold.observe(heldSeconds);
		},
		releaseFailed: () => releases.inc({ result: 'failed' }),
	};
}

export function executorMetrics(registry: Registry): ExecutorObserver {
	const prefix = APP.metricsPrefix;
	const registers = [registry];
	const ended = new Counter({
		name: `${prefix}executions_ended_total`,
		help: 'WorkflowExecutions that ended, by phase and reason',
		labelNames: ['phase', 'reason'],
		registers,
	});
	const waits = new Counter({
		name: `${prefix}executions_waiting_total`,
		help: 'WorkflowExecutions that began to wait in Pending, by what is missing',
		labelNames: ['reason'],
		registers,
	});
	const takeovers = new Counter({
		name: `${prefix}lock_takeovers_total`,
		help: 'Runs that another replica had made, and that this one claimed',
		registers,
	});
	const lost = new Counter({
		name: `${prefix}lock_lost_total`,
		help: 'Locks lost while their execution ran: the PipelineRun was deleted (removed)',
		labelNames: ['reason'],
		registers,
	});
	const waiters = new Gauge({
		name: `${prefix}lock_waiters`,
		help: 'WorkflowExecutions that wait for their run',
		registers,
	});
	const abandoned = new Counter({
		name: `${prefix}runs_abandoned_total`,
		help: 'Runs whose pods did not end for run.orphan_after, so that their target was given free without them',
		registers,
	});
	const eventFailures = new Counter({
		name: `${prefix}event_failures_total`,
		help: 'Kubernetes Events that could not be written',
		registers,
	});
	ended.inc({ phase: 'Completed', reason: 'Completed' }, 0);
	for (const reason of WORKFLOW_EXECUTION_FAILURE_REASONS) ended.inc({ phase: 'Failed', reason }, 0);
	for (const reason of WORKFLOW_EXECUTION_SKIP_REASONS) ended.inc({ phase: 'Skipped', reason }, 0);
	for (const reason of Object.keys(WAIT_REASONS)) waits.inc({ reason }, 0);
	lost.inc({ reason: 'removed' }, 0);
	return {
		ended(phase, reason) {
			ended.inc({ phase, reason });
			if (reason === 'ExternallyDeleted') lost.inc({ reason: 'removed' });
		},
		waiting: (reason) => waits.inc({ reason }),
		takenOver: () => takeovers.inc(),
		waitersChanged: (count) => waiters.set(count),
		abandoned: () => abandoned.inc(),
		eventFailed: () => eventFailures.inc(),
	};
}
