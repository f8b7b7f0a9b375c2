// The limits of a gateway: too much, too large, too slow, not HTTP, and a shutdown in the middle.
import { Readable } from 'node:stream';
import { type AppProcess, adminApi, createNamespace } from '@kubernaut/testkit';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { NewRemediationRequest } from '../src/generated/remediation-request.ts';
import { requestOf, webhook } from './harness/alerts.ts';
import { holdLock } from './harness/foreign-holder.ts';
import { type CreateGate, gateRequests } from './harness/gates.ts';
import {
	type Gateways,
	LONG,
	metric,
	occurrences,
	REQUEST_DEADLINE_MS,
	readiness,
	runningRequests,
	startGateways,
} from './harness/gateways.ts';
import { withinLockWait } from './harness/within-lock-wait.ts';
import { httpClient, rawConnection, senderToken } from './http/http-client.ts';
import { PROMETHEUS } from './http/routes.ts';

const api = adminApi();
let namespace: string;
let gateways: Gateways;
let gateway: AppProcess;
let narrow: AppProcess;
let hurried: AppProcess;
let punctual: AppProcess;
let impatient: AppProcess;
let gate: CreateGate<NewRemediationRequest>;
let token: string;
let send: ReturnType<typeof httpClient>;

beforeAll(async () => {
	namespace = await createNamespace(api, 'limits');
	gateways = await startGateways(api, namespace, { count: 1 });
	gateway = gateways.processes[0]!;
	[narrow, hurried, punctual, impatient] = await Promise.all([
		gateways.start('narrow', { MAX_CONCURRENT_REQUESTS: '2' }),
		gateways.start('hurried', { REQUEST_DEADLINE: '1s', KUBERNETES_REQUEST_TIMEOUT: '400ms' }),
		// Shorter than the wait for a lock, with calls that are not given up because the machine is busy.
		gateways.start('punctual', { REQUEST_DEADLINE: '4s', KUBERNETES_REQUEST_TIMEOUT: '1700ms' }),
		gateways.start('impatient', { RECEIVE_TIMEOUT: '1500ms' }),
	]);
	gate = await gateRequests(api, namespace);
	token = await senderToken(api, namespace);
	send = httpClient(token);
});

const head = (...more: string[]) =>
	[
		`POST ${PROMETHEUS} HTTP/1.1`,
		'Host: x',
		`Authorization: Bearer ${token}`,
		'Content-Type: application/json',
		...more,
	]
		.map((line) => `${line}\r\n`)
		.join('');
/** Status and code of the problem in a raw answer. */
function problemIn(raw: string): [status: string | undefined, code: string | undefined] {
	expect(raw).toMatch(/content-type: application\/problem\+json/i);
	return [/^HTTP\/1\.1 (\d+)/.exec(raw)?.[1], /"code":"([A-Z_]+)"/.exec(raw)?.[1]];
}

describe.concurrent('too much at once', () => {
	it('requests beyond the limit get 503 with Retry-After at once', async () => {
		const holding = gate.hold(requestOf('crowded'));
		const sendSome = (count: number) => Array.from({ length: count }, () => send(narrow, { body: webhook('crowded') }));
		const working = sendSome(2);
		const create = await holding;
		await vi.waitFor(async () => expect(await runningRequests(narrow)).toBe(2), LONG);
		const rejected = await Promise.all(sendSome(4));
		create.allow();
		for (const { status, json, headers } of rejected) {
			expect({ status, code: json['code'] }).toEqual({ status: 503, code: 'OVERLOADED' });
			expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
		}
		const statuses = (await Promise.all(working)).map(({ status }) => status);
		expect(statuses.toSorted((a, b) => a - b)).toEqual([201, 202]);
		expect(await metric(narrow, 'gateway_overload_rejections_total{reason="requests"}')).toBe(4);
	});
});

describe.concurrent('too long', () => {
	it('a signal that is not handled at the deadline is answered 504 with Retry-After', async () => {
		const holder = await holdLock(api, gateways, 'slow');
		const answer = await send(punctual, { body: webhook('slow') });
		await holder.release();
		expect(answer).toMatchObject({
			status: 504,
			headers: { 'retry-after': expect.stringMatching(/^[1-9]\d*$/) },
			json: { code: 'DEADLINE_EXCEEDED', results: [{ status: 'deferred' }] },
		});
		expect(await send(gateway, { body: webhook('slow') })).toMatchObject({ status: 201 });
	});
});

describe.concurrent('too slow', () => {
	it.each([
		{ what: 'headers', bytes: () => `POST ${PROMETHEUS} HTTP/1.1\r\nHost: x\r\n` },
		{ what: 'a body', bytes: () => `${head('Content-Length: 100')}\r\n{"alerts":` },
		{ what: 'a body in chunks', bytes: () => `${head('Transfer-Encoding: chunked')}\r\n5\r\n{"ale\r\n` },
	])('$what of a sender that is too slow: 408, and the connection ends', async ({ bytes }) => {
		const { ended } = await rawConnection(impatient, bytes());
		expect(problemIn(await ended)).toEqual(['408', 'REQUEST_TOO_SLOW']);
	});

	it('a body that trickles gets no more time', async () => {
		const { socket, ended } = await rawConnection(impatient, `${head('Content-Length: 1000')}\r\n`);
		const timer = setInterval(() => socket.write('['), 100);
		expect(problemIn(await ended)).toEqual(['408', 'REQUEST_TOO_SLOW']);
		clearInterval(timer);
	});
});

