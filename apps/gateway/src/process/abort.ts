// Waits that end with an abort, and a signal made of two. Not AbortSignal.any: it costs more than a small request, and
// leaves listeners on a source that outlives many waits.

/** The caller stops waiting when its signal aborts. The work goes on; its result or error is then dropped. */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
	return new Promise((resolve, reject) => {
		const onAbort = () => reject(signal.reason as Error);
		if (signal.aborted) onAbort();
		else signal.addEventListener('abort', onAbort, { once: true });
		void promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
	});
}

/** Aborts with either of two. Call `forget` when the work is done, so that no listener stays on a source that lives on. */
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
