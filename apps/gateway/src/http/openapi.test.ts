import { describe, expect, it } from 'vitest';
import { startHttpFixture } from '../../test/fixtures/http-fixture.ts';
import { OPENAPI_STRUCTURE } from '../../test/http/openapi-structure.ts';
import { EVENT, PROMETHEUS } from '../../test/http/routes.ts';
import { createSchemaCheck } from '../../test/http/schema-check.ts';
import type { IngestResult } from '../signal/signal.ts';
import type { ApiDescription } from './openapi.ts';
import { PROBLEM_MEDIA_TYPE, PROBLEMS } from './problem.ts';

const { server, send, behind } = await startHttpFixture();
const description = (await server.inject('/openapi.json')).json<ApiDescription>();
const check = createSchemaCheck();
const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
	Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

describe('the description of the API', () => {
	it('the description of the API has the structure of OpenAPI 3.1', async () => {
		expect(await check(OPENAPI_STRUCTURE, description)).toEqual([]);
	});

	it('every security scheme that the API requires is described', () => {
		const known = Object.keys(description.components.securitySchemes);
		expect(known).toEqual(expect.arrayContaining(description.security.flatMap((needed) => Object.keys(needed))));
	});

	it('the two routes that receive signals are described', () => {
		expect(operations.map(({ method, path }) => `${method} ${path}`)).toEqual([`post ${PROMETHEUS}`, `post ${EVENT}`]);
	});

	it.each(operations)('every possible answer of $path is described', ({ path, operation }) => {
		const problems = Object.values(PROBLEMS)
			.map(({ status }) => status)
			.filter((status) => status !== 404);
		const wanted = new Set([200, 201, 202, ...(path === PROMETHEUS ? [207] : []), ...problems].map(String));
		expect(new Set(Object.keys(operation.responses))).toEqual(wanted);
		for (const [status, { content }] of Object.entries(operation.responses))
			expect(Object.keys(content)).toEqual([Number(status) >= 400 ? PROBLEM_MEDIA_TYPE : 'application/json']);
	});

	it.each(operations)('the schemas of $path are valid, and the examples fit them', async ({ operation }) => {
		const { schema } = operation.requestBody.content['application/json'] as { schema: { examples: unknown[] } };
		expect(schema.examples).not.toHaveLength(0);
		for (const example of schema.examples) expect(await check(schema, example)).toEqual([]);
		expect(await check(schema, { alerts: 1 })).not.toEqual([]);
		for (const { content } of Object.values(operation.responses))
			for (const { schema: answer } of Object.values(content)) expect(await check(answer as object, 1)).not.toEqual([]);
	});
});

describe('an answer', () => {
	const request = { name: 'rr', namespace: 'ns' };
	const alert = (name: string, status = 'firing') => ({ status, labels: name === '' ? {} : { alertname: name } });
	const event = {
		apiVersion: 'v1',
		kind: 'Event',
		type: 'Warning',
		reason: 'BackOff',
		involvedObject: { kind: 'Pod', name: 'p', namespace: 'n' },
	};
	const results: Record<string, IngestResult> = {
		created: { outcome: 'created', request, occurrenceCount: 1 },
		duplicate: { outcome: 'duplicate', request, occurrenceCount: 2 },
		deferred: { outcome: 'deferred', reason: 'lock-timeout', retryAfterMs: 1, message: 'm' },
		rejected: { outcome: 'rejected', message: 'm' },
	};

	it.each([
		{ url: PROMETHEUS, body: { alerts: [alert('A')] }, result: 'created', want: 201 },
		{ url: PROMETHEUS, body: { alerts: [alert('A'), alert('C')] }, result: 'created', want: 201 },
		{ url: PROMETHEUS, body: { alerts: [alert('A')] }, result: 'duplicate', want: 202 },
		{ url: PROMETHEUS, body: { alerts: [alert('A', 'resolved')] }, result: 'created', want: 200 },
		{ url: PROMETHEUS, body: { alerts: [alert('A'), alert('')] }, result: 'created', want: 207 },
		{ url: PROMETHEUS, body: { alerts: [alert('A')] }, result: 'rejected', want: 207 },
		{ url: PROMETHEUS, body: { alerts: [alert('')] }, result: 'created', want: 400 },
		{ url: PROMETHEUS, body: {}, result: 'created', want: 400 },
		{ url: PROMETHEUS, body: { alerts: [alert('A'), alert('B')] }, result: 'deferred', want: 503 },
		{ url: EVENT, body: event, result: 'created', want: 201 },
		{ url: EVENT, body: event, result: 'duplicate', want: 202 },
		{ url: EVENT, body: { ...event, type: 'Normal' }, result: 'created', want: 200 },
		{ url: EVENT, body: event, result: 'rejected', want: 400 },
		{ url: EVENT, body: event, result: 'deferred', want: 503 },
		{ url: EVENT, body: { ...event, kind: 'Pod' }, result: 'created', want: 400 },
	])('the answer $want to $body is as described', async ({ url, body, result, want }) => {
		behind.ingest = async () => results[result]!;
		const answer = await send({ url, payload: JSON.stringify(body) });
		expect(answer.statusCode).toBe(want);
		const [type = ''] = String(answer.headers['content-type']).split(';');
		const described = description.paths[url]?.['post']?.responses[want]?.content[type];
		expect(described).toBeDefined();
		// Nothing more than is described, either.
		const strict = { ...(described?.schema as object), additionalProperties: false };
		expect(await check(strict, answer.json())).toEqual([]);
	});
});

describe('the page for people', () => {
	it('the docs page shows every route and answer, loads nothing and runs no script', async () => {
		const page = await server.inject('/docs');
		expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
		expect(page.headers['content-security-policy']).toBe("default-src 'none'; style-src 'unsafe-inline'");
		for (const { path, method, operation } of operations) {
			expect(page.body).toContain(`${method.toUpperCase()} ${path}`);
			for (const status of Object.keys(operation.responses)) expect(page.body).toContain(`<code>${status}</code>`);
		}
		expect(page.body).not.toMatch(/<script|src=|href="(?!\/openapi\.json")/);
	});

	it('the docs page closes every element', async () => {
		const { body } = await server.inject('/docs');
		for (const name of ['html', 'h1', 'h2', 'table', 'details', 'pre', 'code', 'title', 'style'])
			expect([name, body.split(`</${name}>`).length]).toEqual([name, body.split(new RegExp(`<${name}[ >]`)).length]);
	});
});
