// Authentication and authorization of senders: a sender needs a bearer token that the API server knows (TokenReview)
// and whose user may create RemediationRequests in our namespace (SubjectAccessReview). RBAC alone grants and revokes
// access. Decisions are cached for a short time: a right that is revoked, or a token that expires, ends that much later.
// An API server that does not answer is not a rejection: the sender gets 503 with Retry-After. So does a stranger when
// too many ask; senders that were allowed before are renewed ahead of strangers, whose rejections have a pace.
// Reviews say nothing to the circuit breaker: strangers must not open it, and their answers prove nothing of the storage.
import { type KubeClient, KubeError } from '../kube/kube.ts';
import type { Clock } from '../process/clock.ts';
import { createDecisionCache, type DecisionCacheOptions, type Review } from './decision-cache.ts';
import { createRejectionPace } from './rejection-pace.ts';
import { createReviewQueue } from './review-queue.ts';
import { type ExpectedClaims, isHopeless } from './token-claims.ts';
import { reviewToken } from './token-review.ts';

export const AUTH_OUTCOMES = ['allowed', 'unauthenticated', 'forbidden', 'unavailable'] as const;
/** `request`: the header alone decided. `queue`: too many reviews were waiting. */
export const AUTH_SOURCES = ['cache', 'api', 'request', 'queue'] as const;
export type AuthDecision =
	| { readonly outcome: 'allowed' | 'forbidden' | 'unauthenticated' }
	| { readonly outcome: 'unavailable'; readonly retryAfterMs: number };
export type Authenticator = {
	/** Decides on the header as received. Rejects with the reason of an abort, at once. */
	check(authorization: string | undefined, abort: AbortSignal): Promise<AuthDecision>;
};
export type AuthObserver = {
	decided(decision: AuthDecision['outcome'], from: (typeof AUTH_SOURCES)[number]): void;
	reviewFailed(error: unknown): void;
};
export type AuthPorts = {
	readonly kube: Pick<KubeClient, 'call'>;
	readonly observer: AuthObserver;
	readonly clock: Clock;
	/** Nothing can be stored: an old decision does no harm, and one sender has to try. */
	readonly isApiAway: () => boolean;
};

const CACHE: DecisionCacheOptions = {
	allowedMs: 30_000,
	rejectedMs: 5000,
	staleMs: 300_000,
	knownMs: 3_600_000,
	maxEntries: 1000,
};
const REVIEWS = { maxRunning: 4, maxStrangers: 2, maxQueued: 32 } as const;
const PACE = { perSecond: 50, burst: 20, maxWaitMs: 3000, maxHeld: 1000 } as const;
const RETRY_AFTER_MS = 2000;
const UNAUTHENTICATED: AuthDecision = { outcome: 'unauthenticated' };

export function createAuthenticator(namespace: string, expected: ExpectedClaims, ports: AuthPorts): Authenticator {
	const { kube, observer, clock, isApiAway } = ports;
	const cache = createDecisionCache(CACHE, () => clock.now());
	const pace = createRejectionPace(PACE, clock);
	const queue = createReviewQueue(REVIEWS);

	async function review(token: string): Promise<AuthDecision> {
		try {
			return { outcome: await reviewToken(kube, token, namespace) };
		} catch (error) {
			observer.reviewFailed(error);
			const retryAfterMs = (error instanceof KubeError ? error.retryAfterMs : undefined) ?? RETRY_AFTER_MS;
			return { outcome: 'unavailable', retryAfterMs };
		}
	}
	async function decide(token: string | undefined, abort: AbortSignal) {
		if (token === undefined) return { decision: UNAUTHENTICATED, from: 'request' as const };
		// Senders whose decision is there are the many: their tokens are not read.
		const ask: Review = async (from, abandoned) =>
			isHopeless(token, expected, clock.wallTime()) ? 'hopeless' : queue.run(from, () => review(token), abandoned);
		const { decision, from } = await cache.find(token, ask, abort, isApiAway());
		if (decision === 'hopeless') return { decision: UNAUTHENTICATED, from: 'request' as const };
		return decision === 'full'
			? { decision: { outcome: 'unavailable', retryAfterMs: RETRY_AFTER_MS } as const, from: 'queue' as const }
			: { decision, from };
	}
	return {
		async check(authorization, abort) {
			abort.throwIfAborted();
			const { decision, from } = await decide(bearerToken(authorization), abort);
			observer.decided(decision.outcome, from);
			// A sender whose review failed has done nothing wrong.
			const isFault = decision.outcome === 'unavailable' && from === 'api';
			if (decision.outcome !== 'allowed' && !isFault) await pace.wait(abort);
			return decision;
		},
	};
}

function bearerToken(authorization: string | undefined): string | undefined {
	return /^Bearer +([A-Za-z0-9\-._~+/]+=*) *$/i.exec(authorization ?? '')?.[1];
}
