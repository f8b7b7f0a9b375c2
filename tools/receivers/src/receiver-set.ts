// A workspace of Slack, a mail server and a webhook on loopback, and the settings with which the notification service finds
// them: for tests of the whole service, the demo and the benchmark.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createReceiverCertificates } from './certificates.ts';
import { type HttpsReceiver, startHttpsReceiver } from './https-receiver.ts';
import { type SmtpReceiver, startSmtpReceiver } from './smtp-receiver.ts';

const USER = 'kubernaut';
const PASSWORD = 'of-a-mail-server-on-loopback';
/** A name that is made up, and no real address can be below. */
const DOMAIN = 'example.com';

export type ReceiverSet = {
	readonly slack: HttpsReceiver;
	readonly webhook: HttpsReceiver;
	readonly mail: SmtpReceiver;
	/** The secret that signs webhooks. */
	readonly webhookSecret: string;
	/** For every replica: the environment that sets up slack, email and webhook. */
	readonly environment: Readonly<Record<string, string>>;
	close(): Promise<void>;
};

/** `directory`: for the files that would be mounted. */
export async function startReceiverSet(
	directory: string,
	recipients: readonly string[] = [`oncall@${DOMAIN}`],
	password = PASSWORD,
): Promise<ReceiverSet> {
	const certificates = await createReceiverCertificates();
	const [slack, webhook, mail] = await Promise.all([
		startHttpsReceiver(certificates),
		startHttpsReceiver(certificates, { status: 204 }),
		startSmtpReceiver(certificates, { user: USER, password: () => password }),
	]);
	const webhookSecret = `whsec_${Buffer.alloc(32, 'kubernaut').toString('base64')}`;
	mkdirSync(directory, { recursive: true });
	const file = (name: string, content: string) => {
		const path = join(directory, name);
		writeFileSync(path, content, { mode: 0o600 });
		return path;
	};
	return {
		slack,
		webhook,
		mail,
		webhookSecret,
		environment: {
			TARGETS_ALLOWED_NETWORKS: '127.0.0.0/8',
			TARGETS_CA_FILE: file('ca.crt', certificates.ca),
			SLACK_WEBHOOK_URL_FILE: file('slack-url', `${slack.origin}/services/T0LOOPBACK/B0LOOPBACK/of-no-use-elsewhere`),
			WEBHOOK_URL_FILE: file('webhook-url', `${webhook.origin}/notifications`),
			WEBHOOK_SECRET_FILE: file('webhook-secret', webhookSecret),
			EMAIL_HOST: '127.0.0.1',
			EMAIL_PORT: String(mail.port),
			EMAIL_USERNAME: USER,
			EMAIL_PASSWORD_FILE: file('mail-password', password),
			EMAIL_FROM: `kubernaut@${DOMAIN}`,
			EMAIL_TO: recipients.join(','),
		},
		async close() {
			await Promise.all([slack.close(), webhook.close(), mail.close()]);
		},
	};
}
