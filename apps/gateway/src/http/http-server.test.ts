import { describe, expect, it } from 'vitest';
import { GOOD_ALERTS, startHttpFixture } from '../../test/fixtures/http-fixture.ts';
import { EVENT, PROMETHEUS } from '../../test/http/routes.ts';
import { createBodyBudget } from '../guard/body-budget.ts';
import { PROBLEM_MEDIA_TYPE } from './problem.ts';

const { server, send, behind, reported } = await startHttpFixture();
const typed = { 'content-type': 'application/json' };

describe('requests to other addresses or with other methods', () => {
	it.each([
		{ method: 'GET', url: PROMETHEUS, want: 405, allow: 'POST' },
		{ method: 'HEAD', url: PROMETHEUS, want: 405, allow: 'POST' },
		{ method: 'PUT', url: EVENT, want: 405, allow: 'POST' },
		{ method: 'DELETE', url: `${EVENT}?x=1`, want: 405, allow: 'POST' },
		{ method: 'OPTIONS', url: PROMETHEUS, want: 405, allow: 'POST' },
		{ method: 'POST', url: '/docs', want: 405, allow: 'GET, HEAD' },
		{ method: 'PATCH', url: '/openapi.json', want: 405, allow: 'GET, HEAD' },
		{ method: 'GET', url: '/', want: 404 },
		{ method: 'POST', url: `${PROMETHEUS}/`, want: 404 },
		{ method: 'POST', url: '/api/v2/signals/prometheus', want: 404 },
		{ method: 'GET', url: '/healthz', want: 404 },
		{ method: 'GET', url: '/%zz', want: 400 },
	] as const)('$method $url is answered $want', async ({ method, url, want, ...wanted }) => {
		const answer = await server.inject({ method, url });
		expect(answer.statusCode).toBe(want);
		expect(answer.headers['allow']).toBe('allow' in wanted ? wanted.allow : undefined);
		expect(answer.headers['content-type']).toBe(PROBLEM_MEDIA_TYPE);
		const problem = answer.body === '' ? { status: want } : answer.json<{ status: number }>();
		expect(problem.status).toBe(want);
	});
});

it.each([
	{ method: 'PUT', url: PROMETHEUS, want: 405 },
	{ method: 'POST', url: '/nowhere', want: 404 },
] as const)('$method $url is answered $want without reading the body', async ({ method, url, want }) => {
	for (const headers of [typed, { 'content-type': 'text/plain' }, {}])
		for (const payload of ['{', '', 'x'.repeat(5000)])
			expect((await server.inject({ method, url, headers, payload })).statusCode).toBe(want);
});

describe('a body', () => {
	it.each([
		{ why: 'that is valid', headers: typed, payload: GOOD_ALERTS, want: 201 },
		{ why: 'with a charset', headers: { 'content-type': 'Application/JSON; charset="UTF-8"' }, want: 201 },
		{ why: 'of another type', headers: { 'content-type': 'text/plain' }, want: 415 },
		{
			why: 'of a type that only begins with application/json',
			headers: { 'content-type': 'application/json5' },
			want: 415,
		},
		{ why: 'of no type', headers: {}, want: 415 },
		{ why: 'in another charset', headers: { 'content-type': 'application/json; charset=utf-16' }, want: 415 },
		{ why: 'encoded', headers: { ...typed, 'content-encoding': 'gzip' }, want: 415 },
		{ why: 'encoded as itself', headers: { ...typed, 'content-encoding': 'identity' }, want: 201 },
		{ why: 'that is too large', headers: typed, payload: JSON.stringify({ x: 'x'.repeat(4096) }), want: 413 },
		{ why: 'that is empty', headers: typed, payload: '', want: 400 },
		{ why: 'that is no JSON', headers: typed, payload: '{', want: 400 },
		{ why: 'that is a text', headers: typed, payload: '"alerts"', want: 400 },
		{ why: 'without alerts', headers: typed, payload: '{"alerts":[]}', want: 400 },
		{
			why: 'with a label that is no text',
			headers: typed,
			payload: '{"alerts":[{"status":"firing","labels":{"alertname":1}}]}',
			want: 400,
		},
		{
			why: 'with a label of null under a name with a line break',
			headers: typed,
			payload: '{"alerts":[{"status":"firing","labels":{"alertname":"A","a\\nb":null}}]}',
			want: 400,
		},
		{ why: 'with a status of its own', headers: typed, payload: '{"alerts":[{"status":"?","labels":{}}]}', want: 400 },
		{ why: 'without a name', headers: typed, payload: '{"alerts":[{"status":"firing","labels":{}}]}', want: 400 },
	])('a body $why is answered $want', async ({ headers, payload = GOOD_ALERTS, want }) => {
		const answer = await send({ headers, payload });
		expect(answer.statusCode).toBe(want);
		const json = 'application/json; charset=utf-8';
		expect(answer.headers['content-type']).toBe(want >= 400 ? PROBLEM_MEDIA_TYPE : json);
	});
});

