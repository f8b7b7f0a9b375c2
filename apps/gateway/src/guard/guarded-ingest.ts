// The use cases behind the breaker: while it is open, every signal is deferred at once.
// A signal that was stored proves that the API server answers. A resolved one proves nothing: mostly there is nothing
// active to mark, which is known without a call.

import type { Deferred, IngestResult, ResolveResult, SignalIngest } from '../signal/signal.ts';
import type { Breaker } from './breaker.ts';

export function guardIngest(ingest: SignalIngest, breaker: Pick<Breaker, 'tryPass'>): SignalIngest {
	async function guarded<R extends IngestResult | ResolveResult>(
		run: () => Promise<R>,
		proves: 'success' | 'nothing',
	): Promise<R | Deferred> {
		const pass = breaker.tryPass();
		if ('retryAfterMs' in pass)
			return {
				outcome: 'deferred',
				reason: 'api-unavailable',
				retryAfterMs: pass.retryAfterMs,
				message: 'the Kubernetes API is not available',
			};
		try {
			const result = await run();
			if (result.outcome === 'deferred' && result.reason === 'api-unavailable') pass.failed();
			if (result.outcome !== 'deferred' && proves === 'success') pass.succeeded();
			return result;
		} finally {
			// A lock timeout, an abort or a bug says nothing about the API server; of two reports the first counts.
			pass.abandoned();
		}
	}
	return {
		ingest: (signal, options) => guarded(() => ingest.ingest(signal, options), 'success'),
		resolve: (signal, options) => guarded(() => ingest.resolve(signal, options), 'nothing'),
	};
}
