// email against a real SMTP server with TLS and authentication on loopback.
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type SmtpBehaviour, type SmtpReceiver, startSmtpReceiver } from '@kubernaut/receivers';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { SendEnd } from '../../src/channels/channel.ts';
import { certificates, channelsWith, directory, file, LOOPBACK, MESSAGE, send, trusted } from './set-up.ts';

const TO = ['a@example.com', 'b@example.com', 'c@example.com'];

let server: SmtpReceiver;
let password: string;
beforeEach(async () => {
	password = 'the-first-password';
	server = await startSmtpReceiver(await certificates(), { user: 'kubernaut', password: () => password });
	onTestFinished(() => server.close());
});

async function setUp(extra: Record<string, string> = {}) {
	return channelsWith({
		...LOOPBACK,
		...(await trusted()),
		EMAIL_HOST: '127.0.0.1',
		EMAIL_PORT: String(server.port),
		EMAIL_USERNAME: 'kubernaut',
		EMAIL_PASSWORD_FILE: file('the-first-password\n'),
		EMAIL_FROM: 'kubernaut@example.com',
		EMAIL_TO: TO.join(','),
		...extra,
	});
}

const forNow = (reason: string, more: object = {}) => ({ end: 'refused-for-now', reason, ...more }) as Partial<SendEnd>;
const forGood = { end: 'refused-for-good', reason: 'RejectedByReceiver' } as Partial<SendEnd>;
const only =
	(code: number, ...addresses: string[]) =>
	(address: string) =>
		addresses.includes(address) ? code : undefined;

type Case = { readonly behaviour: SmtpBehaviour; readonly want: Partial<SendEnd>; readonly received: number };
const CASES: Readonly<Record<string, Case>> = {
	'takes it': { behaviour: {}, want: { end: 'delivered' }, received: 1 },
	'refuses the connection': { behaviour: { connect: 554 }, want: forGood, received: 0 },
	'is too busy for a connection': { behaviour: { connect: 421 }, want: forNow('ReceiverUnavailable'), received: 0 },
	'refuses the sender': { behaviour: { mail: 550 }, want: forGood, received: 0 },
	'refuses all recipients': { behaviour: { recipient: () => 550 }, want: forGood, received: 0 },
	'greylists all recipients': { behaviour: { recipient: () => 450 }, want: forNow('ReceiverUnavailable'), received: 0 },
	'refuses some recipients, greylists the others': {
		behaviour: { recipient: (address) => (address === TO[0] ? 450 : 550) },
		want: forNow('ReceiverUnavailable'),
		received: 0,
	},
	'refuses the content': { behaviour: { content: 554 }, want: forGood, received: 0 },
	'does not take the content now': { behaviour: { content: 451 }, want: forNow('ReceiverUnavailable'), received: 0 },
	'drops the connection before DATA': { behaviour: { drop: 'mail' }, want: forNow('Unreachable'), received: 0 },
	'drops the connection as the content comes': {
		behaviour: { drop: 'content-begins' },
		want: { end: 'unknown', reason: 'NoAnswer' },
		received: 0,
	},
	'drops the connection after the content, having taken it': {
		behaviour: { drop: 'content-ends' },
		want: { end: 'unknown', reason: 'NoAnswer' },
		received: 1,
	},
};

