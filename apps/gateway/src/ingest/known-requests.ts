// The cache's knowledge of a request that another replica has just written to. It saves a call to the API server: the
// watch reports the change anyway, a moment later.
import type { Clock } from '@kubernaut/backoff';
import type { RequestCache } from '../objects/request-cache.ts';
import type { KnownRequests } from './occurrence-commit.ts';

// The watch is about as fast as a call. After several times that it is behind, and a call is better.
const MAX_WATCH_WAIT_MS = 25;

export function knownRequests(cache: RequestCache, clock: Clock, atMostMs = MAX_WATCH_WAIT_MS): KnownRequests {
	return {
		newerThan: (link) => cache.newerThan(link),
		changed: (link) => cache.changed(link),
		awaitNewer(link) {
			const known = cache.newerThan(link);
			if (known !== undefined) return Promise.resolve(known);
			return new Promise((resolve) => {
				const done = () => {
					stopListening();
					cancelTimer();
					resolve(cache.newerThan(link));
				};
				const stopListening = cache.onChange(link.fingerprint, done);
				const cancelTimer = clock.setTimer(done, atMostMs);
			});
		},
	};
}
