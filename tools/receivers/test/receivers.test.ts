import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import {
	createReceiverCertificates,
	type ReceiverCertificates,
	startHttpsReceiver,
	startReceiverSet,
	startSmtpReceiver,
} from '../src/receivers.ts';

let certificates: ReceiverCertificates;
beforeAll(async () => {
	certificates = await createReceiverCertificates();
});

function post(origin: string, body: string): Promise<number | string> {
	return new Promise((resolve) => {
		const sent = request(`${origin}/path`, { method: 'POST', ca: certificates.ca }, (response) => {
			resolve(response.statusCode ?? 0);
			response.resume();
		});
		sent.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'error'));
		sent.end(body);
	});
}

describe('an HTTPS receiver', () => {
	it('records what arrives in its order, with its own clock, and answers as asked', async () => {
		const receiver = await startHttpsReceiver(certificates);
		onTestFinished(() => receiver.close());
		expect(await post(receiver.origin, 'one')).toBe(200);
		receiver.behave((_request, index) => ({ status: 500 + index }));
		expect(await post(receiver.origin, 'two')).toBe(501);
		receiver.behave('close');
		expect(await post(receiver.origin, 'three')).toBe('ECONNRESET');
		expect(receiver.received.map(({ body, path }) => `${path} ${body}`)).toEqual([
			'/path one',
			'/path two',
			'/path three',
		]);
		expect(receiver.received.map(({ at }) => at)).toEqual(
			receiver.received.map(({ at }) => at).toSorted((a, b) => a - b),
		);
		expect(receiver.received[2]?.answeredAt).toBeUndefined();
	});

	it('keeps its answer until it is time', async () => {
		const receiver = await startHttpsReceiver(certificates);
		onTestFinished(() => receiver.close());
		const { promise, resolve } = Promise.withResolvers<void>();
		receiver.behave({ status: 202, after: promise });
		const answer = post(receiver.origin, 'one');
		await expect.poll(() => receiver.received).toHaveLength(1);
		expect(receiver.received[0]?.answeredAt).toBeUndefined();
		resolve();
		expect(await answer).toBe(202);
		expect(receiver.received[0]?.answeredAt).toBeGreaterThan(0);
	});
});

describe('an SMTP receiver', () => {
	it('takes mail only after the right password, and records it', async () => {
		const server = await startSmtpReceiver(certificates, { user: 'u', password: () => 'p', implicitTls: true });
		onTestFinished(() => server.close());
		const plain = (password: string) => Buffer.from(`\0u\0${password}`).toString('base64');
		expect(await dialogue(server.port, ['EHLO test', `AUTH PLAIN ${plain('wrong')}`])).toContain('535');
		const mail = ['MAIL FROM:<a@example.com>', 'RCPT TO:<b@example.com>', 'DATA', 'Subject: hello\r\n\r\ntext\r\n.'];
		await dialogue(server.port, ['EHLO test', `AUTH PLAIN ${plain('p')}`, ...mail]);
		expect(server.received).toMatchObject([
			{ from: 'a@example.com', to: ['b@example.com'], subject: 'hello', text: 'text\n' },
		]);
	});
});

/** Sends a line after each answer; the codes of the answers. */
function dialogue(port: number, lines: readonly string[]): Promise<string[]> {
	return new Promise((resolve, reject) => {
		const codes: string[] = [];
		const rest = [...lines, 'QUIT'];
		const socket = connect({ host: '127.0.0.1', port, ca: certificates.ca });
		socket.on('error', reject).on('close', () => resolve(codes));
		socket.on('data', (chunk) => {
			const last = chunk.toString().trimEnd().split('\n').at(-1) ?? '';
			codes.push(last.slice(0, 3));
			const next = rest.shift();
			if (next !== undefined) socket.write(`${next}\r\n`);
		});
	});
}

describe('a set of receivers', () => {
	it('says how the notification service finds it', async () => {
		const directory = mkdtempSync(join(tmpdir(), 'receiver-set-'));
		onTestFinished(() => rmSync(directory, { recursive: true }));
		const set = await startReceiverSet(directory, ['a@example.com', 'b@example.com']);
		onTestFinished(() => set.close());
		expect(set.environment).toMatchObject({
			EMAIL_PORT: String(set.mail.port),
			EMAIL_TO: 'a@example.com,b@example.com',
		});
		expect(readFileSync(set.environment['SLACK_WEBHOOK_URL_FILE'] ?? '', 'utf8')).toContain(set.slack.origin);
	});
});
