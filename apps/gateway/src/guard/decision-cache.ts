// Cache of decisions about tokens: one review at a time for each token, no token kept in memory (its hash is the key),
// never more entries than the limit (the least recently used goes). `unavailable` is not cached.
import { createHash } from 'node:crypto';
import { orAborted } from '../process/abort.ts';
import type { AuthDecision } from './auth.ts';

export type DecisionCacheOptions = {
	readonly allowedMs: number;
	/** Shorter: a right that was just granted should soon take effect. */
	readonly rejectedMs: number;
	readonly maxEntries: number;
};
export type FindResult = { readonly decision: AuthDecision; readonly from: 'cache' | 'api' };
export type DecisionCache = {
	/** Callers with the same token share one review; an abort ends only the wait of its caller. */
	find(token: string, review: () => Promise<AuthDecision>, abort: AbortSignal): Promise<FindResult>;
};

type Entry = { readonly decision: AuthDecision; readonly untilMs: number };

export function createDecisionCache(options: DecisionCacheOptions, now: () => number): DecisionCache {
	const entries = new Map<string, Entry>();
	const reviews = new Map<string, Promise<AuthDecision>>();

	function keep(key: string, decision: AuthDecision): void {
		if (decision.outcome === 'unavailable') return;
		const keptMs = decision.outcome === 'allowed' ? options.allowedMs : options.rejectedMs;
		entries.set(key, { decision, untilMs: now() + keptMs });
		if (entries.size <= options.maxEntries) return;
		const [oldest] = entries.keys();
		if (oldest !== undefined) entries.delete(oldest);
	}
	function lookUp(key: string): AuthDecision | undefined {
		const entry = entries.get(key);
		if (entry === undefined) return undefined;
		entries.delete(key);
		if (entry.untilMs <= now()) return undefined;
		entries.set(key, entry); // at the end again: the least recently used stands first
		return entry.decision;
	}
	function reviewOnce(key: string, review: () => Promise<AuthDecision>): Promise<AuthDecision> {
		const running = reviews.get(key);
		if (running !== undefined) return running;
		const started = review()
			.then((decision) => {
				keep(key, decision);
				return decision;
			})
			.finally(() => reviews.delete(key));
		reviews.set(key, started);
		return started;
	}
	return {
		async find(token, review, abort) {
			const key = createHash('sha256').update(token).digest('base64');
			const known = lookUp(key);
			if (known !== undefined) return { decision: known, from: 'cache' };
			return { decision: await orAborted(reviewOnce(key, review), abort), from: 'api' };
		},
	};
}
