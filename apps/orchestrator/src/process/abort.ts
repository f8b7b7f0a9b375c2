// Waits that end with an abort, and a signal made of two. Not AbortSignal.any, which keeps its sources in mind for as long
// as it can, costs more than a small request does, and leaves something on a signal that outlives many waits.

/** The caller stops waiting when its signal aborts. The work behind goes on, and its end, also a bad one, is dropped. */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
	return new Promise((resolve, reject) => {
		const onAbort = () => reject(signal.reason as Error);
		if (signal.aborted) onAbort();
		else signal.addEventListener('abort', onAbort, { once: true });
		void promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
	});
}

/** Aborts with either of two. `forget` when the work is done, so that nothing stays on a source that lives longer. */
export function eitherAborted(a: AbortSignal, b: AbortSignal): { readonly signal: AbortSignal; forget(): void } {
	const either = new AbortController();
	const listeners = [a, b].map((source) => {
		const onAbort = () => either.abort(source.reason);
		if (source.aborted) onAbort();
		source.addEventListener('abort', onAbort, { once: true });
		return () => source.removeEventListener('abort', onAbort);
	});
	return {
		signal: either.signal,
		forget() {
			for (const remove of listeners) remove();
		},
	};
}
