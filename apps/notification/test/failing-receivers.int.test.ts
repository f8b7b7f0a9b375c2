// Receivers that fail in every way of the list, as whole replicas meet them: what they received, and what the status says. With
// atLeastOnce every message whose receiver recovers is delivered; with atMostOnce none is sent a second time unless it was
// surely not sent.
import { readFileSync, writeFileSync } from 'node:fs';
import {
	createReceiverCertificates,
	type HttpBehaviour,
	type HttpsReceiver,
	type ReceivedHttp,
	type ReceiverSet,
	type SmtpBehaviour,
	startHttpsReceiver,
	startReceiverSet,
} from '@kubernaut/receivers';
import { atTheEnd, scratchDirectory } from '@kubernaut/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import type { NotificationRequest } from '../src/generated/notification-request.ts';
import type { Delivery } from '../src/objects/notification.ts';
import { eventually } from './harness/eventually.ts';
import { openWorld, type World } from './harness/world.ts';

const REPLICAS = 2;
/** Long enough to be seen in the Lease of the pace. */
const RETRY_AFTER_S = 4;
const TO = ['a@example.com', 'b@example.com', 'c@example.com'];
const ENV = { PACE_SLACK: '0s', USE_DISTRIBUTED_LOCKING: 'true' };
/** Long enough to let a mail server recover between two attempts. */
const RETRY = { maxAttempts: 5, initialBackoff: '2s', maxBackoff: '3s' };

type Policy = 'atLeastOnce' | 'atMostOnce';
type End = { received: number; state: 'Delivered' | 'Failed'; reason?: string };
/** How the first answer is; the second is a success. `slack`, `webhook`: where they differ from `want`. */
type HttpRow = {
	what: string;
	behaviour: (elsewhere: HttpsReceiver) => HttpBehaviour;
	want: Record<Policy, End>;
	webhook?: Record<Policy, End>;
};

const DELIVERED: End = { received: 1, state: 'Delivered' };
const REPEATED: End = { received: 2, state: 'Delivered' };
const UNKNOWN: End = { received: 1, state: 'Failed', reason: 'OutcomeUnknown' };
const both = (end: End): Record<Policy, End> => ({ atLeastOnce: end, atMostOnce: end });
const unknown: Record<Policy, End> = { atLeastOnce: REPEATED, atMostOnce: UNKNOWN };
const REJECTED: End = { received: 1, state: 'Failed', reason: 'RejectedByReceiver' };

const HTTP_ROWS: HttpRow[] = [
	{
		what: '429 with Retry-After',
		behaviour: () => ({ status: 429, headers: { 'retry-after': String(RETRY_AFTER_S) } }),
		want: both(REPEATED),
	},
	{ what: '500', behaviour: () => ({ status: 500 }), want: both(REPEATED) },
	{
		what: '302',
		behaviour: ({ origin }) => ({ status: 302, headers: { location: `${origin}/` } }),
		want: both(REJECTED),
	},
	{ what: '404', behaviour: () => ({ status: 404 }), want: both(REJECTED) },
	{ what: '502', behaviour: () => ({ status: 502 }), want: unknown },
	{ what: 'no answer', behaviour: () => 'hang', want: unknown },
	{ what: 'a closed connection', behaviour: () => 'close', want: unknown },
	{ what: 'garbage', behaviour: () => 'garbage', want: unknown },
	// Slack says ok, and nothing else is a success; a webhook says it with its status.
	{ what: 'an answer without end', behaviour: () => 'endless', want: unknown, webhook: both(DELIVERED) },
];

