// USE_DISTRIBUTED_LOCKING=false: the claim in the status alone keeps the promise, and no call about Leases is made.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ReceiverSet, startReceiverSet } from '@kubernaut/receivers';
import { atTheEnd, auditLog, scratchDirectory } from '@kubernaut/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { NOTIFICATION_REQUEST_CHANNELS as CHANNELS } from '../src/generated/notification-request.ts';
import { eventually } from './harness/eventually.ts';
import { openWorld, type World } from './harness/world.ts';

const REPLICAS = 3;
const COUNT = 30;
const isOnConsole = (line: string) => line.includes('=== [');
const isInLog = (line: string) => line.includes('"msg":"notification"');

describe(`${REPLICAS} replicas without locking`, () => {
	let world: World;
	let receivers: ReceiverSet;
	let directory: string;

	beforeAll(async () => {
		directory = await scratchDirectory();
		receivers = await startReceiverSet(await scratchDirectory());
		atTheEnd(() => receivers.close());
		world = await openWorld('nr-off', { ...receivers.environment, FILE_DIRECTORY: directory });
		await Promise.all(Array.from({ length: REPLICAS }, (_, i) => world.start(`notification-${i}`)));
	});

	it('each message is sent once on each channel', async () => {
		const made = await Promise.all(Array.from({ length: COUNT }, () => world.create({ channels: [...CHANNELS] })));
		const all = await world.untilAll('Sent', COUNT);
		const every = CHANNELS.length;
		for (const { metadata, status } of all) {
			expect(status?.counters, metadata.name).toEqual({ attempts: every, delivered: every, failed: 0 });
			expect(await world.eventsWith(metadata.name, 'Sent')).toEqual(['Sent']);
		}
		// A replica writes the lines of its log together, a moment after what they say.
		const lines = await eventually(
			async () => world.processes.flatMap((running) => running.output()),
			(written) => {
				expect(written.filter(isOnConsole).length).toBeGreaterThanOrEqual(COUNT);
				expect(written.filter(isInLog).length).toBeGreaterThanOrEqual(COUNT);
			},
		);
		const files = await readdir(directory);
		const texts: Record<(typeof CHANNELS)[number], string[]> = {
			slack: receivers.slack.received.map(({ body }) => body),
			email: receivers.mail.received.map(({ text }) => text),
			webhook: receivers.webhook.received.map(({ body }) => body),
			console: lines.filter(isOnConsole),
			file: await Promise.all(files.map((name) => readFile(join(directory, name), 'utf8'))),
			log: lines.filter(isInLog),
		};
		for (const [channel, of] of Object.entries(texts)) {
			expect(of, channel).toHaveLength(COUNT);
			for (const { metadata } of made)
				expect(of.filter((text) => text.includes(metadata.name)).length, `${channel} ${metadata.name}`).toBe(1);
		}
	});

	it('channels that are due together are claimed in one write, and recorded in one or two', async () => {
		const since = auditLog()?.mark() ?? 0;
		const nr = await world.create({ channels: ['file', 'log'] });
		await world.until(nr, 'Sent');
		// The API server logs a call when it has answered it.
		const writes = await eventually(
			async () => callsOf(since).filter(({ resource }) => resource === 'notificationrequests/status'),
			(all) => expect(all.length).toBeGreaterThanOrEqual(2),
		);
		// Replicas whose turn comes in the same moment may try as well.
		expect(writes.length).toBeLessThanOrEqual(5);
	});

	it('makes not one call about Leases', async () => {
		expect(await world.leases()).toEqual([]);
		const calls = callsOf(0);
		// The log was really read: it has every accepted claim and every record.
		expect(calls.length).toBeGreaterThan(2 * COUNT);
		expect(calls.filter(({ resource }) => resource.startsWith('leases'))).toEqual([]);
	});

	function callsOf(since: number) {
		return (auditLog()?.calls(since) ?? []).filter(
			({ userAgent, namespace }) => userAgent === 'kubernaut-notification' && namespace === world.namespace,
		);
	}
});
