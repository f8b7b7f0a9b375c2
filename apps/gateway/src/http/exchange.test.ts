// On real connections: how an exchange ended is known from them alone.
import { once } from 'node:events';
import { connect } from 'node:net';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { GOOD_ALERTS, startHttpFixture } from '../../test/fixtures/http-fixture.ts';
import { PROMETHEUS } from '../../test/http/routes.ts';
import { ClientGone } from './exchange.ts';

const { server, behind, reported } = await startHttpFixture();
let url: string;
let port: number;

beforeAll(async () => {
	url = await server.listen({ host: '127.0.0.1', port: 0 });
	port = Number(new URL(url).port);
});
beforeEach(() => void (reported.answered.length = 0));

const post = (body: string) =>
	fetch(url + PROMETHEUS, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
async function untilReported(count: number): Promise<void> {
	await expect.poll(() => reported.answered, { interval: 1, timeout: 10_000 }).toHaveLength(count);
}

describe('the end of an exchange', () => {
	it('the end of an exchange is reported exactly once, with its route and its problem', async () => {
		for (const body of [GOOD_ALERTS, '{']) await post(body);
		await fetch(`${url}/%zz`);
		await fetch(`${url}/who/knows?token=s3cret`);
		await untilReported(4);
		const answer = { requestId: expect.any(String), seconds: expect.any(Number) };
		expect(reported.answered).toEqual([
			{ ...answer, method: 'POST', route: PROMETHEUS, status: 201 },
			{ ...answer, method: 'POST', route: PROMETHEUS, status: 400, problem: 'REQUEST_INVALID' },
			{ ...answer, method: 'GET', route: 'other', status: 400, problem: 'REQUEST_INVALID' },
			{ ...answer, method: 'GET', route: 'other', status: 404, problem: 'REQUEST_NOT_FOUND' },
		]);
	});

	it('the end of an exchange releases its slot, also on a kept connection', async () => {
		const before = reported.released;
		await post(GOOD_ALERTS);
		await post(GOOD_ALERTS);
		await untilReported(2);
		expect(reported.released).toBe(before + 2);
	});
});

describe('the deadline', () => {
	it.each([
		{ what: 'the review of the sender', body: GOOD_ALERTS, length: GOOD_ALERTS.length },
		{ what: 'the body', body: '{', length: 100 },
	])('the deadline covers $what: 504 with Retry-After', async ({ what, body, length }) => {
		const hurried = await startHttpFixture({ deadlineMs: 100 });
		const address = new URL(await hurried.server.listen({ host: '127.0.0.1', port: 0 }));
		if (what !== 'the body')
			hurried.behind.decision = (abort) =>
				new Promise((_, reject) => abort.addEventListener('abort', () => reject(abort.reason as Error)));
		const socket = connect(Number(address.port), '127.0.0.1');
		socket.write(
			`POST ${PROMETHEUS} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`,
		);
		const [chunk] = (await once(socket, 'data')) as [Buffer];
		socket.destroy();
		const answer = chunk.toString();
		expect(answer).toMatch(/^HTTP\/1\.1 504/);
		expect(answer).toMatch(/retry-after: 1\r\n/i);
		expect(answer).toContain('DEADLINE_EXCEEDED');
	});
});

describe('a client that leaves', () => {
	const head = `POST ${PROMETHEUS} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`;
	async function sendAndLeave(text: string, when: Promise<unknown>): Promise<void> {
		const socket = connect(port, '127.0.0.1');
		await once(socket, 'connect');
		socket.write(text);
		await when;
		socket.destroy();
		await untilReported(1);
	}

	it('a client that leaves while its sender is reviewed ends the wait', async () => {
		const { decision } = behind;
		const begun = Promise.withResolvers<void>();
		let reason: unknown;
		behind.decision = (abort) => {
			begun.resolve();
			return new Promise((_, reject) =>
				abort.addEventListener('abort', () => reject((reason = abort.reason) as Error)),
			);
		};
		await sendAndLeave(`${head}Content-Length: 2\r\n\r\n{}`, begun.promise);
		behind.decision = decision;
		expect(reason).toBeInstanceOf(ClientGone);
		expect(reported.answered).toMatchObject([{ status: 'gone' }]);
		expect(reported.failed).toEqual([]);
	});

	it('a client that leaves while its signal is handled is reported as gone, its slot released, no fault logged', async () => {
		const { ingest } = behind;
		const begun = Promise.withResolvers<void>();
		behind.ingest = () => {
			begun.resolve();
			return new Promise(() => undefined);
		};
		const before = reported.released;
		await sendAndLeave(`${head}Content-Length: ${GOOD_ALERTS.length}\r\n\r\n${GOOD_ALERTS}`, begun.promise);
		behind.ingest = ingest;
		expect(reported.answered).toMatchObject([{ route: PROMETHEUS, status: 'gone' }]);
		expect(reported.released).toBe(before + 1);
		expect(reported.failed).toEqual([]);
	});

	it('a client that leaves in the middle of its body is reported as gone', async () => {
		const begun = Promise.withResolvers<void>();
		const { admission } = behind;
		behind.admission = {
			...admission,
			admit() {
				begun.resolve();
				return admission.admit();
			},
		};
		await sendAndLeave(`${head}Content-Length: 100\r\n\r\n{`, begun.promise);
		behind.admission = admission;
		expect(reported.answered).toMatchObject([{ status: 'gone' }]);
		expect(reported.failed).toEqual([]);
	});
});
