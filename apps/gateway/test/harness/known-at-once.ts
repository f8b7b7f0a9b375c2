import type { KnownRequests } from '../../src/ingest/occurrence-commit.ts';
import type { RequestCache } from '../../src/objects/request-cache.ts';

/** The cache's knowledge without a wait for the watch: a version that is not there yet is read. */
export function knownAtOnce(cache: RequestCache): KnownRequests {
	return {
		newerThan: (link) => cache.newerThan(link),
		awaitNewer: async (link) => cache.newerThan(link),
		changed: (link) => cache.changed(link),
	};
}
