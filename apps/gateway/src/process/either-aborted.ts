// A signal that aborts with either of two. Not AbortSignal.any, which keeps its sources in mind for as long as it can and
// costs more than a small request does; so whoever is done says so.

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