it('alerts that Alertmanager left out are reported, and the others stored', async () => {
	const payload = JSON.stringify({ ...(JSON.parse(GOOD_ALERTS) as object), truncatedAlerts: 7 });
	expect((await send({ payload })).statusCode).toBe(201);
	expect(reported.leftOut).toBe(7);
});

it.each([
	['a key __proto__', '{"status":"firing","labels":{"alertname":"B","__proto__":"x"}}'],
	['a key constructor.prototype', '{"status":"firing","labels":{"alertname":"B"},"constructor":{"prototype":1}}'],
	['a label that is no text', '{"status":"firing","labels":{"alertname":"B","pod":null}}'],
	['a control character in a label', '{"status":"firing","labels":{"alertname":"B","pod":"a\\u0007"}}'],
	['a name of two lines', '{"status":"firing","labels":{"alertname":"B\\nC"}}'],
	['half a character in a label', '{"status":"firing","labels":{"alertname":"B","pod":"\\ud800"}}'],
	['no labels', '{"status":"firing"}'],
	['nothing', 'null'],
])('an alert with %s is rejected alone, with the reason', async (_what, alert) => {
	const good = '{"status":"firing","labels":{"alertname":"A"}}';
	const answer = await send({ payload: `{"alerts":[${good},${alert},${good}]}` });
	expect(answer.statusCode).toBe(207);
	expect(answer.json()).toMatchObject({
		results: [{ status: 'created' }, { status: 'rejected', message: expect.any(String) }, { status: 'created' }],
	});
});

it.each([
	['a key __proto__ beside its alerts', '{"__proto__":{},"alerts":[{"status":"firing","labels":{"alertname":"A"}}]}'],
	['a version of its own', '{"version":"5","alerts":[{"status":"firing","labels":{"alertname":"A"}}]}'],
	['alerts that are no list', '{"alerts":{"status":"firing","labels":{"alertname":"A"}}}'],
])('a body with %s is rejected as a whole', async (_what, payload) => {
	expect((await send({ payload })).statusCode).toBe(400);
});

describe('the budget of bytes', () => {
	it('a body for which there is no memory is answered 503 with Retry-After, and leaves none taken', async () => {
		const tight = await startHttpFixture({ bodyBudget: createBodyBudget(10_000, { bytesInWork: () => undefined }) });
		const many = JSON.stringify({
			alerts: Array.from({ length: 50 }, () => ({ status: 'firing', labels: { alertname: 'A' } })),
		});
		for (const payload of [many, 'x'.repeat(4000)]) {
			const answer = await tight.send({ payload });
			expect([answer.statusCode, answer.headers['retry-after']]).toEqual(
				payload === many ? [503, '2'] : [400, undefined],
			);
		}
		expect((await tight.send()).statusCode).toBe(201);
	});
});

it('the connection of a body that is too large is closed', async () => {
	expect((await send({ payload: 'x'.repeat(5000) })).headers['connection']).toBe('close');
});

