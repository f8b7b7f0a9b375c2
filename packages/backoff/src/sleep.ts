import { BackoffError } from './backoff-error.ts';
import type { Clock } from './clock.ts';
import { systemClock } from './system-clock.ts';

export interface SleepOptions {
	readonly signal?: AbortSignal | undefined;
	readonly clock?: Clock | undefined;
}

export type SleepOutcome = 'elapsed' | 'aborted';

/**
 * Abort is an outcome, not an error: it ends the sleep at once. Either way nothing is left behind,
 * neither a timer nor a listener on the signal. Of any length, also past the limit of Node's own timers.
 */
export async function sleep(
	delayMs: number,
	{ signal, clock = systemClock }: SleepOptions = {},
): Promise<SleepOutcome> {
	if (!Number.isFinite(delayMs) || delayMs < 0)
		throw new BackoffError('BACKOFF_DELAY_INVALID', 'delayMs', delayMs, 'must be a finite number of at least 0');
	if (signal?.aborted) return 'aborted';

	return new Promise((resolve) => {
		const onAbort = () => {
			cancelTimer();
			resolve('aborted');
		};
		signal?.addEventListener('abort', onAbort, { once: true });
		const cancelTimer = clock.setTimer(() => {
			signal?.removeEventListener('abort', onAbort);
			resolve('elapsed');
		}, delayMs);
	});
}
