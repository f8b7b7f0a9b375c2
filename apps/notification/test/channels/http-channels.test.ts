// slack and webhook against real HTTPS receivers on loopback.
import { writeFileSync } from 'node:fs';
import { type HttpBehaviour, type HttpsReceiver, type ReceivedHttp, startHttpsReceiver } from '@kubernaut/receivers';
import { Webhook } from 'standardwebhooks';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { SendEnd } from '../../src/channels/channel.ts';
import { certificates, channelsWith, file, LOOPBACK, MESSAGE, send, trusted } from './set-up.ts';

const SECRET = `whsec_${Buffer.alloc(32, 'a').toString('base64')}`;
const OTHER_SECRET = `whsec_${Buffer.alloc(32, 'b').toString('base64')}`;

let receiver: HttpsReceiver;
beforeEach(async () => {
	receiver = await startHttpsReceiver(await certificates());
	onTestFinished(() => receiver.close());
});

async function setUp(extra: Record<string, string> = {}, origin = receiver.origin) {
	return channelsWith({
		...LOOPBACK,
		...(await trusted()),
		SLACK_WEBHOOK_URL_FILE: file(`${origin}/services/T0AAAAAAA/B0BBBBBBB/secret-part\n`),
		WEBHOOK_URL_FILE: file(`${origin}/hook?key=1`),
		WEBHOOK_SECRET_FILE: file(`${SECRET}\n`),
		...extra,
	});
}

type Case = { readonly behaviour: HttpBehaviour; readonly slack: Partial<SendEnd>; readonly webhook: Partial<SendEnd> };
const both = (end: Partial<SendEnd> & object) => ({ slack: end, webhook: end });
const forNow = (reason: string, more: object = {}) => ({ end: 'refused-for-now', reason, ...more }) as Partial<SendEnd>;
const forGood = { end: 'refused-for-good', reason: 'RejectedByReceiver' } as const;
const unknown = (reason = 'NoAnswer') => ({ end: 'unknown', reason }) as Partial<SendEnd>;

const CASES: Readonly<Record<string, Case>> = {
	'200 ok': { behaviour: { status: 200, body: 'ok' }, ...both({ end: 'delivered' }) },
	'200 with other words': {
		behaviour: { status: 200, body: '<html>' },
		slack: unknown(),
		webhook: { end: 'delivered' },
	},
	'204': { behaviour: { status: 204 }, slack: unknown(), webhook: { end: 'delivered' } },
	'429 with Retry-After in seconds': {
		behaviour: { status: 429, headers: { 'retry-after': '7' }, body: 'rate_limited' },
		...both(forNow('Throttled', { retryAfterMs: 7000 })),
	},
	'429 with Retry-After as a time of the receiver': {
		behaviour: {
			status: 429,
			headers: { 'retry-after': 'Wed, 21 Oct 2015 07:28:30 GMT', date: 'Wed, 21 Oct 2015 07:28:00 GMT' },
		},
		...both(forNow('Throttled', { retryAfterMs: 30_000 })),
	},
	'429 with a Retry-After of a year': {
		behaviour: { status: 429, headers: { 'retry-after': '31536000' } },
		...both(forNow('Throttled', { retryAfterMs: 3_600_000 })),
	},
	'429 with a Retry-After that is no time': {
		behaviour: { status: 429, headers: { 'retry-after': 'soon' } },
		...both({ end: 'refused-for-now', reason: 'Throttled', detail: 'answered 429' }),
	},
	'408': { behaviour: { status: 408 }, ...both(forNow('ReceiverUnavailable')) },
	'425': { behaviour: { status: 425 }, ...both(forNow('ReceiverUnavailable')) },
	'500': { behaviour: { status: 500 }, ...both(forNow('ReceiverUnavailable')) },
	'503': { behaviour: { status: 503 }, ...both(forNow('ReceiverUnavailable')) },
	'502': { behaviour: { status: 502 }, ...both(unknown()) },
	'504': { behaviour: { status: 504 }, ...both(unknown()) },
	'400': { behaviour: { status: 400, body: 'invalid_payload' }, ...both(forGood) },
	'403': { behaviour: { status: 403, body: 'action_prohibited' }, ...both(forGood) },
	'404': { behaviour: { status: 404, body: 'channel_not_found' }, ...both(forGood) },
	'410': { behaviour: { status: 410, body: 'channel_is_archived' }, ...both(forGood) },
	close: { behaviour: 'close', ...both(unknown()) },
	garbage: { behaviour: 'garbage', ...both(unknown()) },
	'a body without end': { behaviour: 'endless', slack: unknown(), webhook: { end: 'delivered' } },
};

