// Faults of the API server and of the lock, as the result of a signal: deferred when they may pass, else rejected.
import { LockClosedError, LockFault, LockLostError } from '../distributed-lock.ts';
import { KubeError } from '../kube/kube.ts';
import type { DeferralReason, Deferred, Rejected } from '../signal/signal.ts';
import { WorkOverload } from './work-places.ts';

const RETRY_AFTER_MS = 1000;
const FORBIDDEN: ReadonlySet<string> = new Set(['KUBE_FORBIDDEN', 'KUBE_NOT_GRANTED', 'KUBE_UNAUTHORIZED']);
/** For good, whatever the number of tries. */
const REFUSED: ReadonlySet<string> = new Set(['KUBE_INVALID', 'KUBE_TOO_LARGE']);
const FAULT_REASONS: Readonly<Record<LockFault['kind'], DeferralReason>> = {
	forbidden: 'api-forbidden',
	throttled: 'api-throttled',
	unavailable: 'api-unavailable',
	timeout: 'api-slow',
};

/** Faults that may pass become a deferral; the caller's own abort stays what it is. */
export async function asResult<T>(run: () => Promise<T>): Promise<T | Deferred | Rejected> {
	try {
		return await run();
	} catch (error) {
		if (error instanceof WorkOverload) return deferred('overloaded', error.message, error.retryAfterMs);
		if (error instanceof LockClosedError) return deferred('shutting-down', error.message);
		if (error instanceof LockLostError) return deferred('lock-timeout', error.message);
		if (error instanceof LockFault) return deferred(FAULT_REASONS[error.kind], error.message);
		if (!(error instanceof KubeError)) throw error;
		if (FORBIDDEN.has(error.code)) return deferred('api-forbidden', error.message);
		if (error.code === 'KUBE_CONFLICT') return deferred('contention', error.message);
		if (REFUSED.has(error.code)) return { outcome: 'rejected', message: error.message };
		if (error.code === 'KUBE_THROTTLED') return deferred('api-throttled', error.message, error.retryAfterMs);
		if (error.code === 'KUBE_TIMEOUT') return deferred('api-slow', error.message);
		return deferred('api-unavailable', error.message, error.retryAfterMs);
	}
}

export function deferred(reason: DeferralReason, message: string, retryAfterMs = RETRY_AFTER_MS): Deferred {
	return { outcome: 'deferred', reason, retryAfterMs, message };
}
