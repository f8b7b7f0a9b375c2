// USE_DISTRIBUTED_LOCKING=false: the claim in the status alone keeps the promise, and no call about Leases is made.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { auditLog, scratchDirectory } from '@kubernaut/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ChannelName } from '../src/objects/notification.ts';
import { openWorld, type World } from './harness/world.ts';

const REPLICAS = 3;
const COUNT = 30;
const CHANNELS: ChannelName[] = ['file', 'log'];

describe(`${REPLICAS} replicas without locking`, () => {
	let world: World;
	let directory: string;

	beforeAll(async () => {
		directory = await scratchDirectory();
		world = await openWorld('nr-off', { FILE_DIRECTORY: directory });
		await Promise.all(Array.from({ length: REPLICAS }, (_, i) => world.start(`notification-${i}`)));
	});

	it('each message is sent once on each channel', async () => {
		const made = await Promise.all(Array.from({ length: COUNT }, () => world.create({ channels: CHANNELS })));
		const all = await world.untilAll('Sent', COUNT);
		for (const { metadata, status } of all) {
			expect(status?.counters, metadata.name).toEqual({ attempts: 2, delivered: 2, failed: 0 });
			expect(await world.events(metadata.name)).toEqual(['Sent']);
		}
		const lines = world.processes.flatMap((running) => running.output());
		for (const { metadata } of made) {
			const ofLog = lines.filter((line) => line.includes('"msg":"notification"') && line.includes(metadata.name));
			expect(ofLog, metadata.name).toHaveLength(1);
		}
		const files = await readdir(directory);
		expect(files).toHaveLength(COUNT);
		expect(JSON.parse(await readFile(join(directory, files[0] ?? ''), 'utf8'))).toMatchObject({});
	});

	it('channels that are due together are claimed in one write, and recorded in one or two', async () => {
		const log = auditLog();
		const since = log?.mark() ?? 0;
		const nr = await world.create({ channels: CHANNELS });
		await world.until(nr, 'Sent');
		const writes = callsOf(since).filter(({ resource }) => resource === 'notificationrequests/status');
		expect(writes.length).toBeGreaterThanOrEqual(2);
		// Replicas whose turn comes in the same moment may try as well.
		expect(writes.length).toBeLessThanOrEqual(5);
	});

	it('makes not one call about Leases', async () => {
		expect(await world.leases()).toEqual([]);
		expect(callsOf(0).filter(({ resource }) => resource.startsWith('leases'))).toEqual([]);
	});

	function callsOf(since: number) {
		return (auditLog()?.calls(since) ?? []).filter(
			({ userAgent, namespace }) => userAgent === 'kubernaut-notification' && namespace === world.namespace,
		);
	}
});