describe('slots', () => {
	it('all slots are free after overload and slow bodies', async () => {
		for (const each of [narrow, impatient]) await expect.poll(() => runningRequests(each)).toBe(0);
	});

	it('the slot of a client that left goes to the next request', async () => {
		await withinLockWait('left', async (deployment) => {
			const holder = await holdLock(api, gateways, deployment);
			const body = webhook(deployment);
			const request = `${head(`Content-Length: ${body.length}`)}\r\n${body}`;
			const leaving = await Promise.all([0, 1].map(() => rawConnection(narrow, request)));
			await expect.poll(() => runningRequests(narrow)).toBe(2);
			for (const { socket } of leaving) socket.destroy();
			await expect.poll(() => runningRequests(narrow)).toBe(0);
			expect(await send(narrow, { body: webhook(`next-${deployment}`) })).toMatchObject({ status: 201 });
			await holder.release();
			await expect.poll(() => runningRequests(narrow)).toBe(0);
		});
	});
});

describe('too large', () => {
	const LIMIT = 8 * 1024 * 1024;

	/** The gateway does not wait until all of a body has come that it does not read: the connection may be cut before. */
	async function statusOf(request: { body: string | Readable }): Promise<number> {
		const answer = await send(gateway, request).catch(() => 'cut while sending' as const);
		return answer === 'cut while sending' ? 413 : answer.status;
	}

	it('a body whose Content-Length is too large gets 413 before anything is read', async () => {
		const { ended } = await rawConnection(gateway, `${head(`Content-Length: ${LIMIT + 1}`)}\r\n`);
		expect(problemIn(await ended)).toEqual(['413', 'REQUEST_TOO_LARGE']);
	});

	it('a body in chunks that is too large gets 413', async () => {
		const chunks = Array.from({ length: 140 }, () => Buffer.alloc(64 * 1024, ' '));
		expect(await statusOf({ body: Readable.from(chunks) })).toBe(413);
	});

	it('a body of exactly the maximum size is read, and one byte more is not', async () => {
		const filler = {
			status: 'firing',
			labels: { alertname: 'Filler', severity: 'none' },
			annotations: { text: 'x'.repeat(900_000) },
		};
		const full = JSON.parse(webhook('padded')) as { alerts: unknown[] };
		full.alerts.push(...Array.from({ length: 9 }, () => filler));
		const body = JSON.stringify(full);
		expect(await send(gateway, { body: body + ' '.repeat(LIMIT - body.length) })).toMatchObject({ status: 201 });
		expect(await statusOf({ body: body + ' '.repeat(LIMIT - body.length + 1) })).toBe(413);
	});

	it('headers that are too large get 431', async () => {
		const { ended } = await rawConnection(gateway, head(`X-Large: ${'x'.repeat(17 * 1024)}`, ''));
		expect(problemIn(await ended)).toEqual(['431', 'REQUEST_HEADERS_TOO_LARGE']);
	});
});

