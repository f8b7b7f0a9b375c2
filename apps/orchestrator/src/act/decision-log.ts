// Log messages about decisions.
import type { Log } from '../process/log.ts';
import type { DecisionObserver } from './reconciler.ts';

export function decisionLog(log: Log): DecisionObserver {
	return {
		decided: (decision, detail) => log.info({ decision, detail }, 'decided'),
		notified: (type) => log.info({ type }, 'notification requested'),
		removed: (phase) => log.info({ phase }, 'finished request removed'),
		contended: (target, holder) => log.debug({ target, holder }, 'target held by another pod'),
		withdrawn: (execution) => log.warn({ execution }, 'execution withdrawn, its request is over'),
		eventFailed(error) {
			const reason = error instanceof Error ? error.message : String(error);
			log.warn({ reason }, 'Event not written');
		},
	};
}
