// A retry loop as an async iterator: attempt, wait, attempt, …; n attempts have n − 1 waits.
//
// Guaranteed: the first attempt comes at once; an abort ends the loop at once, also in the middle of a wait, and
// yields no further attempt. `break` and `return` leave nothing behind, because a wait only runs between two attempts.
// Not guaranteed: that the work inside an attempt stops on abort. It has the same signal and must look itself.
//
// Abort is not an error, so the loop just ends. Where the body returns on `isLast`, code after the loop runs only after
// an abort.
import { BackoffError } from './backoff-error.ts';
import { type SleepOptions, sleep } from './sleep.ts';

export type Attempt =
	| { readonly number: number; readonly isLast: false; readonly nextDelayMs: number }
	| { readonly number: number; readonly isLast: true; readonly nextDelayMs: undefined };

/** `sleep`, or something that may end sooner, e.g. when a watch sees the lock released. It must heed the signal. */
export type Wait = (delayMs: number, options: SleepOptions) => Promise<unknown>;

export interface AttemptsOptions extends SleepOptions {
	/** Has no default: to retry for ever, write `Infinity`. */
	readonly maxAttempts: number;
	readonly wait?: Wait | undefined;
}

// Not itself a generator: those run nothing before the first `next`, and a wrong limit must be refused at the call.
export function attemptsWithDelays(
	delayAfter: (attempt: number) => number,
	options: AttemptsOptions,
): AsyncGenerator<Attempt, void, undefined> {
	const { maxAttempts } = options;
	if (maxAttempts !== Infinity && (!Number.isSafeInteger(maxAttempts) || maxAttempts < 1))
		throw new BackoffError(
			'BACKOFF_MAX_ATTEMPTS_INVALID',
			'maxAttempts',
			maxAttempts,
			`must be an integer from 1 to ${Number.MAX_SAFE_INTEGER}, or Infinity`,
		);
	return iterate(delayAfter, options);
}

async function* iterate(
	delayAfter: (attempt: number) => number,
	{ maxAttempts, signal, clock, wait = sleep }: AttemptsOptions,
): AsyncGenerator<Attempt, void, undefined> {
	for (let number = 1; ; number++) {
		if (signal?.aborted) return;
		if (number === maxAttempts) {
			yield { number, isLast: true, nextDelayMs: undefined };
			return;
		}
		// Drawn before the attempt, so that its log line and metric can name the wait that follows.
		const nextDelayMs = delayAfter(number);
		yield { number, isLast: false, nextDelayMs };
		if (signal?.aborted) return;
		await wait(nextDelayMs, { signal, clock });
	}
}
