// Carries out what a body's readings ask for: each on its own, some at a time, all within one deadline, also when a use
// case does not listen to it. It ends early only when nobody waits for the answer any more.
// A batch that is too large for one deadline comes again as a whole, and what was done costs time again. It begins at
// another place each time, or its end would never be reached.
import { eitherAborted, orAborted } from '../process/abort.ts';
import type { SignalReading } from '../signal/parsed-signal.ts';
import type { IngestResult, LaterReason, ResolveResult, SignalIngest } from '../signal/signal.ts';
import { type HandledSignal, handledFrom, rejected, retried } from './signal-result.ts';

export type HandlingOptions = {
	readonly ingest: SignalIngest;
	readonly parallel: number;
	/** Aborts when the client is gone. */
	readonly client: AbortSignal;
	/** Aborts when time is up. */
	readonly deadline: AbortSignal;
	/** A use case threw: a bug, or a fault that it did not foresee. */
	readonly onFault: (error: unknown) => void;
	/** A signal was not taken; the detail is for our log, not for the caller. */
	readonly onNotTaken: (reason: NotTakenReason, detail: string) => void;
	/** From 0 up to 1, as Math.random gives it. */
	readonly random?: () => number;
};
/** `refused`: for good. */
export type NotTakenReason = LaterReason | 'refused';

/** What to tell a sender whose signal was not taken for a reason that tells no time itself. */
export const RETRY_AFTER_MS = 1000;

/** Rejects with the client's reason when it left. */
export async function handleReadings(
	readings: readonly SignalReading[],
	options: HandlingOptions,
): Promise<HandledSignal[]> {
	const { signal, forget } = eitherAborted(options.client, options.deadline);
	const handled: HandledSignal[] = [];
	const first = Math.floor((options.random ?? Math.random)() * readings.length);
	const entries = [...readings.entries()];
	const rest = [...entries.slice(first), ...entries.slice(0, first)].values();
	async function work(): Promise<void> {
		for (const [index, reading] of rest) {
			handled[index] = await handleOne(reading, options, signal);
			options.client.throwIfAborted();
		}
	}
	try {
		await Promise.all(Array.from({ length: Math.min(options.parallel, readings.length) }, work));
		return handled;
	} finally {
		forget();
	}
}

async function handleOne(
	reading: SignalReading,
	{ ingest, deadline, client, onFault, onNotTaken }: HandlingOptions,
	signal: AbortSignal,
): Promise<HandledSignal> {
	if (reading.action === 'ignore') return { result: { status: 'ignored', duplicate: false, message: reading.message } };
	if (reading.action === 'reject') return rejected(reading.message);
	const { fingerprint } = reading.signal;
	try {
		signal.throwIfAborted();
		const outcome = await orAborted<IngestResult | ResolveResult>(
			ingest[reading.action](reading.signal, { signal }),
			signal,
		);
		if (outcome.outcome === 'later') onNotTaken(outcome.reason, outcome.message);
		if (outcome.outcome === 'refused') onNotTaken('refused', outcome.message);
		return handledFrom(outcome, fingerprint);
	} catch (error) {
		client.throwIfAborted();
		if (deadline.aborted)
			return retried(fingerprint, 'there was no time left', { because: 'deadline', afterMs: RETRY_AFTER_MS });
		onFault(error);
		return retried(fingerprint, 'the gateway failed', { because: 'later', afterMs: RETRY_AFTER_MS });
	}
}