describe('not what it seems', () => {
	it.each([
		{ what: 'two lengths', bytes: () => `${head('Content-Length: 2', 'Content-Length: 3')}\r\n{}` },
		{ what: 'a length and chunks', bytes: () => `${head('Content-Length: 2', 'Transfer-Encoding: chunked')}\r\n{}` },
		{ what: 'a negative length', bytes: () => `${head('Content-Length: -1')}\r\n` },
		{ what: 'an unknown transfer encoding', bytes: () => `${head('Transfer-Encoding: x')}\r\n{}` },
		{ what: 'a chunk without a valid size', bytes: () => `${head('Transfer-Encoding: chunked')}\r\nxyz\r\n` },
		{ what: 'a header name with a blank', bytes: () => `${head('Content-Length : 2')}\r\n{}` },
		{ what: 'bytes that are not HTTP', bytes: () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03' },
	])('a request with $what gets 400, and the connection ends', async ({ bytes }) => {
		const { ended } = await rawConnection(gateway, bytes());
		expect(problemIn(await ended)).toEqual(['400', 'REQUEST_INVALID']);
	});

	it('a second request in the body of the first is treated as its body', async () => {
		const hidden = `${head('Content-Length: 2', 'Connection: close')}\r\n{}`;
		const outer = `${head(`Content-Length: ${hidden.length}`, 'Connection: close')}\r\n${hidden}`;
		const { ended } = await rawConnection(gateway, outer);
		expect((await ended).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 400']);
	});

	it('a request without Host gets 400, as a problem', async () => {
		const { ended } = await rawConnection(gateway, `GET /docs HTTP/1.1\r\nConnection: close\r\n\r\n`);
		expect(problemIn(await ended)).toEqual(['400', 'REQUEST_INVALID']);
	});

	it('an unknown expectation is ignored, and the request answered', async () => {
		const { ended } = await rawConnection(
			gateway,
			'GET /nowhere HTTP/1.1\r\nHost: x\r\nExpect: wonders\r\nConnection: close\r\n\r\n',
		);
		expect(problemIn(await ended)).toEqual(['404', 'REQUEST_NOT_FOUND']);
	});

	it.each(['PROPFIND', 'TRACE', 'QUERY', 'M-SEARCH'])('the method %s gets 405 with Allow', async (method) => {
		const bytes = `${method} ${PROMETHEUS} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
		const raw = await (await rawConnection(gateway, bytes)).ended;
		expect(problemIn(raw)).toEqual(['405', 'REQUEST_METHOD']);
		expect(raw).toMatch(/allow: POST\r\n/i);
	});
});

describe('a batch as large as can be', () => {
	it('a large batch of alerts without a name is rejected as a whole', async () => {
		const alerts = Array.from({ length: 8000 }, () => ({ status: 'firing', labels: {} }));
		expect(await send(gateway, { body: JSON.stringify({ alerts }) })).toMatchObject({ status: 400 });
	});

	it('a large batch of one and the same alert makes one request that counts all of them', async () => {
		const alert = { status: 'firing', labels: { alertname: 'A', namespace: 'n', deployment: 'same' } };
		const alerts = Array.from({ length: 500 }, () => alert);
		const answer = await send(gateway, { body: JSON.stringify({ alerts }) });
		expect(answer.status).toBe(201);
		const results = answer.json['results'] as { status: string; occurrenceCount: number }[];
		expect(results.map(({ occurrenceCount }) => occurrenceCount).toSorted((a, b) => a - b)).toEqual(
			Array.from({ length: 500 }, (_, index) => index + 1),
		);
		expect(occurrences(await gateways.requests('same'))).toEqual([500]);
	});

	it('a batch that does not fit into one deadline is stored completely when it is sent again', async () => {
		const names = Array.from({ length: 200 }, (_, index) => `wide-${index}`);
		const alert = (deployment: string) => ({
			status: 'firing',
			labels: { alertname: 'A', namespace: 'n', deployment },
		});
		const body = JSON.stringify({ alerts: names.map(alert) });
		const stored = new Set<string>();
		const codes = new Set<number>();
		await expect
			.poll(
				async () => {
					const { status: code, json } = await send(hurried, { body });
					codes.add(code);
					for (const [index, { status }] of ((json['results'] ?? []) as { status: string }[]).entries())
						if (status === 'created' || status === 'duplicate') stored.add(names[index]!);
					return stored.size;
				},
				{ timeout: 240_000, interval: 0 },
			)
			.toBe(names.length);
		expect([...codes].filter((code) => ![201, 202, 503, 504].includes(code))).toEqual([]);
	}, 300_000);
});

describe('a shutdown', () => {
	it('a shutdown answers running requests, does not wait for idle connections, and ends with code 0', async () => {
		const leaving = await gateways.start('leaving', { SHUTDOWN_DRAIN: '500ms' });
		const holding = gate.hold(requestOf('leaving'));
		const silent = await rawConnection(leaving);
		const halfHead = await rawConnection(leaving, `POST ${PROMETHEUS} HTTP/1.1\r\n`);
		const body = webhook('leaving');
		const { ended } = await rawConnection(leaving, `${head(`Content-Length: ${body.length}`)}\r\n${body}`);
		const create = await holding;

		leaving.signal('SIGTERM');
		const startedAt = performance.now();
		await expect.poll(() => readiness(leaving)).toBe(503);
		create.allow();
		const answer = await ended;
		expect(answer).toMatch(/^HTTP\/1\.1 201/);
		expect(answer).toMatch(/connection: close/i);
		expect(await leaving.exited).toBe(0);
		expect(performance.now() - startedAt).toBeLessThan(REQUEST_DEADLINE_MS); // after which all are cut off
		await Promise.all([silent.ended, halfHead.ended]);
		expect((await gateways.requests('leaving')).length).toBe(1);
	});

	it('a shutdown waits for a body that never comes no longer than the request deadline', async () => {
		// Neither the time for a body nor that of the shutdown, which would end it with code 1.
		const limits = {
			RECEIVE_TIMEOUT: '300s',
			REQUEST_DEADLINE: '2s',
			MAX_QUEUE_WAIT: '1s',
			KUBERNETES_REQUEST_TIMEOUT: '800ms',
		};
		const leaving = await gateways.start('waiting', limits);
		const halfBody = await rawConnection(leaving, `${head('Content-Length: 100')}\r\n{`);
		await expect.poll(() => runningRequests(leaving)).toBe(1);
		leaving.signal('SIGTERM');
		await halfBody.ended;
		expect(await leaving.exited).toBe(0);
	});
});
