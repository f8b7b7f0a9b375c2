import { describe, expect, it } from 'vitest';
import { isHopeless } from './token-claims.ts';

const NOW = new Date('2026-11-18T05:00:00Z');
const SECONDS = NOW.getTime() / 1000;
const ANY = { issuers: undefined, audiences: undefined };
const LISTS = { issuers: ['https://a', 'https://b'], audiences: ['x', 'y'] };
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const jwt = (claims: unknown) => `${encoded({ alg: 'ES256' })}.${encoded(claims)}.c2ln`;

describe('a token that is hopeless', () => {
	it.each<{ claims: object; expected?: typeof LISTS | typeof ANY; want: boolean }>([
		{ claims: {}, want: false },
		{ claims: { exp: SECONDS + 1 }, want: false },
		{ claims: { exp: SECONDS - 59 }, want: false },
		{ claims: { exp: SECONDS - 61 }, want: true },
		{ claims: { exp: 'soon' }, want: false },
		{ claims: { iss: 'https://c', aud: ['z'] }, want: false },
		{ claims: { iss: 'https://b', aud: ['z', 'y'] }, expected: LISTS, want: false },
		{ claims: { iss: 'https://b', aud: 'x' }, expected: LISTS, want: false },
		{ claims: { iss: 'https://c', aud: 'x' }, expected: LISTS, want: true },
		{ claims: { iss: 'https://a', aud: ['z'] }, expected: LISTS, want: true },
		{ claims: { iss: 'https://a' }, expected: LISTS, want: true },
		{ claims: { aud: 'x' }, expected: LISTS, want: true },
		{ claims: { iss: ['https://a'], aud: 'x' }, expected: LISTS, want: true },
	])('$claims among $expected: $want', ({ claims, expected = ANY, want }) => {
		expect(isHopeless(jwt(claims), expected, NOW)).toBe(want);
	});

	it.each(['opaque', 'a.b', 'a.b.c.d', 'a.%%%.c', `a.${encoded('text')}.c`, `a.${encoded(null)}.c`, '..'])(
		'"%s" is no JSON Web Token: the API server decides',
		(token) => {
			expect(isHopeless(token, LISTS, NOW)).toBe(false);
		},
	);
});
