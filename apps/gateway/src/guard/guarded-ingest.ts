// The use cases behind the breaker: while it is open, a signal is told at once to come later.
// A signal that was taken proves that the API server answers. A resolved one proves nothing: mostly there is nothing
// active to mark, which is known without asking.

import type { IngestResult, ResolveResult, SignalIngest } from '../signal/signal.ts';
import type { Breaker } from './breaker.ts';

export function guardIngest(ingest: SignalIngest, breaker: Pick<Breaker, 'tryPass'>): SignalIngest {
	async function guarded<R extends IngestResult | ResolveResult>(
		run: () => Promise<R>,
		proves: 'success' | 'nothing',
	): Promise<R | Extract<IngestResult, { outcome: 'later' }>> {
		const pass = breaker.tryPass();
		if ('retryAfterMs' in pass)
			return {
				outcome: 'later',
				reason: 'api-unavailable',
				retryAfterMs: pass.retryAfterMs,
				message: 'the Kubernetes API is not available',
			};
		try {
			const result = await run();
			if (result.outcome === 'later' && result.reason === 'api-unavailable') pass.failed();
			if (result.outcome !== 'later' && proves === 'success') pass.succeeded();
			return result;
		} finally {
			// After a lock timeout, an abort or a bug nothing is known of the API server; told twice, the first counts.
			pass.abandoned();
		}
	}
	return {
		ingest: (signal, options) => guarded(() => ingest.ingest(signal, options), 'success'),
		resolve: (signal, options) => guarded(() => ingest.resolve(signal, options), 'nothing'),
	};
}
