import type { Log } from '../process/log.ts';
import type { RoutingObserver } from './routing.ts';

export function routingLog(log: Log): RoutingObserver {
	return {
		loaded: ({ rules }) => log.info({ rules }, 'routing rules loaded'),
		rejected: ({ problem }) => log.error({ problem }, 'routing file rejected, the last valid rules stay in use'),
	};
}
