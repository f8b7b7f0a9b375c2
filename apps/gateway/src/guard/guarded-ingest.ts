// The use cases behind the breaker: while it is open, every signal is deferred at once, and so are those that wait when it
// opens.
// A signal that was stored proves that the API server works. A resolved one whose calls were answered proves less, because
// mostly there is nothing to mark: it closes a half-open breaker, and failures before it still count. One that made no call
// proves nothing, nor does a rejected one: it was not stored.

import type { Deferred, IngestResult, ResolveResult, Signal, SignalIngest } from '../signal/signal.ts';
import type { Breaker } from './breaker.ts';

type Options = Parameters<SignalIngest['ingest']>[1];

/** One for all, like the breaker's opening is. */
const OPENED = new Error('the circuit breaker has opened');

export function guardIngest(
	ingest: SignalIngest,
	breaker: Pick<Breaker, 'tryPass' | 'rejection' | 'onOpen'>,
): SignalIngest {
	async function guarded<R extends IngestResult | ResolveResult>(
		run: (options: Options) => Promise<R>,
		options: Options,
	): Promise<R | Deferred> {
		const { abort } = options;
		const pass = breaker.tryPass();
		if ('retryAfterMs' in pass) return unavailable(pass.retryAfterMs);
		const ended = new AbortController();
		const onAbort = () => ended.abort(abort.reason);
		if (abort.aborted) onAbort();
		else abort.addEventListener('abort', onAbort, { once: true });
		const stopListening = breaker.onOpen(() => ended.abort(OPENED));
		try {
			const result = await run({ ...options, abort: ended.signal });
			if (result.outcome === 'deferred' && result.reason === 'api-unavailable') pass.failed();
			if (result.outcome === 'deferred' && result.reason === 'api-slow') pass.unanswered();
			if (result.outcome === 'created' || result.outcome === 'duplicate') pass.succeeded();
			if ('answered' in result) pass.answered();
			return result;
		} catch (error) {
			if (error !== OPENED) throw error;
			return unavailable(breaker.rejection()?.retryAfterMs ?? 0);
		} finally {
			stopListening();
			abort.removeEventListener('abort', onAbort);
			// A lock timeout, an abort or a bug says nothing about the API server; of two reports the first counts.
			pass.abandoned();
		}
	}
	return {
		ingest: (signal: Signal, options) => guarded((within) => ingest.ingest(signal, within), options),
		resolve: (signal: Signal, options) => guarded((within) => ingest.resolve(signal, within), options),
	};
}

function unavailable(retryAfterMs: number): Deferred {
	const message = 'the Kubernetes API is not available';
	return { outcome: 'deferred', reason: 'api-unavailable', retryAfterMs, message };
}
