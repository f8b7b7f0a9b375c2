// The coordination cluster goes away, then the own API server: `hold` and `deliver` as written, and everything arrives
// afterwards. Rights that are missing are named.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ReceiverSet, startReceiverSet } from '@kubernaut/receivers';
import {
	adminApi,
	appKubeconfig,
	atTheEnd,
	createNamespace,
	type Relay,
	scratchDirectory,
	startRelay,
} from '@kubernaut/testkit';
import { KubeConfig } from '@kubernetes/client-node';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { eventually } from './harness/eventually.ts';
import { countsOf } from './harness/received.ts';
import { metric, openWorld, type World } from './harness/world.ts';

/** Longer than the pause between two tries. */
const HELD_FOR_MS = 4000;

/** The same credentials, through a relay that can be switched off. */
async function throughRelay(kubeconfig: string): Promise<{ relay: Relay; path: string }> {
	const config = new KubeConfig();
	config.loadFromFile(kubeconfig);
	const cluster = config.getCurrentCluster();
	if (cluster === null) throw new Error(`${kubeconfig} names no server`);
	const relay = await startRelay(new URL(cluster.server));
	atTheEnd(() => relay.close());
	const path = join(await scratchDirectory(), 'relayed.kubeconfig');
	const text = JSON.stringify({ ...JSON.parse(config.exportConfig()) }).replaceAll(
		cluster.server,
		`https://127.0.0.1:${relay.port}`,
	);
	writeFileSync(path, text, { mode: 0o600 });
	return { relay, path };
}

describe.each(['hold', 'deliver'] as const)('ON_LOCK_UNAVAILABLE=%s', (policy) => {
	let world: World;
	let receivers: ReceiverSet;
	let own: Relay;
	let shared: Relay;

	beforeAll(async () => {
		receivers = await startReceiverSet(await scratchDirectory());
		atTheEnd(() => receivers.close());
		const api = adminApi();
		const coordination = await createNamespace(api, 'nr-shared');
		const lockKubeconfig = await appKubeconfig(
			api,
			'notification',
			coordination,
			inject('controlPlane').kubeconfigPath,
		);
		const ofShared = await throughRelay(lockKubeconfig);
		shared = ofShared.relay;
		world = await openWorld(`nr-${policy}`, {
			...receivers.environment,
			USE_DISTRIBUTED_LOCKING: 'true',
			LOCK_KUBECONFIG: ofShared.path,
			LOCK_NAMESPACE: coordination,
			ON_LOCK_UNAVAILABLE: policy,
			KUBERNETES_REQUEST_TIMEOUT: '2s',
		});
		const ofOwn = await throughRelay(world.kubeconfig);
		own = ofOwn.relay;
		for (const i of [0, 1, 2]) await world.start(`notification-${i}`, { KUBECONFIG: ofOwn.path });
	});

	async function sentMeanwhile(name: string): Promise<unknown[]> {
		await new Promise((resolve) => setTimeout(resolve, HELD_FOR_MS));
		return [...((await world.get(name))?.status?.deliveries ?? []), ...receivers.webhook.received];
	}

	it('the coordination cluster is away: held back and counted, or delivered with the claim alone', async () => {
		shared.off();
		const nr = await world.create({ channels: ['webhook'] });
		const series = `notification_lock_unavailable_total{channel="webhook",action="${policy}"}`;
		await eventually(
			async () => Promise.all(world.processes.map((running) => metric(running, series))),
			(counts) => expect(counts.reduce<number>((sum, count) => sum + (count ?? 0), 0)).toBeGreaterThan(0),
		);
		expect(policy === 'hold' ? await sentMeanwhile(nr.metadata.name) : []).toEqual([]);
		// With deliver it is sent while the cluster is still away.
		if (policy === 'hold') shared.on();
		await world.until(nr, 'Sent');
		shared.on();
		expect(receivers.webhook.received).toHaveLength(1);
	});

	it('the own API server is away: nothing is sent, and everything arrives afterwards', async () => {
		const from = receivers.webhook.received.length;
		// Every replica knows these, and they wait for their turn: the first is answered when the API server is away.
		const away = Promise.withResolvers<void>();
		receivers.slack.behave({ status: 200, body: 'ok', after: away.promise });
		const waiting = await Promise.all([1, 2, 3, 4].map(() => world.create({ channels: ['slack'] })));
		await eventually(
			async () => receivers.slack.received.length,
			(count) => expect(count).toBeGreaterThanOrEqual(1),
		);
		own.off();
		away.resolve();
		const begun = receivers.slack.received.length;
		const made = [
			await world.create({ channels: ['webhook'] }),
			await world.create({ channels: ['webhook', 'email'] }),
		];
		await new Promise((resolve) => setTimeout(resolve, 3000));
		expect(receivers.webhook.received.length).toBe(from);
		// One may have been claimed before.
		expect(receivers.slack.received.length).toBeLessThanOrEqual(begun + 1);
		own.on();
		for (const nr of [...waiting, ...made]) await world.until(nr, 'Sent');
		expect(receivers.webhook.received.length).toBe(from + 2);
		expect(receivers.mail.received).toHaveLength(1);
		const names = waiting.map(({ metadata }) => metadata.name);
		expect([...countsOf(receivers.slack.received, names).values()]).toEqual(names.map(() => 1));
	});
});
