// Cache of decisions about tokens: one review at a time for each token, no token kept in memory (its hash is the key),
// never more entries than the limit (the least recently used goes). `unavailable` is not cached, and neither is what took no
// call to decide.
// Senders that are allowed have a cache of their own, which strangers cannot fill. While such a sender is active its
// decision is renewed before it ends, so that it never waits for a review; when it has ended, the sender is still known.
import { createHash } from 'node:crypto';
import { orAborted } from '../process/abort.ts';
import type { AuthDecision } from './auth.ts';

export type DecisionCacheOptions = {
	readonly allowedMs: number;
	/** Shorter: a right that was just granted should soon take effect. */
	readonly rejectedMs: number;
	/** After its end, while the API server is away. */
	readonly staleMs: number;
	/** After its end a sender is still ahead of strangers. */
	readonly knownMs: number;
	/** Of the allowed, and of the rejected. */
	readonly maxEntries: number;
};
export type ReviewResult = AuthDecision | 'full' | 'hopeless';
/** `abandoned` aborts when its last caller has left. */
export type Review = (from: 'known' | 'stranger', abandoned: AbortSignal) => Promise<ReviewResult>;
export type FindResult = { readonly decision: ReviewResult; readonly from: 'cache' | 'api' };
export type DecisionCache = {
	/** Callers with the same token share one review; an abort ends only the wait of its caller. */
	find(token: string, review: Review, abort: AbortSignal, apiIsAway?: boolean): Promise<FindResult>;
};

type Entry = { readonly decision: AuthDecision; readonly untilMs: number; renewAtMs: number };
type SharedReview = { readonly result: Promise<ReviewResult>; readonly abandon: AbortController; waiting: number };

export function createDecisionCache(options: DecisionCacheOptions, now: () => number): DecisionCache {
	const allowed = new Map<string, Entry>();
	const rejected = new Map<string, Entry>();
	const reviews = new Map<string, SharedReview>();

	function keep(key: string, decision: ReviewResult): void {
		if (typeof decision === 'string' || decision.outcome === 'unavailable') return;
		const isAllowed = decision.outcome === 'allowed';
		(isAllowed ? rejected : allowed).delete(key);
		const keptMs = isAllowed ? options.allowedMs : options.rejectedMs;
		const entries = isAllowed ? allowed : rejected;
		entries.delete(key);
		entries.set(key, { decision, untilMs: now() + keptMs, renewAtMs: now() + keptMs / 2 });
		if (entries.size <= options.maxEntries) return;
		const [oldest] = entries.keys();
		if (oldest !== undefined) entries.delete(oldest);
	}
	/** An entry that has ended says that the sender is known. */
	function lookUp(key: string, entries: Map<string, Entry>, keptMs: number): Entry | undefined {
		const entry = entries.get(key);
		if (entry === undefined) return undefined;
		entries.delete(key);
		if (entry.untilMs + keptMs <= now()) return undefined;
		entries.set(key, entry); // at the end again: the least recently used stands first
		return entry;
	}
	function share(key: string, from: 'known' | 'stranger', review: Review): SharedReview {
		const running = reviews.get(key);
		if (running !== undefined) return running;
		const abandon = new AbortController();
		const result = review(from, abandon.signal)
			.then((decision) => {
				keep(key, decision);
				return decision;
			})
			.finally(() => close());
		result.catch(() => {}); // those that wait get it; there may be none left
		const started: SharedReview = { result, abandon, waiting: 0 };
		const close = () => reviews.get(key) === started && reviews.delete(key);
		reviews.set(key, started);
		return started;
	}
	async function wait(key: string, shared: SharedReview, abort: AbortSignal): Promise<ReviewResult> {
		shared.waiting++;
		try {
			return await orAborted(shared.result, abort);
		} finally {
			if (--shared.waiting === 0 && reviews.get(key) === shared) {
				reviews.delete(key); // a caller that comes now gets a review of its own
				shared.abandon.abort(abort.reason);
			}
		}
	}
	/** Behind the back of its sender, which has a decision for a while yet. */
	function renew(key: string, entry: Entry, review: Review): void {
		entry.renewAtMs = now() + options.rejectedMs; // should this one fail
		share(key, 'known', review).waiting++; // never abandoned
	}
	return {
		async find(token, review, abort, apiIsAway = false) {
			const key = createHash('sha256').update(token).digest('base64');
			const known = lookUp(key, allowed, options.knownMs);
			const entry = known ?? lookUp(key, rejected, 0);
			if (entry !== undefined && now() < entry.untilMs + (apiIsAway ? options.staleMs : 0)) {
				if (known !== undefined && now() >= entry.renewAtMs && !apiIsAway) renew(key, entry, review);
				return { decision: entry.decision, from: 'cache' };
			}
			const shared = share(key, known === undefined ? 'stranger' : 'known', review);
			return { decision: await wait(key, shared, abort), from: 'api' };
		},
	};
}