/** It is changed back when the first attempt has ended; `arrives`: when the first mail has come, well before the next attempt. */
type MailRow = {
	what: string;
	behaviour: SmtpBehaviour;
	arrives?: true;
	want: Record<Policy, End>;
	to?: string[][];
};
const REFUSED: End = { received: 0, state: 'Failed', reason: 'RejectedByReceiver' };
const MAIL_ROWS: MailRow[] = [
	{ what: 'refuses the connection', behaviour: { connect: 554 }, want: both(REFUSED) },
	{ what: 'refuses all recipients', behaviour: { recipient: () => 550 }, want: both(REFUSED) },
	{ what: 'greylists', behaviour: { recipient: () => 450 }, want: both(DELIVERED), to: [TO] },
	{
		what: 'accepts some recipients',
		behaviour: { recipient: (address) => (address === TO[1] ? 450 : undefined) },
		arrives: true,
		want: both(REPEATED),
		to: [['a@example.com', 'c@example.com'], ['b@example.com']],
	},
	{ what: 'drops before DATA', behaviour: { drop: 'mail' }, want: both(DELIVERED), to: [TO] },
	{ what: 'drops after DATA', behaviour: { drop: 'content-ends' }, arrives: true, want: unknown },
];

const deliveryOf = (nr: NotificationRequest | undefined, channel: string): Delivery | undefined =>
	nr?.status?.deliveries?.find((one) => one.channel === channel);
const requestsOf = ({ received }: HttpsReceiver, name: string): ReceivedHttp[] =>
	received.filter(({ body }) => body.includes(name));