describe.each(['slack', 'webhook'] as const)('%s', (name) => {
	it.each(Object.entries(CASES))('a receiver that answers %s', async (_what, { behaviour, ...want }) => {
		receiver.behave(behaviour);
		expect(await send(await setUp(), name)).toMatchObject(want[name]);
		expect(receiver.received).toHaveLength(1);
	});

	it('follows no redirect', async () => {
		const elsewhere = await startHttpsReceiver(await certificates());
		onTestFinished(() => elsewhere.close());
		receiver.behave({ status: 302, headers: { location: `${elsewhere.origin}/` } });
		expect(await send(await setUp(), name)).toEqual({
			...forGood,
			detail: 'answered 302: redirects are not followed',
		});
		expect(elsewhere.connections()).toBe(0);
	});

	it('an answer that does not come until the abort is an unknown end', async () => {
		const abort = new AbortController();
		receiver.behave(() => {
			setImmediate(() => abort.abort());
			return 'hang';
		});
		expect(await send(await setUp(), name, { abort: abort.signal })).toEqual({
			end: 'unknown',
			reason: 'Aborted',
			detail: 'no answer in time',
		});
		expect(receiver.received).toHaveLength(1);
	});

	it('the status of an answer counts, also when its body does not come', async () => {
		receiver.behave('half');
		const end = await send(await setUp(), name, { abortAfterMs: 3000 });
		expect(end).toMatchObject(name === 'webhook' ? { end: 'delivered' } : unknown());
	});

	it('an abort before the send sends nothing', async () => {
		const end = await send(await setUp(), name, { abort: AbortSignal.abort() });
		expect(end).toMatchObject(forNow('Aborted'));
		expect(receiver.received).toHaveLength(0);
	});

	it('a certificate that is not trusted: nothing is sent', async () => {
		const end = await send(await setUp({ TARGETS_CA_FILE: file('') }), name);
		expect(end).toMatchObject(forNow('TlsFailed'));
		expect(receiver.received).toHaveLength(0);
	});

	it('a file of authorities that cannot be parsed: nothing is sent', async () => {
		const broken = file('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n');
		const end = await send(await setUp({ TARGETS_CA_FILE: broken }), name);
		expect(end).toMatchObject(forNow('TlsFailed'));
		expect(receiver.received).toHaveLength(0);
	});

	it('a closed port: nothing is sent', async () => {
		const channels = await setUp();
		await receiver.close();
		expect(await send(channels, name)).toMatchObject(
			forNow('Unreachable', { detail: expect.stringContaining('ECONNREFUSED') }),
		);
	});

	it('a name that is not resolved: nothing is sent', async () => {
		expect(await send(await setUp({}, 'https://no-such-host.invalid'), name)).toMatchObject(forNow('Unreachable'));
	});

	it.each([
		['an address', () => receiver.origin],
		['a name that leads to one', () => receiver.origin.replace('127.0.0.1', 'localhost')],
		['an IPv6 form of one', () => receiver.origin.replace('127.0.0.1', '[::ffff:127.0.0.1]')],
	])('%s of this machine is refused unless it is allowed', async (_what, origin) => {
		const channels = await setUp({ TARGETS_ALLOWED_NETWORKS: '10.0.0.0/8' }, origin());
		expect(await send(channels, name)).toMatchObject(
			forNow('AddressNotAllowed', { detail: expect.stringContaining('TARGETS_ALLOWED_NETWORKS') }),
		);
		expect(receiver.connections()).toBe(0);
	});

	it('a name that leads to an allowed address is used', async () => {
		const channels = await setUp({}, receiver.origin.replace('127.0.0.1', 'localhost'));
		expect(await send(channels, name)).toEqual({ end: 'delivered' });
	});

	it('a URL that changed is used for the next message', async () => {
		const next = await startHttpsReceiver(await certificates());
		onTestFinished(() => next.close());
		const urlFile = file(`${receiver.origin}/services/T0AAAAAAA/B/x`);
		const channels = await setUp({ SLACK_WEBHOOK_URL_FILE: urlFile, WEBHOOK_URL_FILE: urlFile });
		await send(channels, name);
		writeFileSync(urlFile, `${next.origin}/services/T0CCCCCCC/B/x`);
		await send(channels, name);
		expect([receiver.received.length, next.received.length]).toEqual([1, 1]);
	});

	it('a URL file that went away is named, and nothing is sent', async () => {
		const channels = await setUp({ SLACK_WEBHOOK_URL_FILE: '/no/such/file', WEBHOOK_URL_FILE: '/no/such/file' });
		expect(await send(channels, name)).toMatchObject(
			forNow('CredentialsInvalid', { detail: `${channels[name].key}: /no/such/file cannot be read: ENOENT` }),
		);
	});

	it('without its settings it names the key that is missing', async () => {
		const channels = channelsWith({});
		expect(channels[name].receiver()).toBeUndefined();
		expect(await send(channels, name)).toMatchObject(
			forNow('NotConfigured', { detail: expect.stringContaining(channels[name].key) }),
		);
	});
});

