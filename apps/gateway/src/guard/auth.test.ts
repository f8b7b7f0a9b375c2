import { ManualClock } from '@kubernaut/testkit/manual-clock';
import { describe, expect, it } from 'vitest';
import { type KubeCall, type KubeClient, KubeError } from '../kube/kube.ts';
import { createAuthenticator } from './auth.ts';

const never = new AbortController().signal;
const user = { username: 'system:serviceaccount:n:sender', uid: '1', groups: ['g'], extra: { pod: ['p'] } };

type Answers = { tokenReview?: object | Error; accessReview?: object | Error };

function setUp({ tokenReview, accessReview }: Answers = {}) {
	const asked: KubeCall[] = [];
	const reported: string[] = [];
	const call = async (kubeCall: KubeCall) => {
		asked.push(kubeCall);
		const answer =
			kubeCall.resource === 'tokenreviews'
				? (tokenReview ?? { status: { authenticated: true, user } })
				: (accessReview ?? { status: { allowed: true } });
		if (answer instanceof Error) throw answer;
		return answer;
	};
	const clock = new ManualClock();
	const state = { clock, apiIsAway: false };
	const authenticator = createAuthenticator(
		'ns',
		{ issuers: ['us'], audiences: undefined },
		{
			kube: { call: call as KubeClient['call'] },
			observer: {
				decided: (decision, from) => void reported.push(`${decision} from ${from}`),
				reviewFailed: () => void reported.push('review failed'),
			},
			clock,
			isApiAway: () => state.apiIsAway,
		},
	);
	return { asked, reported, state, check: (header?: string) => authenticator.check(header, never) };
}

describe('the header', () => {
	it.each(['Bearer abc', 'bearer abc', 'BEARER   abc  ', 'Bearer a.b-c_d~e+f/g=='])(
		'the header "%s" holds a token',
		async (header) => {
			const { check, asked } = setUp();
			expect(await check(header)).toMatchObject({ outcome: 'allowed' });
			expect(asked[0]?.body).toMatchObject({ spec: { token: /^\S+ +(\S+)/.exec(header)?.[1] } });
		},
	);

	it('a JSON Web Token of another issuer is refused without a call', async () => {
		const { check, asked, reported } = setUp();
		const claims = Buffer.from(JSON.stringify({ iss: 'them' })).toString('base64url');
		expect(await check(`Bearer e30.${claims}.c2ln`)).toEqual({ outcome: 'unauthenticated' });
		expect(asked).toEqual([]);
		expect(reported).toEqual(['unauthenticated from request']);
	});

	it.each([
		undefined,
		'',
		'Bearer',
		'Bearer ',
		'abc',
		'Basic dTpw',
		'Bearer a b',
		'Bearer a,b',
		'Bearer =',
		'Bearerabc',
	])('the header "%s" holds no token, and the API server is not called', async (header) => {
		const { check, asked, reported } = setUp();
		expect(await check(header)).toEqual({ outcome: 'unauthenticated' });
		expect(asked).toEqual([]);
		expect(reported).toEqual(['unauthenticated from request']);
	});
});

describe('a sender', () => {
	it('the access review asks, for the user of the token review, for the right to create requests in our namespace', async () => {
		const { check, asked } = setUp();
		await check('Bearer t');
		expect(asked[1]?.body).toMatchObject({
			spec: {
				user: user.username,
				uid: user.uid,
				groups: user.groups,
				extra: user.extra,
				resourceAttributes: { group: 'kubernaut.ai', resource: 'remediationrequests', verb: 'create', namespace: 'ns' },
			},
		});
	});

	it.each<Answers & { why: string; want: string }>([
		{ why: 'may create requests', want: 'allowed' },
		{
			why: 'has an unknown token',
			tokenReview: { status: { authenticated: false } },
			want: 'unauthenticated',
		},
		{ why: 'is named but not authenticated', tokenReview: { status: { user } }, want: 'unauthenticated' },
		{ why: 'has no name', tokenReview: { status: { authenticated: true, user: {} } }, want: 'unauthenticated' },
		{ why: 'was not reviewed', tokenReview: {}, want: 'unauthenticated' },
		{ why: 'may not create requests', accessReview: { status: { allowed: false } }, want: 'forbidden' },
		{ why: 'gets an access review without a verdict', accessReview: {}, want: 'forbidden' },
		{ why: 'is allowed by the text "true"', accessReview: { status: { allowed: 'true' } }, want: 'forbidden' },
	])('a sender that $why is $want', async ({ want, ...answers }) => {
		const { check, asked, reported } = setUp(answers);
		expect(await check('Bearer t')).toMatchObject({ outcome: want });
		expect(new Set(asked.map(({ lane }) => lane))).toEqual(new Set(['reviews']));
		expect(reported).toEqual([`${want} from api`]);
	});

	it('a second check of the same token is answered from the cache', async () => {
		const { check, asked, reported } = setUp();
		await check('Bearer t');
		await check('Bearer t');
		expect(asked).toHaveLength(2);
		expect(reported).toEqual(['allowed from api', 'allowed from cache']);
	});
});

