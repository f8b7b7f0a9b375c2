// Any HTTPS receiver, signed as Standard Webhooks says (https://www.standardwebhooks.com).
import { messageJsonOf } from '../message/message-json.ts';
import { configKey } from '../process/config-loader.ts';
import { text } from '../process/config-values.ts';
import { channelRow, credentialsInvalid, notSetUp } from './channel.ts';
import { httpEnd } from './target/http-end.ts';
import { post } from './target/http-post.ts';
import { messageId } from './target/message-id.ts';
import { secretUrlFile } from './target/secret-url.ts';
import { signatureHeaders, webhookSecretsFile } from './target/standard-webhook.ts';

const URL_KEY = 'WEBHOOK_URL_FILE';
const SECRET_KEY = 'WEBHOOK_SECRET_FILE';

export const WEBHOOK = channelRow({
	keys: {
		webhookUrlFile: configKey({
			path: 'channels.webhook.url_file',
			env: URL_KEY,
			value: text,
			default: undefined,
			help: 'Mounted file with the https URL of the receiver; without it the channel webhook is not set up.',
		}),
		webhookSecretFile: configKey({
			path: 'channels.webhook.secret_file',
			env: SECRET_KEY,
			value: text,
			default: undefined,
			help: 'Mounted file with the whsec_ secret that signs, or with two of them, one a line, while one replaces the other.',
		}),
	},
	problems({ webhookUrlFile, webhookSecretFile }) {
		if (webhookUrlFile === undefined && webhookSecretFile === undefined) return [];
		if (webhookUrlFile === undefined)
			return [`${SECRET_KEY} is ${webhookSecretFile}, and ${URL_KEY} is not set: set both or none`];
		if (webhookSecretFile === undefined)
			return [`${URL_KEY} is ${webhookUrlFile}, and ${SECRET_KEY} is not set: set both or none`];
		const url = secretUrlFile(webhookUrlFile).read();
		const secrets = webhookSecretsFile(webhookSecretFile).read();
		return [
			...('problem' in url ? [`${URL_KEY}: ${url.problem}`] : []),
			...('problem' in secrets ? [`${SECRET_KEY}: ${secrets.problem}`] : []),
		];
	},
	create({ webhookUrlFile, webhookSecretFile }, { target, clock }) {
		const urlFile = webhookUrlFile === undefined ? undefined : secretUrlFile(webhookUrlFile);
		const secretFile = webhookSecretFile === undefined ? undefined : webhookSecretsFile(webhookSecretFile);
		return {
			name: 'webhook',
			key: URL_KEY,
			receiver() {
				if (urlFile === undefined || secretFile === undefined) return undefined;
				const url = urlFile.read();
				return 'problem' in url ? 'webhook' : url.value.host;
			},
			async send(message, { abort, idempotencyKey }) {
				if (urlFile === undefined) return notSetUp(URL_KEY);
				if (secretFile === undefined) return notSetUp(SECRET_KEY);
				const url = urlFile.read();
				if ('problem' in url) return credentialsInvalid(URL_KEY, url.problem);
				const secrets = secretFile.read();
				if ('problem' in secrets) return credentialsInvalid(SECRET_KEY, secrets.problem);
				const body = JSON.stringify(messageJsonOf(message));
				const id = messageId(idempotencyKey);
				const headers = {
					'content-type': 'application/json; charset=utf-8',
					'idempotency-key': id,
					...signatureHeaders({ id, at: clock.wallTime(), body }, secrets.value),
				};
				const posted = await post({ url: url.value, headers, body }, target, abort);
				return httpEnd(posted, clock.wallTime(), { delivered: ({ status }) => status >= 200 && status < 300 });
			},
		};
	},
});
