// A secret in the alert, in every credentials file and in every answer of a receiver, seen through whole replicas: it is in no
// log line, status, Event, Lease, metric, error or message. Each place has a canary of its own, so that a finding names it.
import { readFileSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type ReceiverSet, startReceiverSet } from '@kubernaut/receivers';
import { type AppProcess, atTheEnd, scratchDirectory, startApp } from '@kubernaut/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import type { NewNotificationRequestSpec } from '../src/generated/notification-request.ts';
import { eventually } from './harness/eventually.ts';
import { openWorld, type World } from './harness/world.ts';

const REPLICAS = 2;
const canary = (where: string) => `c4nary${where}Zq7${where.length}x`;
const CANARIES = {
	alert: canary('Alert'),
	slackUrl: canary('SlackUrl'),
	webhookUrl: canary('WebhookUrl'),
	webhookSecret: Buffer.from(canary('WebhookSecretOfThirtyTwo')).toString('base64'),
	mailPassword: canary('MailPassword'),
	answer: canary('Answer'),
	broken: canary('Broken'),
} as const;
const RETRY = { maxAttempts: 3, initialBackoff: '500ms', maxBackoff: '1s' };
const ALERT: Partial<NewNotificationRequestSpec> = {
	subject: `Remediation failed: password=${CANARIES.alert}`,
	body: [
		`Authorization: Bearer ${CANARIES.alert}`,
		`postgres://app:${CANARIES.alert}@db/app`,
		`{"api_key":"${CANARIES.alert}"}`,
		`-----BEGIN PRIVATE KEY-----\n${CANARIES.alert}\n-----END PRIVATE KEY-----`,
	].join('\n'),
	context: {
		cause: 'failed',
		signalName: `token=${CANARIES.alert}`,
		severity: 'critical',
		labels: { db_password: CANARIES.alert, url: `https://a:${CANARIES.alert}@b/` },
	},
};

