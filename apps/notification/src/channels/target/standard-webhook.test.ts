import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it, onTestFinished } from 'vitest';
import { secretUrlFile } from './secret-url.ts';
import { signatureHeaders, webhookSecretsFile } from './standard-webhook.ts';

function file(content: string): string {
	const directory = mkdtempSync(join(tmpdir(), 'standard-webhook-'));
	onTestFinished(() => rmSync(directory, { recursive: true }));
	writeFileSync(join(directory, 'file'), content);
	return join(directory, 'file');
}
const secret = (bytes: number, fill = 'k') => `whsec_${Buffer.alloc(bytes, fill).toString('base64')}`;

describe('secrets of webhooks', () => {
	it.each([secret(24), secret(64), `${secret(32)}\n${secret(32, 'l')}\n`])('%j are taken', (content) =>
		expect(webhookSecretsFile(file(content)).read()).toHaveProperty('value'),
	);
	it.each([
		['', 'holds 0 secrets: write 1 or 2, one a line'],
		[`${secret(32)} ${secret(32)} ${secret(32)}`, 'holds 3 secrets: write 1 or 2, one a line'],
		[secret(23), 'holds a secret that is not whsec_ and 24 to 64 bytes in base64'],
		[secret(65), 'holds a secret that is not whsec_ and 24 to 64 bytes in base64'],
		['whsec_not*base64*at*all*but*quite*long', 'holds a secret that is not whsec_ and 24 to 64 bytes in base64'],
		[Buffer.alloc(32, 'k').toString('base64'), 'holds a secret that is not whsec_ and 24 to 64 bytes in base64'],
	])('%j are refused in words that do not quote them', (content, want) => {
		const path = file(content);
		expect(webhookSecretsFile(path).read()).toEqual({ problem: `${path} ${want}` });
	});
});

describe('the signature', () => {
	it('is accepted by the verifier of Standard Webhooks at its time, and not later', () => {
		const body = JSON.stringify({ a: 'ü' });
		const secrets = [Buffer.alloc(32, 'k')];
		const headers = signatureHeaders({ id: 'msg_1', at: new Date(), body }, secrets);
		expect(new Webhook(secret(32)).verify(body, headers)).toEqual({ a: 'ü' });
		expect(() => new Webhook(secret(32)).verify(`${body} `, headers)).toThrow('signature');
		const old = signatureHeaders({ id: 'msg_1', at: new Date(Date.now() - 3_600_000), body }, secrets);
		expect(() => new Webhook(secret(32)).verify(body, old)).toThrow('old');
	});
});

describe('a URL in a file', () => {
	it('is taken with the line break at its end', () => {
		expect(secretUrlFile(file('https://example.com/a?b=c\n')).read()).toEqual({
			value: new URL('https://example.com/a?b=c'),
		});
	});
	it.each([
		['no url', 'holds no URL'],
		['http://example.com/', 'holds a URL that is not https://'],
		['https://user:secret-word@example.com/', 'holds a URL with a user name or password: remove it'],
	])('%j is refused in words that do not quote it', (content, want) => {
		const path = file(content);
		expect(secretUrlFile(path).read()).toEqual({ problem: `${path} ${want}` });
	});
});
