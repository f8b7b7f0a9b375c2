// Two clusters with a control plane each and one coordination cluster: the pace of the receiver is kept over both, the same
// incident is one message per cause, and LOCK_KUBECONFIG can be switched while messages are under way.
import { KubeApi, startControlPlane } from '@kubernaut/control-plane';
import { type ReceiverSet, startReceiverSet } from '@kubernaut/receivers';
import { adminApi, appKubeconfig, applyCrds, atTheEnd, createNamespace, scratchDirectory } from '@kubernaut/testkit';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { NewNotificationRequestSpec } from '../src/generated/notification-request.ts';
import { countsOf, pausesOf } from './harness/received.ts';
import { type Env, World } from './harness/world.ts';

const PACE_MS = 1000;
const JITTER_MS = 25;
const SLOW_MS = 1500;
const FIRING = '2026-11-18T11:00:00Z';

function about(incident: string, cause: string): Partial<NewNotificationRequestSpec> {
	const signalFingerprint = Buffer.from(incident).toString('hex').padEnd(64, '0').slice(0, 64);
	return {
		channels: ['slack'],
		subject: `${cause} of ${incident}`,
		context: { cause, signalName: incident, severity: 'critical', signalFingerprint, firingTime: FIRING, chain: 0 },
	};
}

describe('two clusters', () => {
	let a: World;
	let b: World;
	let receivers: ReceiverSet;
	let env: Env;

	beforeAll(async () => {
		receivers = await startReceiverSet(await scratchDirectory());
		atTheEnd(() => receivers.close());
		const second = await startControlPlane({ prepare: applyCrds });
		atTheEnd(() => second.stop());
		const api = adminApi();
		const { kubeconfigPath } = inject('controlPlane');
		const coordination = await createNamespace(api, 'nr-shared');
		env = {
			...receivers.environment,
			USE_DISTRIBUTED_LOCKING: 'true',
			LOCK_KUBECONFIG: await appKubeconfig(api, 'notification', coordination, kubeconfigPath),
			LOCK_NAMESPACE: coordination,
		};
		const ofA = await createNamespace(api, 'nr-a');
		a = new World(api, ofA, await appKubeconfig(api, 'notification', ofA, kubeconfigPath), {});
		const apiOfB = KubeApi.fromFile(second.kubeconfigPath);
		atTheEnd(() => apiOfB.close());
		await apiOfB.call('POST', '/api/v1/namespaces', { body: { metadata: { name: 'nr-b' } } });
		b = new World(apiOfB, 'nr-b', await appKubeconfig(apiOfB, 'notification', 'nr-b', second.kubeconfigPath), {});
		for (const world of [a, b]) atTheEnd(() => world.stop());
		await Promise.all([a.start('notification-0', env), a.start('notification-1', env), b.start('notification-0', env)]);
	}, 240_000);

	it('20 messages, slow answers included: none lost, none twice, and never faster than the pace', async () => {
		receivers.slack.behave((_, index) => ({ status: 200, body: 'ok', afterMs: index % 5 === 0 ? SLOW_MS : 0 }));
		const incidents = Array.from({ length: 20 }, (_, i) => `incident-${i}-`);
		await Promise.all(incidents.map((incident, i) => (i % 2 === 0 ? a : b).create(about(incident, 'failed'))));
		await a.untilAll('Sent', 10);
		await b.untilAll('Sent', 10);
		const { received } = receivers.slack;
		expect([...countsOf(received, incidents).values()]).toEqual(incidents.map(() => 1));
		expect(Math.min(...pausesOf(received))).toBeGreaterThanOrEqual(PACE_MS - JITTER_MS);
		console.info(`pauses of ${pausesOf(received).map(Math.round).join(', ')} ms`);
		receivers.slack.behave({ status: 200, body: 'ok' });
	});

	it('the same incident in both is one message per cause', async () => {
		const causes = ['no-workflow', 'failed'];
		const made = await Promise.all(
			causes.flatMap((cause) =>
				[a, b].map(async (world) => ({ world, nr: await world.create(about('shared', cause)) })),
			),
		);
		const done = await Promise.all(made.map(({ world, nr }) => world.until(nr, 'Sent')));
		const counts = countsOf(
			receivers.slack.received,
			causes.map((cause) => `${cause} of shared`),
		);
		expect([...counts.values()]).toEqual([1, 1]);
		const elsewhere = done.filter(({ status }) => status?.deliveries?.[0]?.reason === 'DeliveredElsewhere');
		expect(elsewhere).toHaveLength(2);
	});

	it('LOCK_KUBECONFIG switched off and on while messages are under way: none is stuck', async () => {
		const { LOCK_KUBECONFIG: _, ...alone } = env;
		const incidents = Array.from({ length: 8 }, (_unused, i) => `switched-${i}-`);
		const made = await Promise.all(incidents.map((incident) => a.create(about(incident, 'failed'))));
		const [first, second] = a.processes;
		await first?.stop();
		await a.start('notification-2', { ...alone, LOCK_NAMESPACE: a.namespace });
		await second?.stop();
		await a.start('notification-3', env);
		for (const nr of made) await a.until(nr, 'Sent');
		expect([...countsOf(receivers.slack.received, incidents).values()]).toEqual(incidents.map(() => 1));
	});
});
