// Decisions about tokens, for a short time: one question at a time for each token, no token kept in memory (its hash
// is the key), never more entries than the limit (the one that was not asked for the longest time goes).
import { createHash } from 'node:crypto';
import { orAborted } from '../process/abort.ts';
import type { AuthDecision } from './auth.ts';

export type DecisionCacheOptions = {
	readonly allowedMs: number;
	/** Shorter: whoever was just given the right should not wait. */
	readonly refusedMs: number;
	readonly maxEntries: number;
};
export type Found = { readonly decision: AuthDecision; readonly from: 'cache' | 'api' };
export type DecisionCache = {
	/** Waits for the question of another caller rather than ask the same; an abort ends only the wait of its caller. */
	find(token: string, ask: () => Promise<AuthDecision>, signal: AbortSignal): Promise<Found>;
};

type Entry = { readonly decision: AuthDecision; readonly untilMs: number };

export function createDecisionCache(options: DecisionCacheOptions, now: () => number): DecisionCache {
	const entries = new Map<string, Entry>();
	const asked = new Map<string, Promise<AuthDecision>>();

	function keep(key: string, decision: AuthDecision): void {
		if (decision.outcome === 'unavailable') return;
		const keptMs = decision.outcome === 'allowed' ? options.allowedMs : options.refusedMs;
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
		entries.set(key, entry); // at the end again: asked for just now
		return entry.decision;
	}
	function askOnce(key: string, ask: () => Promise<AuthDecision>): Promise<AuthDecision> {
		const running = asked.get(key);
		if (running !== undefined) return running;
		const question = ask()
			.then((decision) => {
				keep(key, decision);
				return decision;
			})
			.finally(() => asked.delete(key));
		asked.set(key, question);
		return question;
	}
	return {
		async find(token, ask, signal) {
			const key = createHash('sha256').update(token).digest('base64');
			const known = lookUp(key);
			if (known !== undefined) return { decision: known, from: 'cache' };
			return { decision: await orAborted(askOnce(key, ask), signal), from: 'api' };
		},
	};
}
