// console, file and log, and what no channel may show.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startReceiverSet } from '@kubernaut/receivers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { consoleChannel, consoleText } from '../../src/channels/console.ts';
import { messageOf } from '../../src/message/message-of.ts';
import { channelsWith, directory, file, type LogLine, MESSAGE, send } from './set-up.ts';

describe('file', () => {
	it('writes one file for each NotificationRequest, whole, and the same again at a repetition', async () => {
		const path = directory();
		const channels = channelsWith({ FILE_DIRECTORY: path });
		for (const end of [await send(channels, 'file'), await send(channels, 'file')])
			expect(end).toEqual({ end: 'delivered' });
		expect(await send(channels, 'file', {}, { ...MESSAGE, uid: '../outside' })).toEqual({ end: 'delivered' });
		expect(readdirSync(path).toSorted()).toEqual([`${MESSAGE.uid}.json`, '___outside.json'].toSorted());
		expect(JSON.parse(readFileSync(join(path, `${MESSAGE.uid}.json`), 'utf8'))).toMatchObject({
			version: '1',
			data: { name: MESSAGE.name, body: MESSAGE.body },
		});
	});

	it('a directory that cannot be written to is a refusal for now', async () => {
		const channels = channelsWith({ FILE_DIRECTORY: file('no directory') });
		expect(await send(channels, 'file')).toMatchObject({ end: 'refused-for-now', reason: 'LocalFault' });
	});

	it('without its setting it names the key that is missing', async () => {
		const channels = channelsWith({});
		expect(channels.file.receiver()).toBeUndefined();
		expect(await send(channels, 'file')).toMatchObject({
			reason: 'NotConfigured',
			detail: expect.stringContaining('FILE_DIRECTORY'),
		});
	});
});

describe('log', () => {
	it('is one line with a constant message', async () => {
		const lines: LogLine[] = [];
		expect(await send(channelsWith({}, lines), 'log')).toEqual({ end: 'delivered' });
		expect(lines).toMatchObject([
			{ level: 'info', message: 'notification', fields: { notification: { data: { subject: MESSAGE.subject } } } },
		]);
	});
});

describe('console', () => {
	it('prints text without control characters', () => {
		const text = consoleText({
			...MESSAGE,
			subject: 'a\u001b[31mb\r\nc',
			body: 'x\u001b]0;title\u0007y\u202ez\nline two',
		});
		expect(text).toContain('=== [Critical] a[31mb c\n');
		expect(text).toContain('    x]0;titleyz\n    line two\n');
		expect(text).not.toMatch(/(?!\n)\p{Cc}|\u202e/u);
	});

	it('is delivered when it is printed, and unknown when the printing fails', async () => {
		const abort = new AbortController().signal;
		const printed: string[] = [];
		const good = consoleChannel(async (text) => void printed.push(text));
		expect(await good.send(MESSAGE, { abort, idempotencyKey: 'x' })).toEqual({ end: 'delivered' });
		expect(printed).toEqual([consoleText(MESSAGE)]);
		const bad = consoleChannel(() => Promise.reject(Object.assign(new Error('no'), { code: 'EPIPE' })));
		expect(await bad.send(MESSAGE, { abort, idempotencyKey: 'x' })).toMatchObject({
			end: 'unknown',
			detail: 'standard output: EPIPE',
		});
	});

	it('prints messages that come together one after the other, each whole', async () => {
		const printed: string[] = [];
		let printing = 0;
		const channel = consoleChannel(async (text) => {
			expect(++printing).toBe(1);
			await new Promise((resolve) => setTimeout(resolve, 5));
			printed.push(text);
			printing--;
		});
		const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
		const options = { abort: new AbortController().signal, idempotencyKey: 'x' };
		const ends = await Promise.all(names.map((subject) => channel.send({ ...MESSAGE, subject }, options)));
		expect(ends).toEqual(names.map(() => ({ end: 'delivered' })));
		expect(printed).toEqual(names.map((subject) => consoleText({ ...MESSAGE, subject })));
	});

	it('that is not read ends with the abort, and takes no second message meanwhile', async () => {
		let printedNow = () => {};
		const channel = consoleChannel(() => new Promise((resolve) => (printedNow = resolve)));
		const options = { abort: AbortSignal.timeout(50), idempotencyKey: 'x' };
		const first = channel.send(MESSAGE, options);
		expect(await channel.send(MESSAGE, options)).toMatchObject({ end: 'refused-for-now', reason: 'LocalFault' });
		expect(await first).toMatchObject({ end: 'unknown', reason: 'Aborted' });
		printedNow();
		await new Promise((resolve) => setImmediate(resolve));
		const third = channel.send(MESSAGE, { ...options, abort: new AbortController().signal });
		await new Promise((resolve) => setImmediate(resolve));
		printedNow();
		expect(await third).toEqual({ end: 'delivered' });
	});
});