describe('a secret', () => {
	let world: World;
	let receivers: ReceiverSet;
	let env: Record<string, string>;
	let files: string;

	beforeAll(async () => {
		receivers = await startReceiverSet(await scratchDirectory(), undefined, CANARIES.mailPassword);
		atTheEnd(() => receivers.close());
		files = await scratchDirectory();
		const secrets = await scratchDirectory();
		const secret = (name: string, content: string) => {
			writeFileSync(join(secrets, name), content, { mode: 0o600 });
			return join(secrets, name);
		};
		const path = (where: string) => `/services/T0LOOPBACK/B/${where}?key=${where}`;
		env = {
			...receivers.environment,
			SLACK_WEBHOOK_URL_FILE: secret('slack', `${receivers.slack.origin}${path(CANARIES.slackUrl)}`),
			WEBHOOK_URL_FILE: secret('webhook', `${receivers.webhook.origin}${path(CANARIES.webhookUrl)}`),
			WEBHOOK_SECRET_FILE: secret('webhook-secret', `whsec_${CANARIES.webhookSecret}`),
			FILE_DIRECTORY: files,
			LOG_LEVEL: 'debug',
			PACE_SLACK: '100ms',
			USE_DISTRIBUTED_LOCKING: 'true',
		};
		world = await openWorld('nr-canary', env);
		await Promise.all(Array.from({ length: REPLICAS }, (_, i) => world.start(`notification-${i}`)));
	});

	async function deliverAll(): Promise<void> {
		const { metadata } = await world.create({
			...ALERT,
			channels: ['slack', 'email', 'webhook', 'console', 'file', 'log'],
			retryPolicy: RETRY,
		});
		await eventually(
			() => world.get(metadata.name),
			(nr) => expect(nr?.status?.completedAt, JSON.stringify(nr?.status)).toBeDefined(),
		);
	}

	/** Everything that anyone can see, by place; what a receiver is addressed with is its own. */
	async function everything(): Promise<Record<string, string>> {
		const get = async (url: string) => (await fetch(url)).text();
		const eventsPath = `/api/v1/namespaces/${world.namespace}/events`;
		const withoutPath = receivers.slack.received.concat(receivers.webhook.received).map(({ path: _, ...rest }) => rest);
		const places: Record<string, string> = {
			status: JSON.stringify((await world.all()).map(({ metadata, status }) => ({ metadata, status }))),
			events: JSON.stringify(await world.api.call('GET', eventsPath)),
			leases: JSON.stringify(await world.leases()),
			http: JSON.stringify(withoutPath),
			mails: JSON.stringify(receivers.mail.received),
			files: (await readdir(files)).map((name) => readFileSync(join(files, name), 'utf8')).join('\n'),
		};
		for (const running of world.processes) {
			places[`log of ${running.podName}`] = running.output().join('\n');
			places[`metrics of ${running.podName}`] = await get(running.metricsUrl);
			places[`readiness of ${running.podName}`] = await get(`${running.healthUrl}/readyz`);
		}
		return places;
	}
	function expectNoCanary(places: Record<string, string>): void {
		const found = Object.entries(places).flatMap(([place, text]) =>
			Object.entries(CANARIES)
				.filter(([, value]) => text.includes(value))
				.map(([what]) => `${what} in ${place}`),
		);
		expect(found).toEqual([]);
	}

	it('of an alert is removed from every message, and stands in nothing that is written about it', async () => {
		await deliverAll();
		// A replica writes the lines of its log together, a moment after what they say.
		const inLogs = () => world.processes.flatMap((running) => running.output()).join('\n');
		await eventually(
			async () => inLogs(),
			(text) => expect(text).toContain('[REDACTED]'),
		);
		const places = await everything();
		expectNoCanary(places);
		// The places were really looked at.
		for (const place of ['http', 'files', 'mails']) expect(places[place], place).toContain('[REDACTED]');
		expect(receivers.slack.received[0]?.path).toContain(CANARIES.slackUrl);
		expect(receivers.webhook.received[0]?.path).toContain(CANARIES.webhookUrl);
	});

	it('in the answers of receivers is not repeated', async () => {
		for (const status of [200, 302, 403, 429, 500, 502]) {
			const answer = {
				status,
				body: CANARIES.answer,
				headers: {
					location: `https://x/${CANARIES.answer}`,
					'retry-after': CANARIES.answer,
					'x-canary': CANARIES.answer,
				},
			};
			receivers.slack.behave((_, index) => (index % 2 === 0 ? answer : { status: 200, body: 'ok' }));
			receivers.webhook.behave((_, index) => (index % 2 === 0 ? answer : { status: 204 }));
			receivers.mail.behave({ mail: status >= 400 ? 450 : 550, words: CANARIES.answer });
			await deliverAll();
		}
		for (const behaviour of ['garbage', 'close'] as const) {
			receivers.slack.behave((_, index) => (index % 2 === 0 ? behaviour : { status: 200, body: 'ok' }));
			receivers.mail.behave({ connect: 554, words: CANARIES.answer });
			await deliverAll();
		}
		expectNoCanary(await everything());
	});

	it('in credentials that are swapped for broken ones is not shown, neither while running nor at a start', async () => {
		receivers.slack.behave({ status: 200, body: 'ok' });
		receivers.webhook.behave({ status: 204 });
		const broken = `no URL ${CANARIES.broken}`;
		const keys = ['SLACK_WEBHOOK_URL_FILE', 'WEBHOOK_URL_FILE', 'WEBHOOK_SECRET_FILE'] as const;
		const before = keys.map((key) => readFileSync(env[key] ?? '', 'utf8'));
		for (const key of keys) writeFileSync(env[key] ?? '', broken);
		writeFileSync(env['EMAIL_PASSWORD_FILE'] ?? '', CANARIES.broken);
		// It is asked for its password at a new connection only.
		receivers.mail.behave({ drop: 'mail' });
		await deliverAll();
		receivers.mail.behave({ words: CANARIES.answer });
		await deliverAll();
		const reasons = (await world.all()).flatMap(({ status }) => status?.deliveries ?? []).map(({ reason }) => reason);
		expect(reasons).toContain('CredentialsInvalid');
		const refused: AppProcess = await startApp('notification', {
			kubeconfig: world.kubeconfig,
			namespace: world.namespace,
			podName: 'notification-refused',
			env,
		});
		expect(await refused.exited).not.toBe(0);
		const words = refused.output().join('\n');
		for (const key of keys) expect(words).toContain(key);
		expectNoCanary({ ...(await everything()), 'words of the refused start': words });
		for (const [i, key] of keys.entries()) writeFileSync(env[key] ?? '', before[i] ?? '');
	});

	it('stands in none of the last words of a replica', async () => {
		await Promise.all(world.processes.map((running) => running.stop()));
		expectNoCanary(Object.fromEntries(world.processes.map(({ podName, output }) => [podName, output().join('\n')])));
	});
});