describe('every answer', () => {
	it('every answer has a request id, no-store and nosniff', async () => {
		for (const options of [{}, { url: '/nowhere' }, { payload: '{' }]) {
			const { headers } = await send(options);
			expect(headers).toMatchObject({
				'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
				'cache-control': 'no-store',
				'x-content-type-options': 'nosniff',
			});
		}
	});

	it.each([
		{ given: 'trace-1', want: 'trace-1' },
		{ given: 'a'.repeat(65), want: /^[0-9a-f-]{36}$/ },
		{ given: 'two words', want: /^[0-9a-f-]{36}$/ },
	])('the request id of the sender is used if it is valid: $given', async ({ given, want }) => {
		const answer = await send({ headers: { ...typed, 'x-request-id': given }, payload: '{' });
		expect(answer.headers['x-request-id']).toMatch(want);
		expect(answer.json()).toMatchObject({ requestId: answer.headers['x-request-id'] });
	});

	it('every answer closes its connection while draining', async () => {
		behind.draining = true;
		expect((await send()).headers['connection']).toBe('close');
		behind.draining = false;
		expect((await send()).headers['connection']).toBe('keep-alive');
	});
});

describe('before the body is read', () => {
	const unread = { payload: '{' }; // would be a 400

	it.each([
		{
			why: 'the API server is not available',
			change: () => (behind.unavailable = { retryAfterMs: 1500 }),
			want: { status: 503, code: 'API_UNAVAILABLE', retryAfter: '2' },
		},
		{
			why: 'the gateway is overloaded',
			change: () =>
				(behind.admission = {
					...behind.admission,
					admit: () => ({ admitted: false, reason: 'requests', retryAfterMs: 2000 }),
				}),
			want: { status: 503, code: 'OVERLOADED', retryAfter: '2' },
		},
		{
			why: 'the token could not be reviewed',
			change: () => (behind.decision = { outcome: 'unavailable', retryAfterMs: 1 }),
			want: { status: 503, code: 'API_UNAVAILABLE', retryAfter: '1' },
		},
		{
			why: 'the token is not known',
			change: () => (behind.decision = { outcome: 'unauthenticated' }),
			want: { status: 401, code: 'REQUEST_UNAUTHENTICATED' },
		},
		{
			why: 'the user may not',
			change: () => (behind.decision = { outcome: 'forbidden' }),
			want: { status: 403, code: 'REQUEST_FORBIDDEN' },
		},
	])('a request is answered before its body is read when $why', async ({ change, want }) => {
		const before = { ...behind };
		change();
		const answer = await send(unread);
		Object.assign(behind, before);
		expect(answer.statusCode).toBe(want.status);
		expect(answer.json()).toMatchObject({ code: want.code });
		expect(answer.headers['retry-after']).toBe(want.retryAfter);
		expect(answer.headers['www-authenticate']).toBe(want.status === 401 ? 'Bearer' : undefined);
	});

	it('the slot is released, whatever the answer', async () => {
		for (const options of [{}, unread, { headers: {} }]) {
			const before = reported.released;
			await send(options);
			expect(reported.released).toBe(before + 1);
		}
	});
});

describe('a fault of ours', () => {
	it('a fault in a use case is answered 503 without its message', async () => {
		const { ingest } = behind;
		behind.ingest = () => Promise.reject(new Error('s3cret'));
		const answer = await send();
		behind.ingest = ingest;
		expect(answer.statusCode).toBe(503);
		expect(answer.headers['retry-after']).toBe('1');
		expect(answer.body).not.toContain('s3cret');
		expect(reported.failed).toEqual([new Error('s3cret')]);
	});

	it('a fault anywhere else is answered 500 without its message', async () => {
		const { admission } = behind;
		behind.admission = {
			...admission,
			admit: () => {
				throw new Error('s3cret');
			},
		};
		const answer = await send();
		behind.admission = admission;
		expect(answer.statusCode).toBe(500);
		expect(answer.json()).toMatchObject({ code: 'INTERNAL_ERROR' });
		expect(answer.body).not.toContain('s3cret');
	});
});
