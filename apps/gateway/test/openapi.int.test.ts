// The description that a real gateway serves, and that what it really answers is what it describes.
import { type AppProcess, adminApi, createNamespace, serviceAccountToken } from '@kubernaut/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ApiDescription } from '../src/http/openapi.ts';
import { requestOf, webhook } from './harness/alerts.ts';
import { gateRequests } from './harness/gates.ts';
import { startGateways } from './harness/gateways.ts';
import { type HttpAnswer, httpClient, senderToken } from './http/http-client.ts';
import { OPENAPI_STRUCTURE } from './http/openapi-structure.ts';
import { EVENT, PROMETHEUS } from './http/routes.ts';
import { createSchemaCheck } from './http/schema-check.ts';

const api = adminApi();
const check = createSchemaCheck();
let namespace: string;
let gateway: AppProcess;
let send: (request: Parameters<ReturnType<typeof httpClient>>[1]) => Promise<HttpAnswer>;
let description: ApiDescription;

beforeAll(async () => {
	namespace = await createNamespace(api, 'openapi');
	const gateways = await startGateways(api, namespace, { count: 1, env: { MAX_BODY_BYTES: '8192' } });
	gateway = gateways.processes[0]!;
	const client = httpClient(await senderToken(api, namespace));
	send = (request) => client(gateway, request);
	description = (await send({ method: 'GET', path: '/openapi.json' })).json as unknown as ApiDescription;
});

/** What is wrong with an answer, by the description; a field that is not described is wrong too. */
async function deviations(path: string, answer: HttpAnswer): Promise<string[]> {
	const response = description.paths[path]?.['post']?.responses[answer.status];
	if (response === undefined) return [`${answer.status} is not described`];
	const [type = ''] = String(answer.headers['content-type']).split(';');
	const schema = response.content[type]?.schema;
	if (schema === undefined) return [`${type} is not described for ${answer.status}`];
	const missing = Object.keys(response.headers ?? {}).filter(
		(name) => answer.headers[name.toLowerCase()] === undefined,
	);
	return [
		...missing.map((name) => `${name} is missing`),
		...(await check({ ...(schema as object), additionalProperties: false }, answer.json)),
	];
}

const event = (change: object = {}) =>
	JSON.stringify({
		apiVersion: 'v1',
		kind: 'Event',
		metadata: { name: 'e', namespace: 'shop' },
		type: 'Warning',
		reason: 'BackOff',
		message: 'again',
		involvedObject: { apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: 'cart' },
		...change,
	});
const two = (first: string, second: string) =>
	JSON.stringify({ alerts: [first, second].flatMap((one) => (JSON.parse(one) as { alerts: unknown[] }).alerts) });
const nameless = JSON.stringify({ alerts: [{ status: 'firing', labels: {} }] });

describe('the description', () => {
	it('the served description is OpenAPI 3.1', async () => {
		expect(await check(OPENAPI_STRUCTURE, description)).toEqual([]);
	});

	it('the docs page is served, also to HEAD', async () => {
		const page = await send({ method: 'GET', path: '/docs' });
		expect(page).toMatchObject({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } });
		for (const path of Object.keys(description.paths)) expect(page.text).toContain(`POST ${path}`);
		expect(await send({ method: 'HEAD', path: '/docs' })).toMatchObject({ status: 200, text: '' });
	});
});

describe('a real answer is as described', () => {
	it.each([
		{ want: 201, body: webhook('one') },
		{ want: 202, body: webhook('one') },
		{ want: 201, body: two(webhook('one'), webhook('two')) },
		{ want: 200, body: webhook('one', 'resolved') },
		{ want: 200, body: webhook('never-seen', 'resolved') },
		{ want: 207, body: two(webhook('one'), nameless) },
		{ want: 400, body: nameless },
		{ want: 400, body: '{' },
		{ want: 400, body: '{"alerts":{}}' },
		{ want: 413, body: JSON.stringify({ x: 'x'.repeat(8192) }) },
		{ want: 201, path: EVENT, body: event() },
		{ want: 202, path: EVENT, body: event() },
		{ want: 200, path: EVENT, body: event({ type: 'Normal' }) },
		{ want: 400, path: EVENT, body: event({ involvedObject: { kind: 'Pod', name: 'a b', namespace: 'n' } }) },
		{ want: 400, path: EVENT, body: webhook('one') },
	])('a real answer $want to $body is as described', async ({ want, path = PROMETHEUS, body }) => {
		const answer = await send({ path, body });
		expect(answer.status).toBe(want);
		expect(await deviations(path, answer)).toEqual([]);
	});

	it.each([
		{ want: 405, request: { method: 'GET' } },
		{ want: 415, request: { headers: { 'content-type': 'text/plain' }, body: webhook('one') } },
		{ want: 401, request: { headers: { authorization: undefined }, body: webhook('one') } },
	])('a real answer $want is as described', async ({ want, request }) => {
		const answer = await send(request);
		expect(answer.status).toBe(want);
		expect(await deviations(PROMETHEUS, answer)).toEqual([]);
	});

	it('a real answer 403 is as described', async () => {
		const mayNot = httpClient(await serviceAccountToken(api, namespace, 'may-not'));
		const answer = await mayNot(gateway, { body: webhook('one') });
		expect(answer.status).toBe(403);
		expect(await deviations(PROMETHEUS, answer)).toEqual([]);
	});

	it('signals that the API server rejects get 207 or 400 as described, without its message', async () => {
		const gate = await gateRequests(api, namespace);
		const deny = async (target: string) => (await gate.hold(requestOf(target))).deny();
		void deny('rejected');
		const batch = await send({ body: two(webhook('rejected'), webhook('stored')) });
		expect(batch).toMatchObject({ status: 207, json: { results: [{ status: 'rejected' }, { status: 'created' }] } });
		expect(await deviations(PROMETHEUS, batch)).toEqual([]);
		expect(batch.text).not.toContain('gate.kubernaut.ai');

		void deny('rejected-pod');
		const involvedObject = { kind: 'Pod', namespace: 'shop', name: 'rejected-pod' };
		const one = await send({ path: EVENT, body: event({ involvedObject }) });
		expect(one.status).toBe(400);
		expect(await deviations(EVENT, one)).toEqual([]);
		await expect.poll(() => gateway.output().join('\n')).toContain('signal rejected'); // a pipe of its own
	});
});
