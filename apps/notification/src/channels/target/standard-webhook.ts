// The signature of Standard Webhooks: HMAC-SHA256 over id.timestamp.body, one for each secret, so that a secret can be
// replaced while receivers know the old or the new one.
import { createHmac } from 'node:crypto';
import { type MountedFile, mountedFile } from '../../mounted/mounted-file.ts';

const PREFIX = 'whsec_';
const MIN_BYTES = 24;
const MAX_BYTES = 64;
const MAX_SECRETS = 2;

export function webhookSecretsFile(path: string): MountedFile<readonly Buffer[]> {
	return mountedFile(path, (content) => {
		const lines = content.split(/\s+/).filter((line) => line !== '');
		const secrets = lines.map(parseSecret);
		if (secrets.length === 0 || secrets.length > MAX_SECRETS)
			return { problem: `holds ${secrets.length} secrets: write 1 or ${MAX_SECRETS}, one a line` };
		if (!secrets.every((secret) => secret !== undefined))
			return { problem: `holds a secret that is not ${PREFIX} and ${MIN_BYTES} to ${MAX_BYTES} bytes in base64` };
		return { value: secrets };
	});
}

function parseSecret(text: string): Buffer | undefined {
	const encoded = text.startsWith(PREFIX) ? text.slice(PREFIX.length) : '';
	const secret = Buffer.from(encoded, 'base64');
	const isBase64 = secret.toString('base64').replace(/=+$/, '') === encoded.replace(/=+$/, '');
	return isBase64 && secret.length >= MIN_BYTES && secret.length <= MAX_BYTES ? secret : undefined;
}

export function signatureHeaders(
	{ id, at, body }: { readonly id: string; readonly at: Date; readonly body: string },
	secrets: readonly Buffer[],
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
	const timestamp = String(Math.floor(at.getTime() / 1000));
	const signatures = secrets.map((secret) =>
		createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64'),
	);
	return {
		'webhook-id': id,
		'webhook-timestamp': timestamp,
		'webhook-signature': signatures.map((signature) => `v1,${signature}`).join(' '),
	};
}
