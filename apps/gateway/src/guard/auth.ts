// Authentication and authorization of senders: a sender needs a bearer token that the API server knows (TokenReview)
// and whose user may create RemediationRequests in our namespace (SubjectAccessReview). RBAC alone grants and revokes
// access. Decisions are cached for a short time: a right that is revoked, or a token that expires, ends that much later.
// An API server that does not answer is not a rejection: the sender gets 503 with Retry-After.

import { REMEDIATION_REQUEST_RESOURCE } from '../generated/remediation-request.ts';
import { type KubeClient, KubeError } from '../kube/kube.ts';
import type { Breaker } from './breaker.ts';
import { createDecisionCache, type DecisionCacheOptions } from './decision-cache.ts';

export const AUTH_OUTCOMES = ['allowed', 'unauthenticated', 'forbidden', 'unavailable'] as const;
/** `request`: the header alone decided. */
export const AUTH_SOURCES = ['cache', 'api', 'request'] as const;
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
	readonly breaker: Pick<Breaker, 'tryPass'>;
	readonly observer: AuthObserver;
	/** Monotonic. */
	readonly now: () => number;
};

const CACHE: DecisionCacheOptions = { allowedMs: 30_000, rejectedMs: 5000, maxEntries: 1000 };
const RETRY_AFTER_MS = 2000;

type TokenReview = {
	status?: {
		authenticated?: boolean;
		user?: { username?: string; uid?: string; groups?: string[]; extra?: Record<string, string[]> };
	};
};
type AccessReview = { status?: { allowed?: boolean } };

export function createAuthenticator(namespace: string, { kube, breaker, observer, now }: AuthPorts): Authenticator {
	const cache = createDecisionCache(CACHE, now);

	async function review(token: string): Promise<AuthDecision> {
		const pass = breaker.tryPass();
		if ('retryAfterMs' in pass) return { outcome: 'unavailable', retryAfterMs: pass.retryAfterMs };
		try {
			const decision = await askApiServer(kube, token, namespace);
			pass.succeeded();
			return decision;
		} catch (error) {
			observer.reviewFailed(error);
			if (error instanceof KubeError && (error.code === 'KUBE_UNAVAILABLE' || error.code === 'KUBE_TIMEOUT'))
				pass.failed();
			const retryAfterMs = (error instanceof KubeError ? error.retryAfterMs : undefined) ?? RETRY_AFTER_MS;
			return { outcome: 'unavailable', retryAfterMs };
		} finally {
			pass.abandoned();
		}
	}
	return {
		async check(authorization, abort) {
			abort.throwIfAborted();
			const token = bearerToken(authorization);
			const { decision, from } =
				token === undefined
					? { decision: { outcome: 'unauthenticated' } as const, from: 'request' as const }
					: await cache.find(token, () => review(token), abort);
			observer.decided(decision.outcome, from);
			return decision;
		},
	};
}

async function askApiServer(kube: Pick<KubeClient, 'call'>, token: string, namespace: string): Promise<AuthDecision> {
	const tokenReview = await kube.call<TokenReview>({
		verb: 'create',
		path: '/apis/authentication.k8s.io/v1/tokenreviews',
		resource: 'tokenreviews',
		body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token } },
	});
	const { authenticated, user } = tokenReview.status ?? {};
	if (authenticated !== true || user?.username === undefined) return { outcome: 'unauthenticated' };
	const accessReview = await kube.call<AccessReview>({
		verb: 'create',
		path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
		resource: 'subjectaccessreviews',
		body: {
			apiVersion: 'authorization.k8s.io/v1',
			kind: 'SubjectAccessReview',
			spec: {
				user: user.username,
				uid: user.uid,
				groups: user.groups,
				extra: user.extra,
				resourceAttributes: {
					group: REMEDIATION_REQUEST_RESOURCE.group,
					resource: REMEDIATION_REQUEST_RESOURCE.plural,
					verb: 'create',
					namespace,
				},
			},
		},
	});
	return { outcome: accessReview.status?.allowed === true ? 'allowed' : 'forbidden' };
}

function bearerToken(authorization: string | undefined): string | undefined {
	return /^Bearer +([A-Za-z0-9\-._~+/]+=*) *$/i.exec(authorization ?? '')?.[1];
}
