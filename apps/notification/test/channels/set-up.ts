// Channels as the service makes them, from files and settings, and receivers for them.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createReceiverCertificates, type ReceiverCertificates } from '@kubernaut/receivers';
import { onTestFinished } from 'vitest';
import type { SendEnd, SendOptions } from '../../src/channels/channel.ts';
import { CHANNEL_CONFIG_KEYS, targetOptions } from '../../src/channels/channel-keys.ts';
import { type Channels, closeChannels, createChannels } from '../../src/channels/channels.ts';
import type { Message } from '../../src/message/message.ts';
import { loadConfig } from '../../src/process/config-loader.ts';
import type { Log } from '../../src/process/log.ts';

let made: Promise<ReceiverCertificates> | undefined;
/** One set for all tests of a file: making keys takes time. */
export function certificates(): Promise<ReceiverCertificates> {
	made ??= createReceiverCertificates();
	return made;
}

export const LOOPBACK = { TARGETS_ALLOWED_NETWORKS: '127.0.0.0/8' };

export function directory(): string {
	const path = mkdtempSync(join(tmpdir(), 'notification-channels-'));
	onTestFinished(() => rmSync(path, { recursive: true, force: true }));
	return path;
}

export function file(content: string, name = 'file'): string {
	const path = join(directory(), name);
	writeFileSync(path, content);
	return path;
}

export async function trusted(): Promise<{ TARGETS_CA_FILE: string }> {
	return { TARGETS_CA_FILE: file((await certificates()).ca) };
}

const LIMIT_MS = 10_000;

export type LogLine = { readonly level: string; readonly fields: object; readonly message: string };

export function channelsWith(environment: Record<string, string>, lines: LogLine[] = []): Channels {
	const loaded = loadConfig(CHANNEL_CONFIG_KEYS, undefined, environment);
	if ('problems' in loaded) throw new Error(loaded.problems.join('\n'));
	const at = (level: string) => (fields: object, message: string) => void lines.push({ level, fields, message });
	const log: Log = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
	const channels = createChannels(loaded.config, {
		log,
		clock: { wallTime: () => new Date() },
		target: targetOptions(loaded.config),
		sendTimeoutMs: LIMIT_MS,
	});
	onTestFinished(() => closeChannels(channels));
	return channels;
}

export const MESSAGE: Message = {
	uid: '7b1f3a0e-6a39-4c1c-9a42-1f2e3d4c5b6a',
	namespace: 'kubernaut-system',
	name: 'rr-1-0c5f2d0e-failed',
	createdAt: '2026-11-18T10:00:00Z',
	request: 'rr-1',
	type: 'Escalation',
	priority: 'Critical',
	subject: 'Remediation failed: HighMemory on shop/Deployment/cart',
	body: 'Signal: HighMemory\nWhy: <!channel> & more',
	context: { cause: 'failed', severity: 'critical', signalName: 'HighMemory', targetResource: 'shop/Deployment/cart' },
};

/** `options.abortAfterMs`: the end of the claim. */
export async function send(
	channels: Channels,
	name: keyof Channels,
	options: Partial<SendOptions> & { readonly abortAfterMs?: number } = {},
	message: Message = MESSAGE,
): Promise<SendEnd> {
	const { abortAfterMs = LIMIT_MS, ...rest } = options;
	const abort = new AbortController();
	const timer = setTimeout(() => abort.abort(), abortAfterMs);
	try {
		return await channels[name].send(message, {
			abort: abort.signal,
			idempotencyKey: `${message.uid}:${name}`,
			...rest,
		});
	} finally {
		clearTimeout(timer);
	}
}
