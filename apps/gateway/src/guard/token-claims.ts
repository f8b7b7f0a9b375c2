// What a JSON Web Token says of itself, unverified. It can only make a token hopeless: whether a token is valid decides
// the API server. A token of another form says nothing.

/** Undefined: any. */
export type ExpectedClaims = {
	readonly issuers: readonly string[] | undefined;
	readonly audiences: readonly string[] | undefined;
};
type Claims = { readonly exp?: unknown; readonly iss?: unknown; readonly aud?: unknown };

/** Clocks of two machines may differ by so much. */
const MAX_CLOCK_DIFFERENCE_MS = 60_000;

/** The API server would refuse it: expired, or of an issuer or for an audience that is not expected. */
export function isHopeless(token: string, { issuers, audiences }: ExpectedClaims, wallTime: Date): boolean {
	const claims = claimsOf(token);
	if (claims === undefined) return false;
	const { exp, iss, aud } = claims;
	if (typeof exp === 'number' && exp * 1000 + MAX_CLOCK_DIFFERENCE_MS < wallTime.getTime()) return true;
	if (issuers !== undefined && !issuers.some((issuer) => issuer === iss)) return true;
	return audiences !== undefined && ![aud].flat().some((audience) => audiences.some((known) => known === audience));
}

function claimsOf(token: string): Claims | undefined {
	const [, payload, signature, ...more] = token.split('.');
	if (payload === undefined || signature === undefined || more.length > 0) return undefined;
	try {
		const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
		return typeof claims === 'object' && claims !== null ? claims : undefined;
	} catch {
		return undefined; // not a JSON Web Token
	}
}