describe('a secret', () => {
	const CANARY = ['canary', 'S3cret', 'value'].join('-');

	it('of an alert reaches no channel', async () => {
		const set = await startReceiverSet(directory());
		onTestFinished(() => set.close());
		const path = directory();
		const lines: LogLine[] = [];
		const channels = channelsWith({ ...set.environment, FILE_DIRECTORY: path }, lines);
		const message = messageOf({
			metadata: { uid: MESSAGE.uid, namespace: 'n', name: 'nr', creationTimestamp: MESSAGE.createdAt },
			spec: {
				type: 'Escalation',
				priority: 'High',
				subject: `failed: password=${CANARY}`,
				body: `Authorization: Bearer ${CANARY}\npostgres://app:${CANARY}@db/app\n{"api_key":"${CANARY}"}`,
				context: { signalName: `token=${CANARY}`, labels: { db_password: CANARY, url: `https://a:${CANARY}@b/` } },
			},
		});
		for (const name of ['slack', 'email', 'webhook', 'file', 'log'] as const)
			expect(await send(channels, name, {}, message)).toEqual({ end: 'delivered' });
		const everything = JSON.stringify([
			set.slack.received,
			set.webhook.received,
			set.mail.received,
			lines,
			readFileSync(join(path, `${MESSAGE.uid}.json`), 'utf8'),
			consoleText(message),
		]);
		expect(everything).toContain('[REDACTED]');
		expect(everything).not.toContain(CANARY);
	});

	it('in credentials and answers is in no end of a send', async () => {
		const set = await startReceiverSet(directory());
		onTestFinished(() => set.close());
		const secretUrl = (origin: string) => file(`${origin}/services/T0AAAAAAA/B/${CANARY}?key=${CANARY}`);
		const lines: LogLine[] = [];
		const channels = channelsWith(
			{
				...set.environment,
				SLACK_WEBHOOK_URL_FILE: secretUrl(set.slack.origin),
				WEBHOOK_URL_FILE: secretUrl(set.webhook.origin),
				EMAIL_PASSWORD_FILE: file(CANARY),
			},
			lines,
		);
		const ends: unknown[] = [channels.slack.receiver(), channels.webhook.receiver(), channels.email.receiver()];
		for (const status of [200, 302, 400, 403, 429, 500, 502]) {
			const answer = {
				status,
				body: CANARY,
				headers: { location: `https://x/${CANARY}`, 'retry-after': CANARY, 'x-canary': CANARY },
			};
			set.slack.behave(answer);
			set.webhook.behave(answer);
			ends.push(await send(channels, 'slack'), await send(channels, 'webhook'));
		}
		for (const behaviour of ['close', 'garbage'] as const) {
			set.slack.behave(behaviour);
			ends.push(await send(channels, 'slack'));
		}
		ends.push(await send(channels, 'email'));
		await set.close();
		ends.push(await send(channels, 'slack'), await send(channels, 'webhook'), await send(channels, 'email'));
		expect(ends).toHaveLength(3 + 14 + 2 + 1 + 3);
		expect(JSON.stringify([ends, lines])).not.toContain(CANARY);
	});
});