describe('slack', () => {
	it('shows Slack’s word for a refusal, and no other', async () => {
		receiver.behave({ status: 410, body: 'channel_is_archived' });
		expect(await send(await setUp(), 'slack')).toMatchObject({ detail: 'answered 410 (channel_is_archived)' });
		receiver.behave({ status: 403, body: 'a_secret_word' });
		expect(await send(await setUp(), 'slack')).toMatchObject({ detail: 'answered 403' });
	});

	it('posts Block Kit in which nothing can notify a channel', async () => {
		await send(await setUp(), 'slack');
		const { headers, path, body } = receiver.received[0] as ReceivedHttp;
		expect(path).toBe('/services/T0AAAAAAA/B0BBBBBBB/secret-part');
		expect(headers['content-type']).toBe('application/json; charset=utf-8');
		expect(body).toContain('&lt;!channel&gt; &amp; more');
		expect(body).not.toContain('<!');
	});

	it('is one receiver for each workspace', async () => {
		const { slack } = await setUp();
		expect(slack.receiver()).toBe(`127.0.0.1:${receiver.port}/T0AAAAAAA`);
		const other = channelsWith({ SLACK_WEBHOOK_URL_FILE: file('https://chat.example.com/hooks/secret') });
		expect(other.slack.receiver()).toBe('chat.example.com');
	});
});

describe('webhook', () => {
	it('is signed as Standard Webhooks says', async () => {
		await send(await setUp(), 'webhook');
		const { headers, path, body } = receiver.received[0] as ReceivedHttp;
		expect(path).toBe('/hook?key=1');
		expect(new Webhook(SECRET).verify(body, headers as Record<string, string>)).toMatchObject({
			version: '1',
			type: 'notification.escalation',
			timestamp: MESSAGE.createdAt,
			data: { uid: MESSAGE.uid, subject: MESSAGE.subject, context: { cause: 'failed' } },
		});
		expect(() => new Webhook(OTHER_SECRET).verify(body, headers as Record<string, string>)).toThrow('signature');
	});

	it('is signed with two secrets while one replaces the other', async () => {
		await send(await setUp({ WEBHOOK_SECRET_FILE: file(`${SECRET}\n${OTHER_SECRET}\n`) }), 'webhook');
		const { headers, body } = receiver.received[0] as ReceivedHttp;
		for (const secret of [SECRET, OTHER_SECRET])
			expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toBeDefined();
	});

	it('has the same id and the same body at every attempt, and another for another message', async () => {
		const channels = await setUp();
		await send(channels, 'webhook');
		await send(channels, 'webhook');
		await send(channels, 'webhook', { idempotencyKey: 'another' });
		const [first, second, third] = receiver.received;
		expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
		expect(second?.headers['idempotency-key']).toBe(first?.headers['webhook-id']);
		expect(second?.body).toBe(first?.body);
		expect(third?.headers['webhook-id']).not.toBe(first?.headers['webhook-id']);
	});

	it('is one receiver for each host', async () => {
		expect((await setUp()).webhook.receiver()).toBe(`127.0.0.1:${receiver.port}`);
	});
});