describe('an API server that does not answer', () => {
	it.each([
		{ error: new KubeError('KUBE_UNAVAILABLE', 'm'), retryAfterMs: 2000 },
		{ error: new KubeError('KUBE_TIMEOUT', 'm'), retryAfterMs: 2000 },
		{ error: new KubeError('KUBE_THROTTLED', 'm', { retryAfterMs: 5000 }), retryAfterMs: 5000 },
		{ error: new KubeError('KUBE_FORBIDDEN', 'm'), retryAfterMs: 2000 },
		{ error: new KubeError('KUBE_UNAUTHORIZED', 'm'), retryAfterMs: 2000 },
	])(
		'a review that ends with $error.code makes the decision `unavailable`, which is not cached',
		async ({ error, retryAfterMs }) => {
			for (const answers of [{ tokenReview: error }, { accessReview: error }]) {
				const { check, asked, reported } = setUp(answers);
				expect(await check('Bearer t')).toEqual({ outcome: 'unavailable', retryAfterMs });
				const before = asked.length;
				await check('Bearer t');
				expect(asked).toHaveLength(2 * before);
				expect(reported.slice(0, 2)).toEqual(['review failed', 'unavailable from api']);
			}
		},
	);

	it.each([
		'Post "https://webhook.example.org": dial tcp 10.0.0.1:443: connect: connection refused',
		'[invalid bearer token, Post "https://webhook.example.org": x509: certificate has expired or is not yet valid]',
		'[invalid bearer token, oidc: authenticator for issuer "https://a" is not initialized]',
		'context deadline exceeded',
	])('an authenticator that failed is a fault, not a 401: %s', async (error) => {
		const { check, reported } = setUp({ tokenReview: { status: { user: {}, error } } });
		expect(await check('Bearer t')).toEqual({ outcome: 'unavailable', retryAfterMs: 2000 });
		expect(reported).toEqual(['review failed', 'unavailable from api']);
	});

	it.each([
		'invalid bearer token',
		'[invalid bearer token, go-jose/go-jose: error in cryptographic primitive]',
		'[invalid bearer token, token audiences ["other"] is invalid for the target audiences ["https://kubernetes.default.svc"]]',
		'[invalid bearer token, service account token has expired]',
		'[invalid bearer token, service account token has been invalidated]',
		'[invalid bearer token, oidc: verify token: oidc: token is expired (Token Expiry: 2026-11-18 05:00:00 +0000 UTC)]',
	])('a token that the API server judged as not valid is a 401: %s', async (error) => {
		const { check } = setUp({ tokenReview: { status: { user: {}, error } } });
		expect(await check('Bearer t')).toEqual({ outcome: 'unauthenticated' });
	});

	it('while the API server is away an old decision is used: nothing can be stored, and one call has to try', async () => {
		const { check, asked, state } = setUp();
		await check('Bearer t');
		state.clock.advance(60_000);
		state.apiIsAway = true;
		expect(await check('Bearer t')).toEqual({ outcome: 'allowed' });
		expect(asked).toHaveLength(2);
		state.apiIsAway = false;
		await check('Bearer t');
		expect(asked).toHaveLength(4);
	});
});

describe('strangers', () => {
	it('strangers beyond the queue are `unavailable` at once, and a known sender is renewed ahead of them', async () => {
		const answer = Promise.withResolvers<object>();
		const asked: string[] = [];
		const held = { strangers: false };
		const call = async ({ resource, body }: KubeCall) => {
			if (resource !== 'tokenreviews') return { status: { allowed: true } };
			const { token } = (body as { spec: { token: string } }).spec;
			asked.push(token);
			return held.strangers && token !== 'known' ? answer.promise : { status: { authenticated: true, user } };
		};
		const decided: string[] = [];
		const clock = new ManualClock();
		const authenticator = createAuthenticator(
			'ns',
			{ issuers: undefined, audiences: undefined },
			{
				kube: { call: call as KubeClient['call'] },
				observer: { decided: (decision, from) => void decided.push(`${decision} ${from}`), reviewFailed() {} },
				clock,
				isApiAway: () => false,
			},
		);
		await authenticator.check('Bearer known', never);
		held.strangers = true;
		clock.advance(60_000);
		const strangers = Array.from({ length: 100 }, (_, i) => authenticator.check(`Bearer stranger-${i}`, never));
		await new Promise((resolve) => setImmediate(resolve));
		expect(asked).toEqual(['known', 'stranger-0', 'stranger-1']);
		expect(decided.filter((words) => words === 'unavailable queue')).toHaveLength(66);
		expect(await authenticator.check('Bearer known', never)).toEqual({ outcome: 'allowed' });
		expect(asked.at(-1)).toBe('known');
		answer.resolve({ status: { error: 'invalid bearer token' } });
		await new Promise((resolve) => setImmediate(resolve));
		clock.advance(60_000); // their pace
		const outcomes = (await Promise.all(strangers)).map(({ outcome }) => outcome);
		expect(outcomes.filter((outcome) => outcome === 'unauthenticated')).toHaveLength(34);
	});
});
