// Log messages of the work queue.
import type { Log } from '../process/log.ts';
import type { QueueObserver } from './work-queue.ts';

export function controllerLog(log: Log): QueueObserver {
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
