// Log messages about locks. Operators search for these exact words: docs/locks lists them.

import type { Log } from '../process/log.ts';
import type { LockFault } from './lock-errors.ts';
import type { LockObserver } from './lock-ports.ts';

export function lockLog(log: Log): LockObserver {
	return {
		attempted() {},
		acquired: ({ key, holder, takeover }) => log.info({ key, holder, takeover }, 'acquired lease'),
		contended: ({ key, holder }) => log.info({ key, holder }, 'lease held by another pod'),
		failed: ({ key, fault }: { key: string; fault: LockFault }) =>
			log.error({ key, fault: fault.kind, reason: fault.message }, 'failed to acquire lease'),
		released: ({ key, holder }) => log.info({ key, holder }, 'deleted lease'),
		releaseFailed: ({ key, holder, error }) =>
			log.warn(
				{ key, holder, reason: error instanceof Error ? error.message : String(error) },
				'failed to delete lease',
			),
		lost: ({ key, holder, loss }) => log.warn({ key, holder, loss }, 'lost lease'),
		swept: ({ name, holder }) => log.info({ name, holder }, 'deleted orphaned lease'),
		waiting() {},
	};
}
