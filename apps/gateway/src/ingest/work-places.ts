// A limited number of pieces of work at once, in the order in which they came: one attempt at a lock with what is done
// under it, one write. A piece never waits while it has a place: callers that wait for a lock, for a shared attempt or for
// a backoff hold none. Equal signals share their pieces, so that one incident has one or two places, however many call.
// Pieces that finish what has begun (a count, a mark) go before those that begin: in a storm all would else be half done
// when their deadlines pass. Every third place stays for those that begin, or an incident that is new would never be seen.
// The number falls while pieces are slow and grows again with quick ones: ten replicas with all their places would wait in
// the API server until their calls time out. Here a piece may find while it waits that another replica has done its work.
import { AppError } from '../process/app-error.ts';

export type WorkPlaces = {
	/** Rejects with the reason of the abort while it waits, and with WorkOverload when it could not begin in time. */
	run<T>(work: () => Promise<T>, options?: WorkOptions): Promise<T>;
	/** How long the pieces that wait now will take, by the pace of the last ones. */
	backlogMs(): number;
};
export type WorkOptions = {
	readonly abort?: AbortSignal;
	/** On the same clock. */
	readonly deadlineAt?: number;
	/** It answers callers whose incident has its request already. */
	readonly finishes?: boolean;
};
export type WorkPorts = {
	/** Monotonic. */
	readonly now: () => number;
	readonly observer: WorkObserver;
};
export type WorkObserver = { places(busy: number, waiting: number): void };

/** As many as there are connections to the API server: more would wait there, with the time limit of a call running. */
export const WORK_PLACES = 32;
const MIN_PLACES = 8;
/** A piece has a handful of calls, each with a time limit of some seconds: this leaves room for the slowest of them. */
const SLOW_MS = 1500;
const SHRINK = 0.8;
/** The share of the last piece in the mean. */
const SMOOTHING = 0.1;
/** The backlog is an upper estimate: of many pieces another replica does the work while they wait. */
const DONE_BY_OTHERS = 0.5;

export class WorkOverload extends AppError<'OVERLOADED'> {
	readonly retryAfterMs: number;
	constructor(backlogMs: number) {
		super('OVERLOADED', `the work that waits takes about ${Math.round(backlogMs)} ms, longer than the caller can wait`);
		this.retryAfterMs = backlogMs;
	}
}

export function createWorkPlaces({ now, observer }: WorkPorts, places = WORK_PLACES): WorkPlaces {
	let busy = 0;
	let meanMs = 0;
	let handedOver = 0;
	let limit = places;
	let shrunkAt = Number.NEGATIVE_INFINITY;
	const beginning = new Set<() => void>();
	const finishing = new Set<() => void>();

	const waiting = () => beginning.size + finishing.size;
	const report = () => observer.places(busy, waiting());
	const backlogMs = () => (waiting() * meanMs * (1 - DONE_BY_OTHERS)) / limit;

	function enter(queue: Set<() => void>, abort: AbortSignal | undefined): Promise<void> | undefined {
		abort?.throwIfAborted();
		if (busy < Math.floor(limit)) {
			busy++;
			report();
			return undefined;
		}
		return new Promise((resolve, reject) => {
			const leave = () => {
				queue.delete(proceed);
				abort?.removeEventListener('abort', onAbort);
				report();
			};
			const proceed = () => {
				leave();
				resolve(); // with the place of the one that ended
			};
			const onAbort = () => {
				leave();
				reject(abort?.reason as Error);
			};
			abort?.addEventListener('abort', onAbort, { once: true });
			queue.add(proceed);
			report();
		});
	}
	/** Pieces that had begun before the last change say nothing about it. */
	function adapt(startedAt: number, tookMs: number): void {
		if (tookMs < SLOW_MS) limit = Math.min(places, limit + 1 / limit);
		else if (startedAt >= shrunkAt) {
			limit = Math.max(Math.min(places, MIN_PLACES), limit * SHRINK);
			shrunkAt = now();
		}
	}
	function end(startedAt: number): void {
		const tookMs = now() - startedAt;
		meanMs += SMOOTHING * (tookMs - meanMs);
		adapt(startedAt, tookMs);
		busy--;
		while (busy < Math.floor(limit) && waiting() > 0) {
			const [first, second] = ++handedOver % 3 === 0 ? [beginning, finishing] : [finishing, beginning];
			const [next] = first.size > 0 ? first : second;
			busy++;
			next?.();
		}
		report();
	}
	return {
		backlogMs,
		async run(work, { abort, deadlineAt = Number.POSITIVE_INFINITY, finishes = false } = {}) {
			const backlog = backlogMs();
			if (backlog > 0 && now() + backlog > deadlineAt) throw new WorkOverload(backlog);
			const entered = enter(finishes ? finishing : beginning, abort);
			if (entered !== undefined) await entered;
			const startedAt = now();
			try {
				return await work();
			} finally {
				end(startedAt);
			}
		},
	};
}
