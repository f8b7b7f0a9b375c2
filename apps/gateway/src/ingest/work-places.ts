// A limited number of pieces of work at once, in the order in which they came: one attempt at a lock with what is done
// under it, one write. A piece never waits while it has a place: callers that wait for a lock, for a shared attempt or for
// a backoff hold none. Equal signals share their pieces, so that one incident has one or two places, however many call.
import { AppError } from '../process/app-error.ts';

export type WorkPlaces = {
	/** Rejects with the reason of the abort while it waits, and with WorkOverload when it could not begin in time. */
	run<T>(work: () => Promise<T>, options?: WorkOptions): Promise<T>;
	/** How long the pieces that wait now will take, by the pace of the last ones. */
	backlogMs(): number;
};
export type WorkOptions = { readonly abort?: AbortSignal; /** On the same clock. */ readonly deadlineAt?: number };
export type WorkPorts = {
	/** Monotonic. */
	readonly now: () => number;
	readonly observer: WorkObserver;
};
export type WorkObserver = { places(busy: number, waiting: number): void };

/** Enough to keep the connections to the API server busy. */
export const WORK_PLACES = 64;
/** The share of the last piece in the mean. */
const SMOOTHING = 0.1;

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
	const waiting = new Set<() => void>();

	const report = () => observer.places(busy, waiting.size);
	const backlogMs = () => (waiting.size * meanMs) / places;

	function enter(abort: AbortSignal | undefined): Promise<void> | undefined {
		abort?.throwIfAborted();
		if (busy < places) {
			busy++;
			report();
			return undefined;
		}
		return new Promise((resolve, reject) => {
			const leave = () => {
				waiting.delete(proceed);
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
			waiting.add(proceed);
			report();
		});
	}
	function end(startedAt: number): void {
		meanMs += SMOOTHING * (now() - startedAt - meanMs);
		const [next] = waiting;
		if (next !== undefined) return next();
		busy--;
		report();
	}
	return {
		backlogMs,
		async run(work, { abort, deadlineAt = Number.POSITIVE_INFINITY } = {}) {
			const backlog = backlogMs();
			if (backlog > 0 && now() + backlog > deadlineAt) throw new WorkOverload(backlog);
			const entered = enter(abort);
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