describe('a mail server', () => {
	it.each(Object.entries(CASES))('that %s', async (_what, { behaviour, want, received }) => {
		server.behave(behaviour);
		const end = await send(await setUp(), 'email');
		expect(end).toMatchObject(want);
		expect(end).not.toHaveProperty('remaining');
		expect(server.received).toHaveLength(received);
	});

	it('that does not answer before DATA: surely not sent', async () => {
		server.behave({ hang: 'mail' });
		expect(await send(await setUp(), 'email', { abortAfterMs: 500 })).toMatchObject(forNow('Aborted'));
	});

	it('that does not answer the content: unknown', async () => {
		server.behave({ hang: 'content-ends' });
		const abort = new AbortController();
		const sending = send(await setUp(), 'email', { abort: abort.signal });
		await expect.poll(() => server.received).toHaveLength(1);
		abort.abort();
		expect(await sending).toMatchObject({ end: 'unknown', reason: 'Aborted' });
	});

	it('whose certificate is not trusted gets neither password nor mail', async () => {
		expect(await send(await setUp({ TARGETS_CA_FILE: file('') }), 'email')).toMatchObject(forNow('TlsFailed'));
		expect(server.received).toHaveLength(0);
	});

	it('whose certificate is for another name gets nothing', async () => {
		const end = await send(await setUp({ EMAIL_HOST: '127.0.0.2' }), 'email');
		// Linux answers on all of 127.0.0.0/8, but this server listens on one address.
		expect(['TlsFailed', 'Unreachable']).toContain(end.end === 'delivered' ? '' : end.reason);
		expect(server.received).toHaveLength(0);
	});

	it('without STARTTLS gets nothing unless TLS is turned off by name', async () => {
		const plain = await startSmtpReceiver(await certificates(), { user: '', password: () => '', withoutTls: true });
		onTestFinished(() => plain.close());
		const settings = {
			...LOOPBACK,
			EMAIL_HOST: '127.0.0.1',
			EMAIL_PORT: String(plain.port),
			EMAIL_FROM: 'kubernaut@example.com',
			EMAIL_TO: 'a@example.com',
		};
		expect(await send(channelsWith(settings), 'email')).toMatchObject(forNow('TlsFailed'));
		expect(await send(channelsWith({ ...settings, EMAIL_TLS: 'off' }), 'email')).toEqual({ end: 'delivered' });
		expect(plain.received).toHaveLength(1);
	});

	it('with TLS from the first byte', async () => {
		const implicit = await startSmtpReceiver(await certificates(), {
			user: 'kubernaut',
			password: () => password,
			implicitTls: true,
		});
		onTestFinished(() => implicit.close());
		const channels = await setUp({ EMAIL_PORT: String(implicit.port), EMAIL_TLS: 'implicit' });
		expect(await send(channels, 'email')).toEqual({ end: 'delivered' });
		expect(implicit.received).toHaveLength(1);
	});

	it('that is no mail server', async () => {
		const other = createServer((socket) => socket.on('error', () => {}).write('\u0000 no SMTP at all\r\n'));
		await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
		onTestFinished(() => void other.close());
		const { port } = other.address() as { port: number };
		expect(await send(await setUp({ EMAIL_PORT: String(port) }), 'email')).toMatchObject(forNow('ReceiverUnavailable'));
	});

	it('that sends a greeting without end', async () => {
		const other = createServer((socket) => {
			socket.on('error', () => {});
			const more = () => socket.writable && socket.write('2'.repeat(16_384), more);
			more();
		});
		await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
		onTestFinished(() => void other.close());
		const { port } = other.address() as { port: number };
		expect(await send(await setUp({ EMAIL_PORT: String(port) }), 'email')).toMatchObject(forNow('ReceiverUnavailable'));
	});

	it('at an address that is not allowed is not connected to', async () => {
		const end = await send(await setUp({ TARGETS_ALLOWED_NETWORKS: '10.0.0.0/8' }), 'email');
		expect(end).toMatchObject(forNow('AddressNotAllowed'));
		expect(server.connections()).toBe(0);
	});
});

describe('recipients', () => {
	it('that were not accepted remain, and only they are tried again', async () => {
		const channels = await setUp();
		server.behave({ recipient: only(450, 'b@example.com', 'c@example.com') });
		const first = await send(channels, 'email');
		expect(first).toEqual({
			end: 'refused-for-now',
			reason: 'SomeRecipientsRejected',
			detail: '2 of 3 recipients were not accepted: answered 450',
			remaining: ['b@example.com', 'c@example.com'],
		});
		server.behave({});
		expect(await send(channels, 'email', { remaining: ['b@example.com', 'c@example.com'] })).toEqual({
			end: 'delivered',
		});
		expect(server.received.map(({ to }) => to)).toEqual([['a@example.com'], ['b@example.com', 'c@example.com']]);
		expect(new Set(server.received.map(({ messageId }) => messageId)).size).toBe(1);
	});

	it('that are refused for good are not forgotten while another one is only greylisted', async () => {
		server.behave({ recipient: (address) => (address === TO[0] ? undefined : address === TO[1] ? 550 : 450) });
		expect(await send(await setUp(), 'email')).toMatchObject({
			end: 'refused-for-now',
			remaining: ['b@example.com', 'c@example.com'],
		});
		server.behave({ recipient: only(550, 'b@example.com') });
		expect(await send(await setUp(), 'email', { remaining: ['b@example.com', 'c@example.com'] })).toMatchObject({
			end: 'refused-for-good',
			remaining: ['b@example.com'],
		});
	});

	it('that left the configuration get nothing more', async () => {
		expect(await send(await setUp(), 'email', { remaining: ['gone@example.com'] })).toMatchObject({ end: 'delivered' });
		expect(server.received).toHaveLength(0);
	});
});

