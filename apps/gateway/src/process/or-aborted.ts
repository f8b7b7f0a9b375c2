// A promise that a caller stops waiting for when its signal aborts. What stood behind it goes on, and its end, also a
// bad one, is nobody's any more.

export function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
	return new Promise((resolve, reject) => {
		const onAbort = () => reject(signal.reason as Error);
		if (signal.aborted) onAbort();
		else signal.addEventListener('abort', onAbort, { once: true });
		void promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
	});
}
