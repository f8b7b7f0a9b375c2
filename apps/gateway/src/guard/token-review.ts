// The two questions to the API server: whose token is it (TokenReview), and may that user create RemediationRequests in our
// namespace (SubjectAccessReview). They have connections of their own: strangers must not hold up the work.
import { REMEDIATION_REQUEST_RESOURCE } from '../generated/remediation-request.ts';
import type { KubeClient } from '../kube/kube.ts';

export type Verdict = 'allowed' | 'forbidden' | 'unauthenticated';

/** An authenticator behind the API server failed, so that the token was not judged. */
export class TokenNotJudged extends Error {}

type TokenReview = {
	status?: {
		authenticated?: boolean;
		error?: string;
		user?: { username?: string; uid?: string; groups?: string[]; extra?: Record<string, string[]> };
	};
};
type AccessReview = { status?: { allowed?: boolean } };

// How the API server's authenticators say that a token is not valid: that is in status.error, too. All else there is a
// fault, such as an issuer or a webhook that cannot be reached.
const REFUSALS = [
	/^invalid bearer token$/,
	/^invalid signature/,
	/error in cryptographic primitive$/,
	/failed to verify id token signature$/,
	/\btoken has expired$/,
	/\btoken is expired\b/,
	/\btoken is not valid yet$/,
	/\btoken is issued in the future$/,
	/\bhas been (?:invalidated|deleted)$/i,
	/\bdoes not match (?:claim|service account|server's copy)/,
	/\bclaim is (?:missing|invalid)$/,
	/\btoken (?:issuer|audiences) .* is invalid\b/,
	/\btoken claims could not be validated: /,
	/\bhas been marked invalid\b/,
	/^oidc: .*(?:malformed jwt|issued by a different provider|expected audience)/,
] as const;

export async function reviewToken(kube: Pick<KubeClient, 'call'>, token: string, namespace: string): Promise<Verdict> {
	const tokenReview = await kube.call<TokenReview>({
		verb: 'create',
		path: '/apis/authentication.k8s.io/v1/tokenreviews',
		resource: 'tokenreviews',
		body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token } },
		lane: 'reviews',
	});
	const { authenticated, error, user } = tokenReview.status ?? {};
	if (authenticated !== true && !isRefusal(error)) throw new TokenNotJudged(`the token was not judged: ${error}`);
	if (authenticated !== true || user?.username === undefined) return 'unauthenticated';
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
		lane: 'reviews',
	});
	return accessReview.status?.allowed === true ? 'allowed' : 'forbidden';
}

/** Several authenticators are asked: "[one, another]". */
function isRefusal(error: string | undefined): boolean {
	if (error === undefined || error === '') return true;
	const parts = error.replace(/^\[(.*)\]$/s, '$1').split(', ');
	return parts.every((part) => REFUSALS.some((refusal) => refusal.test(part)));
}
