// Handles the signals of one body: each on its own, some at a time, all within one deadline, also when a use case does
// not listen to it. It ends early only when the client is gone.
// A batch that is too large for one deadline comes again as a whole, and what was done costs time again. It begins at
// another place each time, or its end would never be reached.
import { eitherAborted, orAborted } from '../process/abort.ts';
import type { ParsedSignal } from '../signal/parsed-signal.ts';
import type { DeferralReason, IngestResult, ResolveResult, SignalIngest } from '../signal/signal.ts';
import { deferred, type HandledSignal, handledFrom, rejected } from './signal-result.ts';

export type HandlingOptions = {
	readonly ingest: SignalIngest;
	readonly parallel: number;
	/** Aborts when the client is gone. */
	readonly client: AbortSignal;
	/** Aborts when time is up. */
	readonly deadline: AbortSignal;
	/** A use case threw: a bug, or a fault that it did not foresee. */
	readonly onFault: (error: unknown) => void;
	/** The details are for our log, not for the caller. */
	readonly onDeferred: (reason: DeferralReason, detail: string) => void;
	/** The API server rejected a signal that we understood. */
	readonly onRejected: (detail: string) => void;
	/** From 0 up to 1, as Math.random gives it. */
	readonly random?: () => number;
};

/** Retry-After of a signal that was deferred by the deadline or by a fault. */
const RETRY_AFTER_MS = 1000;

/** Rejects with the client's reason when it left. */
export async function handleSignals(
	signals: readonly ParsedSignal[],
	options: HandlingOptions,
): Promise<HandledSignal[]> {
	const { signal: abort, forget } = eitherAborted(options.client, options.deadline);
	const handled: HandledSignal[] = [];
	const first = Math.floor((options.random ?? Math.random)() * signals.length);
	const entries = [...signals.entries()];
	const rest = [...entries.slice(first), ...entries.slice(0, first)].values();
	async function work(): Promise<void> {
		for (const [index, parsed] of rest) {
			handled[index] = await handleOne(parsed, options, abort);
			options.client.throwIfAborted();
		}
	}
	try {
		await Promise.all(Array.from({ length: Math.min(options.parallel, signals.length) }, work));
		return handled;
	} finally {
		forget();
	}
}

async function handleOne(
	parsed: ParsedSignal,
	{ ingest, deadline, client, onFault, onDeferred, onRejected }: HandlingOptions,
	abort: AbortSignal,
): Promise<HandledSignal> {
	if (parsed.action === 'ignore') return { result: { status: 'ignored', duplicate: false, message: parsed.message } };
	if (parsed.action === 'reject') return rejected(parsed.message);
	const { fingerprint } = parsed.signal;
	try {
		abort.throwIfAborted();
		const outcome = await orAborted<IngestResult | ResolveResult>(
			ingest[parsed.action](parsed.signal, { abort }),
			abort,
		);
		if (outcome.outcome === 'deferred') onDeferred(outcome.reason, outcome.message);
		if (outcome.outcome === 'rejected') onRejected(outcome.message);
		return handledFrom(outcome, fingerprint);
	} catch (error) {
		client.throwIfAborted();
		if (deadline.aborted) return deferred(fingerprint, { because: 'deadline', retryAfterMs: RETRY_AFTER_MS });
		onFault(error);
		return deferred(fingerprint, { because: 'fault', retryAfterMs: RETRY_AFTER_MS });
	}
}
