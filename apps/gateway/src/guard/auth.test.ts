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
	const breaker = { open: false, reported: [] as string[] };
	const authenticator = createAuthenticator('ns', {
		kube: { call: call as KubeClient['call'] },
		breaker: {
			tryPass: () =>
				breaker.open
					? { retryAfterMs: 700 }
					: {
							succeeded: () => void breaker.reported.push('succeeded'),
							failed: () => void breaker.reported.push('failed'),
							abandoned: () => void breaker.reported.push('abandoned'),
						},
		},
		observer: {
			decided: (decision, from) => void reported.push(`${decision} from ${from}`),
			reviewFailed: () => void reported.push('review failed'),
		},
		now: () => 0,
	});
	return { asked, reported, breaker, check: (header?: string) => authenticator.check(header, never) };
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
		const { check, breaker, reported } = setUp(answers);
		expect(await check('Bearer t')).toMatchObject({ outcome: want });
		expect(breaker.reported[0]).toBe('succeeded');
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
		{ error: new KubeError('KUBE_UNAVAILABLE', 'm'), breaks: 'failed', retryAfterMs: 2000 },
		{ error: new KubeError('KUBE_TIMEOUT', 'm'), breaks: 'failed', retryAfterMs: 2000 },
		{ error: new KubeError('KUBE_THROTTLED', 'm', { retryAfterMs: 5000 }), breaks: 'abandoned', retryAfterMs: 5000 },
		{ error: new KubeError('KUBE_FORBIDDEN', 'm'), breaks: 'abandoned', retryAfterMs: 2000 },
		{ error: new KubeError('KUBE_UNAUTHORIZED', 'm'), breaks: 'abandoned', retryAfterMs: 2000 },
	])(
		'a review that ends with $error.code makes the decision `unavailable`, which is not cached',
		async ({ error, breaks, retryAfterMs }) => {
			for (const answers of [{ tokenReview: error }, { accessReview: error }]) {
				const { check, breaker, asked, reported } = setUp(answers);
				expect(await check('Bearer t')).toEqual({ outcome: 'unavailable', retryAfterMs });
				expect(breaker.reported[0]).toBe(breaks);
				const before = asked.length;
				await check('Bearer t');
				expect(asked).toHaveLength(2 * before);
				expect(reported.slice(0, 2)).toEqual(['review failed', 'unavailable from api']);
			}
		},
	);

	it('while the breaker is open the API server is not asked, and the decision is `unavailable`', async () => {
		const { check, breaker, asked } = setUp();
		breaker.open = true;
		expect(await check('Bearer t')).toEqual({ outcome: 'unavailable', retryAfterMs: 700 });
		expect(asked).toEqual([]);
	});
});
