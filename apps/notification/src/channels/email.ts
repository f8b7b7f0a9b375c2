// Mail over SMTP, to all recipients at once. A server that takes only some of them leaves the others for the next attempt.
import MailComposer from 'nodemailer/lib/mail-composer';
import { mailContentOf } from '../message/mail-content.ts';
import type { Message } from '../message/message.ts';
import { type MountedFile, mountedFile } from '../mounted/mounted-file.ts';
import { configKey } from '../process/config-loader.ts';
import { oneOf, port, text, type Value } from '../process/config-values.ts';
import { type Channel, channelRow, credentialsInvalid, notSetUp } from './channel.ts';
import { mailEnd } from './target/mail-end.ts';
import { MailServer } from './target/mail-server.ts';
import { messageId } from './target/message-id.ts';

const KEY = 'EMAIL_HOST';
const PASSWORD_KEY = 'EMAIL_PASSWORD_FILE';
const ADDRESS = /^[^\s@<>()[\],;:\\"]{1,64}@[A-Za-z0-9.-]{1,189}$/;

const mailAddress: Value<string> = {
	allowed: 'a mail address like oncall@example.com',
	parse: (raw) => (typeof raw === 'string' && ADDRESS.test(raw.trim()) ? raw.trim() : undefined),
};
const mailAddresses: Value<readonly string[]> = {
	allowed: 'one or more mail addresses, each once, separated by commas',
	parse(raw) {
		const texts: unknown[] = Array.isArray(raw) ? raw : typeof raw === 'string' ? raw.split(',') : [];
		const addresses = texts.flatMap((one) => mailAddress.parse(one) ?? []);
		const isGood =
			addresses.length > 0 && addresses.length === texts.length && new Set(addresses).size === texts.length;
		return isGood ? addresses : undefined;
	},
};

const KEYS = {
	emailHost: configKey({
		path: 'channels.email.host',
		env: KEY,
		value: text,
		default: undefined,
		help: 'Name of the mail server; without it the channel email is not set up.',
	}),
	emailPort: configKey({
		path: 'channels.email.port',
		env: 'EMAIL_PORT',
		value: port,
		default: '587',
		help: 'Port of the mail server.',
	}),
	emailTls: configKey({
		path: 'channels.email.tls',
		env: 'EMAIL_TLS',
		value: oneOf('starttls', 'implicit', 'off'),
		default: 'starttls',
		help: 'How mail is encrypted: STARTTLS (required, never optional), TLS from the first byte (port 465), or not at all.',
	}),
	emailUsername: configKey({
		path: 'channels.email.username',
		env: 'EMAIL_USERNAME',
		value: text,
		default: undefined,
		help: 'User name at the mail server.',
	}),
	emailPasswordFile: configKey({
		path: 'channels.email.password_file',
		env: PASSWORD_KEY,
		value: text,
		default: undefined,
		help: 'Mounted file with the password at the mail server.',
	}),
	emailFrom: configKey({
		path: 'channels.email.from',
		env: 'EMAIL_FROM',
		value: mailAddress,
		default: undefined,
		help: 'Sender of the mails.',
	}),
	emailTo: configKey({
		path: 'channels.email.to',
		env: 'EMAIL_TO',
		value: mailAddresses,
		default: undefined,
		help: 'Recipients of the mails.',
	}),
} as const;

export const EMAIL = channelRow({
	keys: KEYS,
	problems(config) {
		const { emailHost, emailFrom, emailTo, emailUsername, emailPasswordFile, emailTls } = config;
		if (emailHost === undefined) {
			const set = Object.entries({
				EMAIL_FROM: emailFrom,
				EMAIL_TO: emailTo,
				EMAIL_USERNAME: emailUsername,
				[PASSWORD_KEY]: emailPasswordFile,
			});
			return set.flatMap(([key, value]) =>
				value === undefined ? [] : [`${key} is ${String(value)}, and ${KEY} is not set: set ${KEY} too`],
			);
		}
		const together: (readonly [string, unknown, string, unknown])[] = [
			[KEY, emailHost, 'EMAIL_FROM', emailFrom],
			[KEY, emailHost, 'EMAIL_TO', emailTo],
			...(emailUsername === undefined
				? []
				: [['EMAIL_USERNAME', emailUsername, PASSWORD_KEY, emailPasswordFile] as const]),
			...(emailPasswordFile === undefined
				? []
				: [[PASSWORD_KEY, emailPasswordFile, 'EMAIL_USERNAME', emailUsername] as const]),
		];
		const password = emailPasswordFile === undefined ? undefined : passwordFile(emailPasswordFile).read();
		return [
			...together.flatMap(([key, value, missing, other]) =>
				other === undefined ? [`${key} is ${String(value)}, and ${missing} is not set: set both`] : [],
			),
			...(emailTls === 'off' && emailPasswordFile !== undefined
				? [
						`EMAIL_TLS is off, and ${PASSWORD_KEY} is ${emailPasswordFile}: a password is sent over TLS only; choose starttls or implicit`,
					]
				: []),
			...(password !== undefined && 'problem' in password ? [`${PASSWORD_KEY}: ${password.problem}`] : []),
		];
	},
	create(config, { target, sendTimeoutMs }): Channel {
		const {
			emailHost: host,
			emailPort,
			emailTls: tls,
			emailUsername: user,
			emailPasswordFile,
			emailFrom: from,
			emailTo: to,
		} = config;
		if (host === undefined || from === undefined || to === undefined)
			return { name: 'email', key: KEY, receiver: () => undefined, send: async () => notSetUp(KEY) };
		const server = new MailServer({ host, port: emailPort, tls, target, sendTimeoutMs });
		const file = emailPasswordFile === undefined ? undefined : passwordFile(emailPasswordFile);
		return {
			name: 'email',
			key: KEY,
			receiver: () => `${host}:${emailPort}`,
			async send(message, { abort, idempotencyKey, remaining }) {
				const password = file?.read();
				if (password !== undefined && 'problem' in password) return credentialsInvalid(PASSWORD_KEY, password.problem);
				// One that was taken out of the configuration meanwhile gets nothing more.
				const recipients = remaining === undefined ? to : to.filter((address) => remaining.includes(address));
				if (recipients.length === 0) return { end: 'delivered', detail: 'no recipient is left' };
				const content = await mimeOf(message, { from, to, id: `${messageId(idempotencyKey)}@${from.split('@')[1]}` });
				const login = user === undefined || password === undefined ? undefined : { user, password: password.value };
				return mailEnd(await server.send({ from, to: recipients, content }, login, abort), recipients);
			},
			close: async () => server.close(),
		};
	},
});

function passwordFile(path: string): MountedFile<string> {
	return mountedFile(path, (content) => {
		const password = content.replace(/\r?\n$/, '');
		return password === '' ? { problem: 'is empty' } : { value: password };
	});
}

function mimeOf(
	message: Message,
	{ from, to, id }: { readonly from: string; readonly to: readonly string[]; readonly id: string },
): Promise<Buffer> {
	const createdAt = new Date(message.createdAt);
	return new MailComposer({
		...mailContentOf(message),
		from,
		to: [...to],
		messageId: `<${id}>`,
		...(Number.isNaN(createdAt.getTime()) ? {} : { date: createdAt }),
		headers: { 'Auto-Submitted': 'auto-generated', 'X-Kubernaut-Notification': `${message.namespace}/${message.name}` },
		disableFileAccess: true,
		disableUrlAccess: true,
	})
		.compile()
		.build();
}
