import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { NOTIFICATION_REQUEST_CHANNELS } from '../generated/notification-request.ts';
import { loadConfig } from '../process/config-loader.ts';
import { CHANNEL_CONFIG_KEYS, impossibleChannelConfig, targetOptions } from './channel-keys.ts';
import { CHANNELS } from './channels.ts';

function directory(): string {
	const path = mkdtempSync(join(tmpdir(), 'channel-keys-'));
	onTestFinished(() => rmSync(path, { recursive: true }));
	return path;
}
function file(content: string): string {
	const path = join(directory(), 'file');
	writeFileSync(path, content);
	return path;
}
function problemsOf(environment: Record<string, string>): readonly string[] {
	const loaded = loadConfig(CHANNEL_CONFIG_KEYS, undefined, environment, impossibleChannelConfig);
	return 'problems' in loaded ? loaded.problems : [];
}
const MAIL = { EMAIL_HOST: 'mail.example.com', EMAIL_FROM: 'k@example.com', EMAIL_TO: 'a@example.com,b@example.com' };

describe('the settings of channels', () => {
	it('may be absent: then only console and log are set up', () => expect(problemsOf({})).toEqual([]));

	it('may set up every channel', () => {
		expect(
			problemsOf({
				TARGETS_ALLOWED_NETWORKS: '10.0.0.0/8',
				TARGETS_CA_FILE: file('-----BEGIN CERTIFICATE-----\n'),
				SLACK_WEBHOOK_URL_FILE: file('https://hooks.example.com/services/T/B/x'),
				WEBHOOK_URL_FILE: file('https://example.com/'),
				WEBHOOK_SECRET_FILE: file(`whsec_${Buffer.alloc(32).toString('base64')}`),
				FILE_DIRECTORY: directory(),
				...MAIL,
				EMAIL_USERNAME: 'kubernaut',
				EMAIL_PASSWORD_FILE: file('secret'),
			}),
		).toEqual([]);
	});

	it.each<[string, Record<string, string>, string]>([
		[
			'a network that is none',
			{ TARGETS_ALLOWED_NETWORKS: '10/8' },
			'TARGETS_ALLOWED_NETWORKS: "10/8" is not one or more networks like 10.0.0.0/8 or fd00::/8, separated by commas',
		],
		['a CA file that is missing', { TARGETS_CA_FILE: '/no/ca' }, 'TARGETS_CA_FILE: /no/ca cannot be read: ENOENT'],
		[
			'a URL file that is missing',
			{ SLACK_WEBHOOK_URL_FILE: '/no/url' },
			'SLACK_WEBHOOK_URL_FILE: /no/url cannot be read: ENOENT',
		],
		[
			'a URL without its secret',
			{ WEBHOOK_URL_FILE: '/url' },
			'WEBHOOK_URL_FILE is /url, and WEBHOOK_SECRET_FILE is not set: set both or none',
		],
		[
			'a secret without its URL',
			{ WEBHOOK_SECRET_FILE: '/s' },
			'WEBHOOK_SECRET_FILE is /s, and WEBHOOK_URL_FILE is not set: set both or none',
		],
		[
			'a directory that is missing',
			{ FILE_DIRECTORY: '/no/such' },
			'FILE_DIRECTORY: /no/such is not a directory that can be written to (ENOENT)',
		],
		[
			'a mail server without a sender',
			{ ...MAIL, EMAIL_FROM: undefined as never },
			'EMAIL_HOST is mail.example.com, and EMAIL_FROM is not set: set both',
		],
		[
			'a mail server without recipients',
			{ ...MAIL, EMAIL_TO: undefined as never },
			'EMAIL_HOST is mail.example.com, and EMAIL_TO is not set: set both',
		],
		[
			'a sender without a mail server',
			{ EMAIL_FROM: 'k@example.com' },
			'EMAIL_FROM is k@example.com, and EMAIL_HOST is not set: set EMAIL_HOST too',
		],
		[
			'a user without a password',
			{ ...MAIL, EMAIL_USERNAME: 'u' },
			'EMAIL_USERNAME is u, and EMAIL_PASSWORD_FILE is not set: set both',
		],
		[
			'a password file that is missing',
			{ ...MAIL, EMAIL_USERNAME: 'u', EMAIL_PASSWORD_FILE: '/no/p' },
			'EMAIL_PASSWORD_FILE: /no/p cannot be read: ENOENT',
		],
		[
			'a recipient twice',
			{ ...MAIL, EMAIL_TO: 'a@example.com,a@example.com' },
			'EMAIL_TO: "a@example.com,a@example.com" is not one or more mail addresses, each once, separated by commas',
		],
		[
			'a recipient with a line break',
			{ ...MAIL, EMAIL_TO: 'a@example.com\r\nBcc: b@example.com' },
			'EMAIL_TO: "a@example.com\\r\\nBcc: b@example.com" is not one or more mail addresses, each once, separated by commas',
		],
		[
			'a sender that is no address',
			{ ...MAIL, EMAIL_FROM: 'kubernaut' },
			'EMAIL_FROM: "kubernaut" is not a mail address like oncall@example.com',
		],
		[
			'a way of TLS that there is not',
			{ ...MAIL, EMAIL_TLS: 'maybe' },
			'EMAIL_TLS: "maybe" is not one of starttls, implicit, off',
		],
	])('with %s are refused', (_what, environment, want) => expect(problemsOf(environment)).toEqual([want]));

	it('never allow a password without TLS, nor an empty one', () => {
		const path = file('secret');
		expect(problemsOf({ ...MAIL, EMAIL_TLS: 'off', EMAIL_USERNAME: 'u', EMAIL_PASSWORD_FILE: path })).toEqual([
			`EMAIL_TLS is off, and EMAIL_PASSWORD_FILE is ${path}: a password is sent over TLS only; choose starttls or implicit`,
		]);
		const empty = file('\n');
		expect(problemsOf({ ...MAIL, EMAIL_USERNAME: 'u', EMAIL_PASSWORD_FILE: empty })).toEqual([
			`EMAIL_PASSWORD_FILE: ${empty} is empty`,
		]);
	});

	it('with a URL or a secret of the wrong form are refused without quoting it', () => {
		const problems = problemsOf({
			WEBHOOK_URL_FILE: file('http://secret-word/'),
			WEBHOOK_SECRET_FILE: file('secret-word'),
		});
		expect(problems).toHaveLength(2);
		expect(problems.join()).not.toContain('secret-word');
	});

	it('with a file in place of the directory are refused', () => {
		const path = file('');
		expect(problemsOf({ FILE_DIRECTORY: path })[0]).toContain(path);
	});
});

describe('receivers', () => {
	it('trust authorities of the file that is there now', () => {
		const path = file('-----BEGIN CERTIFICATE-----\none');
		const { ca } = targetOptions({ targetsCaFile: path } as never);
		expect(ca()).toContain('one');
		writeFileSync(path, '-----BEGIN CERTIFICATE-----\ntwo');
		expect(ca()).toContain('two');
		writeFileSync(path, 'nothing');
		expect(ca()).toBeUndefined();
	});
});

describe('the table of channels', () => {
	it('has a row for each channel of the CRD', () => {
		expect(Object.keys(CHANNELS).toSorted()).toEqual([...NOTIFICATION_REQUEST_CHANNELS].toSorted());
	});
});
