// Handles the signals of one body: each on its own, some at a time, all within one deadline, also when a use case does
// not listen to it. It ends early only when the client is gone.
// A batch that is too large for one deadline comes again as a whole. What was stored is remembered in its record: it comes
// first and needs no call. For a repetition that another replica gets, the rest begins at another place each time, or its
// end would never be reached.
import { orAborted } from '../process/abort.ts';
import type { ParsedSignal } from '../signal/parsed-signal.ts';
import type { DeferralReason, SignalIngest } from '../signal/signal.ts';
import type { BatchRecord, Outcome } from './body/unacknowledged-batches.ts';
import { DeadlinePassed } from './exchange.ts';
import { deferred, type HandledSignal, handledFrom, rejected } from './signal-result.ts';

export type SignalSource = {
	readonly count: number;
	read(index: number): ParsedSignal;
};
export type HandlingOptions = {
	readonly ingest: SignalIngest;
	readonly parallel: number;
	/** Aborts with DeadlinePassed when time is up, with another reason when the client is gone. */
	readonly abort: AbortSignal;
	readonly deadlineAt: number;
	/** Work that has begun then goes on after the abort, and its outcome is kept in here. */
	readonly record?: BatchRecord;
	/** A use case threw: a bug, or a fault that it did not foresee. */
	readonly onFault: (error: unknown) => void;
	/** The details are for our log, not for the caller. */
	readonly onDeferred: (reason: DeferralReason, detail: string) => void;
	/** The API server rejected a signal that we understood. */
	readonly onRejected: (detail: string) => void;
	/** The signal is of another cluster. */
	readonly onNotOurs?: () => void;
	/** The signal names a cluster, and that is part of its identity. */
	readonly onCluster?: (cluster: string) => void;
	/** From 0 up to 1, as Math.random gives it. */
	readonly random?: () => number;
};

/** Retry-After of a signal that was deferred by the deadline or by a fault. */
const RETRY_AFTER_MS = 1000;
/** Signals that need no call are many at once; others have their turn between them. */
const PAUSE_EVERY = 250;

const NOT_BEGUN = deferred(undefined, { because: 'deadline', retryAfterMs: RETRY_AFTER_MS });

/** Rejects with the abort's reason when the client left. */
export async function handleSignals(source: SignalSource, options: HandlingOptions): Promise<HandledSignal[]> {
	const { count } = source;
	const { abort } = options;
	const handled = Array.from({ length: count }, () => NOT_BEGUN);
	// Work that is remembered is not cut off: its outcome would be unknown, and the repetition would count it again.
	const lasting = options.record === undefined ? abort : new AbortController().signal;
	const order = orderOf(source, options);
	let begun = 0;
	async function work(): Promise<void> {
		while (begun < count && !abort.aborted) {
			const index = order(begun++);
			handled[index] = await handleOne(source.read(index), options, lasting);
			if (begun % PAUSE_EVERY === 0) await new Promise((resolve) => setImmediate(resolve));
		}
	}
	await Promise.all(Array.from({ length: Math.min(options.parallel, count) }, work));
	if (abort.aborted && !(abort.reason instanceof DeadlinePassed)) throw abort.reason;
	return handled;
}

/** The index of the signal that is the nth to be handled. */
function orderOf(source: SignalSource, { record, random = Math.random }: HandlingOptions): (nth: number) => number {
	const { count } = source;
	const first = Math.floor(random() * count);
	const rotated = (nth: number) => (first + nth) % count;
	if (record === undefined || record.size === 0) return rotated;
	const isKnown = (index: number) => {
		const parsed = source.read(index);
		return 'identity' in parsed && parsed.identity !== undefined && record.knows(parsed.identity);
	};
	const { known = [], rest = [] } = Object.groupBy(
		Array.from({ length: count }, (_, nth) => rotated(nth)),
		(index) => (isKnown(index) ? 'known' : 'rest'),
	);
	return (nth) => (nth < known.length ? known[nth]! : rest[nth - known.length]!);
}

async function handleOne(parsed: ParsedSignal, options: HandlingOptions, lasting: AbortSignal): Promise<HandledSignal> {
	if (parsed.action === 'ignore' && parsed.isElsewhere === true) options.onNotOurs?.();
	if (parsed.action === 'ignore') return { result: { status: 'ignored', duplicate: false, message: parsed.message } };
	if (parsed.action === 'reject') return rejected(parsed.message);
	const { abort, onFault, onDeferred, onRejected } = options;
	const { fingerprint, cluster } = parsed.signal;
	if (cluster !== undefined) options.onCluster?.(cluster);
	try {
		const outcome = await outcomeOf(parsed, options, lasting);
		if (outcome.outcome === 'deferred') onDeferred(outcome.reason, outcome.message);
		if (outcome.outcome === 'rejected') onRejected(outcome.message);
		return handledFrom(outcome, fingerprint);
	} catch (error) {
		if (abort.aborted) return deferred(fingerprint, { because: 'deadline', retryAfterMs: RETRY_AFTER_MS });
		onFault(error);
		return deferred(fingerprint, { because: 'fault', retryAfterMs: RETRY_AFTER_MS });
	}
}

function outcomeOf(
	{ action, signal, identity }: Extract<ParsedSignal, { action: 'ingest' | 'resolve' }>,
	{ ingest, abort, deadlineAt, record }: HandlingOptions,
	lasting: AbortSignal,
): Promise<Outcome> {
	const start = () => ingest[action](signal, { abort: lasting, deadlineAt }) as Promise<Outcome>;
	if (record === undefined || identity === undefined) return orAborted(start(), abort);
	const known = record.take(identity);
	if (known !== undefined && !(known instanceof Promise)) return Promise.resolve(known);
	const outcome = known ?? start();
	if (known === undefined) record.add(identity, outcome);
	return orAborted(outcome, abort);
}
