// What operators read in the log about reconciles.
import type { Log } from '../process/log.ts';
import type { QueueObserver } from './work-queue.ts';

export function queueLog(log: Log): QueueObserver {
	return {
		depth() {},
		started() {},
		finished() {},
		failed(key, error, retryInMs) {
			const reason = error instanceof Error ? error.message : String(error);
			log.warn({ target: key, reason, retryInMs: Math.round(retryInMs) }, 'reconcile failed');
		},
	};
}
