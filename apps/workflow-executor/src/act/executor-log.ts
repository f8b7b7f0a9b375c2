// Log messages about locks and executions.
import type { LockObserver } from '../distributed-lock.ts';
import type { Log } from '../process/log.ts';
import type { ExecutorObserver } from './executor-observer.ts';

export function lockLog(log: Log): LockObserver {
	return {
		attempted() {},
		acquired: ({ key, holder }) => log.info({ key, holder }, 'acquired target'),
		contended: ({ key, holder }) => log.info({ key, holder }, 'target held by another execution'),
		failed: ({ key, fault }) =>
			log.error({ key, fault: fault.kind, reason: fault.message }, 'failed to acquire target'),
		released: ({ key, holder }) => log.info({ key, holder }, 'released target'),
		releaseFailed: ({ key, holder, error }) =>
			log.warn({ key, holder, reason: describeError(error) }, 'failed to release target'),
	};
}

export function executorLog(log: Log): ExecutorObserver {
	return {
		ended: (phase, reason) => log.info({ phase, reason }, 'execution ended'),
		waiting: (reason) => log.warn({ reason }, 'execution waits'),
		takenOver: (run) => log.info({ run }, 'claimed a run that another replica had made'),
		waitersChanged() {},
		abandoned: (run) => log.error({ run }, 'run abandoned, its pods did not end'),
		eventFailed: (error) => log.warn({ reason: describeError(error) }, 'Event not written'),
	};
}

function describeError(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
