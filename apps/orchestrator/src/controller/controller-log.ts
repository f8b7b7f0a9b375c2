// What operators read in the log about decisions.

import type { OrchestratorObserver } from '../orchestrator.ts';
import type { Log } from '../process/log.ts';

export function controllerLog(log: Log): Pick<OrchestratorObserver, 'queue' | 'reconcile'> {
	return {
		queue: {
			depth() {},
			started() {},
			finished() {},
			failed: (target, error, retryInMs) =>
				log.warn({ target, reason: wordsOf(error), retryInMs: Math.round(retryInMs) }, 'look at a target failed'),
		},
		reconcile: {
			decided: (decision, detail) => log.info({ decision, detail }, 'decided'),
			told: (type) => log.info({ type }, 'asked for a notification'),
			removed: (phase) => log.info({ phase }, 'removed a finished request'),
			contended: (target, holder) => log.debug({ target, holder }, 'target held by another pod'),
			withdrawn: (execution) => log.warn({ execution }, 'withdrew an execution whose request is over'),
			eventFailed: (error) => log.warn({ reason: wordsOf(error) }, 'could not write an Event'),
		},
	};
}

function wordsOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