describe.concurrent.each<Policy>(['atLeastOnce', 'atMostOnce'])('%s', (policy) => {
	let world: World;
	let receivers: ReceiverSet;
	let elsewhere: HttpsReceiver;

	beforeAll(async () => {
		receivers = await startReceiverSet(await scratchDirectory(), TO);
		atTheEnd(() => receivers.close());
		elsewhere = await startHttpsReceiver(await createReceiverCertificates());
		atTheEnd(() => elsewhere.close());
		world = await openWorld(`nr-fail-${policy.toLowerCase()}`, {
			...receivers.environment,
			...ENV,
			...(policy === 'atMostOnce' ? { DELIVERY_AT_MOST_ONCE: 'slack,email,webhook' } : {}),
		});
		await Promise.all(Array.from({ length: REPLICAS }, (_, i) => world.start(`notification-${i}`)));
	});

	/** A receiver that was asked for a pause gets no other message meanwhile, from any replica. */
	async function expectRestOfReceiver(): Promise<void> {
		const { received } = receivers.webhook;
		const throttled = await eventually(
			async () => received.at(-1),
			(one) => expect(one?.answeredAt).toBeDefined(),
		);
		await eventually(
			async () => JSON.stringify(await world.leases()),
			(leases) => expect(leases).toContain('kubernaut.ai/pace-rest-ms'),
		);
		const others = await Promise.all([1, 2, 3].map(() => world.create({ channels: ['webhook'] })));
		for (const nr of others) await world.until(nr, 'Sent');
		for (const { metadata } of others) {
			const [request] = requestsOf(receivers.webhook, metadata.name);
			const pauseMs = (request?.at ?? 0) - (throttled?.answeredAt ?? 0);
			expect(pauseMs).toBeGreaterThanOrEqual(RETRY_AFTER_S * 1000 - 25);
		}
	}

	/** Waits for the end of every channel, and returns the message. */
	async function untilEnded(name: string): Promise<NotificationRequest> {
		const found = await eventually(
			() => world.get(name),
			(nr) => expect(nr?.status?.completedAt, JSON.stringify(nr?.status)).toBeDefined(),
		);
		return found as NotificationRequest;
	}
	function expectEnd(nr: NotificationRequest, channel: string, want: End, received: number): void {
		const delivery = deliveryOf(nr, channel);
		const { state, reason, attempt = 0 } = delivery ?? {};
		const text = JSON.stringify(nr.status);
		expect({ channel, received, state, reason: state === 'Failed' ? reason : undefined }, text).toEqual({
			channel,
			received: want.received,
			state: want.state,
			reason: want.reason,
		});
		expect(attempt, text).toBeGreaterThanOrEqual(received);
	}

	it('HTTP, one after the other', async () => {
		for (const { what, behaviour, want, webhook = want } of HTTP_ROWS) {
			const bad = behaviour(elsewhere);
			for (const [receiver, good] of [
				[receivers.slack, { status: 200, body: 'ok' }],
				[receivers.webhook, { status: 204 }],
			] as const) {
				const from = receiver.received.length;
				receiver.behave((_, index) => (index === from ? bad : good));
			}
			const { metadata } = await world.create({ channels: ['slack', 'webhook'], retryPolicy: RETRY });
			if (what.startsWith('429')) await expectRestOfReceiver();
			const nr = await untilEnded(metadata.name);
			const ofSlack = requestsOf(receivers.slack, metadata.name);
			const ofWebhook = requestsOf(receivers.webhook, metadata.name);
			expectEnd(nr, 'slack', want[policy], ofSlack.length);
			expectEnd(nr, 'webhook', webhook[policy], ofWebhook.length);
			for (const requests of [ofSlack, ofWebhook]) {
				const [first, second] = requests;
				const pauseMs = second === undefined ? Infinity : second.at - (first?.answeredAt ?? first?.at ?? 0);
				expect(pauseMs, what).toBeGreaterThanOrEqual(what.startsWith('429') ? RETRY_AFTER_S * 1000 - 25 : 0);
			}
			const ids = new Set(ofWebhook.map(({ headers }) => headers['webhook-id']));
			expect(ids.size, what).toBe(1);
			const isUnknown = want[policy] === UNKNOWN || want === unknown;
			const events = isUnknown ? await eventsOf(metadata.name, 'OutcomeUnknown') : [];
			expect(events.length > 0, what).toBe(isUnknown);
		}
		expect(elsewhere.connections()).toBe(0);
	});

	it('a mail server, in every way after the other', async () => {
		for (const { what, behaviour, arrives, want, to } of MAIL_ROWS) {
			const from = receivers.mail.received.length;
			receivers.mail.behave(behaviour);
			const { metadata } = await world.create({ channels: ['email'], retryPolicy: RETRY });
			const ended = async () =>
				/^(?:Failed|Delivered)$/.test(deliveryOf(await world.get(metadata.name), 'email')?.state ?? '');
			await eventually(
				async () => (arrives ? receivers.mail.received.length > from : ended()),
				(isOver) => expect(isOver, what).toBe(true),
			);
			receivers.mail.behave({});
			const nr = await untilEnded(metadata.name);
			const mails = receivers.mail.received.slice(from);
			expect(mails.every(({ subject }) => subject.includes(metadata.name))).toBe(true);
			expectEnd(nr, 'email', want[policy], mails.length);
			expect(
				mails.map((mail) => mail.to),
				what,
			).toEqual(to ?? mails.map(() => TO));
			expect(new Set(mails.map(({ messageId }) => messageId)).size, what).toBe(Math.min(1, mails.length));
		}
	});

	it('a certificate of another authority: nothing is sent until it is trusted', async () => {
		const set = await startReceiverSet(await scratchDirectory());
		atTheEnd(() => set.close());
		const file = set.environment['TARGETS_CA_FILE'] ?? '';
		const trusted = readFileSync(file, 'utf8');
		writeFileSync(file, (await createReceiverCertificates()).ca);
		const fresh = await openWorld(`nr-ca-${policy.toLowerCase()}`, { ...set.environment, ...ENV });
		await fresh.start('notification-0');
		const retryPolicy = { ...RETRY, maxAttempts: 20 }; // none is the last one before it is trusted
		const { metadata } = await fresh.create({ channels: ['slack', 'email', 'webhook'], retryPolicy });
		const failing = await eventually(
			() => fresh.get(metadata.name),
			(nr) => {
				expect(nr?.status?.deliveries?.map(({ reason }) => reason)).toEqual(Array(3).fill('TlsFailed'));
				expect(nr?.status?.phase).toBe('Retrying'); // not in the middle of another attempt
			},
		);
		const sent = () => [
			requestsOf(set.slack, metadata.name).length,
			set.mail.received.length,
			requestsOf(set.webhook, metadata.name).length,
		];
		expect(sent()).toEqual([0, 0, 0]);
		writeFileSync(file, trusted);
		await fresh.until(failing as NotificationRequest, 'Sent');
		expect(sent()).toEqual([1, 1, 1]);
		await fresh.stop();
	});

	async function eventsOf(name: string, reason: string): Promise<string[]> {
		return eventually(
			async () => (await world.events(name)).filter((one) => one === reason),
			(found) => expect(found.length).toBeGreaterThan(0),
		);
	}
});