describe('the password', () => {
	it('that is wrong is a refusal for now that names its key, not the password', async () => {
		password = 'another';
		const end = await send(await setUp(), 'email');
		expect(end).toMatchObject(forNow('CredentialsInvalid'));
		expect(JSON.stringify(end)).not.toContain('the-first-password');
	});

	it('is read again when the kubelet swaps the directory behind the link', async () => {
		const volume = directory();
		const version = (name: string, content: string) => {
			mkdirSync(join(volume, name));
			writeFileSync(join(volume, name, 'password'), content);
			symlinkSync(name, join(volume, '..data_tmp'));
			renameSync(join(volume, '..data_tmp'), join(volume, '..data'));
		};
		version('..2026_1', 'the-first-password');
		symlinkSync(join('..data', 'password'), join(volume, 'password'));
		const channels = await setUp({ EMAIL_PASSWORD_FILE: join(volume, 'password') });
		expect(await send(channels, 'email')).toEqual({ end: 'delivered' });
		password = 'the-other-password'; // as long as the first
		version('..2026_2', 'the-other-password');
		expect(await send(channels, 'email')).toEqual({ end: 'delivered' });
		expect(server.connections()).toBe(2);
	});
});

describe('a mail', () => {
	it('has text, escaped HTML, and headers that no alert can add to', async () => {
		const message = {
			...MESSAGE,
			subject: 'Remediation failed\r\nBcc: all@example.com',
			body: 'Why: <script>alert(1)</script> & more\n.\nafter the dot',
			context: { ...MESSAGE.context, targetResource: 'a\r\nX-Evil: 1' },
		};
		expect(await send(await setUp(), 'email', {}, message)).toEqual({ end: 'delivered' });
		const [mail] = server.received;
		expect(mail?.subject).toBe('[Critical] Remediation failed Bcc: all@example.com');
		expect(mail?.to).toEqual(TO);
		expect(mail?.text).toContain('<script>alert(1)</script> & more\n.\nafter the dot');
		expect(mail?.html).toContain('&lt;script&gt;alert(1)&lt;/script&gt; &amp; more');
		expect(mail?.html).not.toContain('<script');
		expect(mail?.raw.split('\r\n\r\n')[0]).not.toMatch(/^(?:Bcc|X-Evil):/im);
		expect(mail?.raw).toMatch(/^Auto-Submitted: auto-generated\r$/m);
	});

	it('goes over the connection of the one before, and over a new one when the server closed it', async () => {
		const channels = await setUp();
		await send(channels, 'email');
		await send(channels, 'email');
		expect(server.connections()).toBe(1);
		server.behave({ drop: 'mail' });
		await send(channels, 'email');
		server.behave({});
		expect(await send(channels, 'email')).toEqual({ end: 'delivered' });
		expect(server.received).toHaveLength(3);
	});

	it('without its settings the channel names the key that is missing', async () => {
		const channels = channelsWith({});
		expect(channels.email.receiver()).toBeUndefined();
		expect(await send(channels, 'email')).toMatchObject(
			forNow('NotConfigured', { detail: 'the channel is not set up: set EMAIL_HOST' }),
		);
	});

	it('names its mail server as receiver', async () => {
		expect((await setUp()).email.receiver()).toBe(`127.0.0.1:${server.port}`);
	});
});
