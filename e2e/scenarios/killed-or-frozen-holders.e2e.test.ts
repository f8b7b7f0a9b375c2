// A replica that dies, or stands still, while it holds a lock: the others go on, nothing is lost, nothing is done twice, and
// one that wakes up again does no harm.
import { setTimeout as delay } from 'node:timers/promises';
import type { KubeObject } from '@kubernaut/control-plane';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { catchHolder } from '../harness/catch-holder.ts';
import { eventually } from '../harness/eventually.ts';
import { type History, mostAtOnce, recordHistory } from '../harness/judging/history.ts';
import {
	countOf,
	describeRequest,
	hasEnded,
	leasesPath,
	list,
	listAt,
	objectsPath,
	putWorkflow,
	requestsAbout,
	runsPath,
} from '../harness/objects.ts';
import { openPlatform } from '../harness/open-platform.ts';
import type { Platform, Replica } from '../harness/platform.ts';
import { openSender, type Sender, startLoad } from '../harness/sending.ts';

const CALLERS = 8;
const LOOK_AFTER_MS = 5000;
let number = 0;
const fresh = () => ({ alertname: 'KubePodCrashLooping', deployment: `service-${number++}` });

describe('a holder that dies or stands still', () => {
	let platform: Platform;
	let sender: Sender;
	let runs: History;
	beforeAll(async () => {
		platform = await openPlatform({ apps: ['gateway', 'orchestrator', 'workflow-executor', 'notification'] });
		sender = await openSender(platform);
		runs = await recordHistory(inject('controlPlane').kubeconfigPath, runsPath(platform));
		await platform.putPipeline('restart', { seconds: 1 });
		return async () => {
			runs.stop();
			await sender.close();
		};
	});

	/** Each signal that was sent is stored once; each incident is one request. */
	async function everySignalStored(sentTo: ReadonlyMap<string, number>): Promise<void> {
		await eventually(
			async () => {
				const requests = await list(platform, 'remediationrequests');
				return new Map(
					[...sentTo.keys()].map((name) => [name, requests.filter(({ spec }) => spec.targetResource.name === name)]),
				);
			},
			(byTarget) => {
				for (const [name, requests] of byTarget) {
					expect(requests, name).toHaveLength(1);
					expect(countOf(requests), name).toBeGreaterThanOrEqual(sentTo.get(name) ?? 0);
				}
			},
		);
	}

	/** As a person sees it who asks which replica holds it. */
	async function expectReadableLease(lease: string, holder: string): Promise<void> {
		const { kubectl, namespace } = platform;
		if (kubectl === undefined) return; // read as an object there: readable-for-people
		const text = await kubectl('-n', namespace, 'describe', 'lease', lease);
		expect(text).toContain(`Holder Identity:         ${holder}_`);
		expect(text).toMatch(/kubernaut\.ai\/lock-key: \S/);
		expect(text).toMatch(/Acquire Time: +\d{4}-/);
		expect(text).toMatch(/Renew Time: +\d{4}-/);
		expect(text).toMatch(/Lease Duration Seconds: +30/);
	}

	it.each(['killed', 'frozen'] as const)('gateway, %s while it holds the lock of an incident', async (how) => {
		const taken = new Map<string, number>();
		const load = startLoad(sender, CALLERS, () => {
			const signal = fresh();
			taken.set(signal.deployment, 1);
			return signal;
		});
		const { replica, lease, key } = await catchHolder(platform, 'gateway', 'gw-lock-');
		await expectReadableLease(lease, replica.name);
		if (how === 'killed') await replica.kill();
		const sent = await load.stop();
		expect(sent.filter(({ status }) => status !== 201 && status !== 202)).toEqual([]);
		await everySignalStored(taken);
		if (how === 'frozen') await replica.thaw();
		await eventually(
			() => listAt(platform, leasesPath(platform)),
			(leases) => expect(leases.map(({ metadata }) => metadata.name)).not.toContain(lease),
		);
		expect(key).not.toBe('');
	});

	it.each(['killed', 'frozen'] as const)('orchestrator, %s while it holds the lock of a target', async (how) => {
		await putWorkflow(platform, 'restart', ['Orchestrated'], { cooldown: '1s' });
		const targets = new Set<string>();
		const load = startLoad(sender, 2, () => {
			const signal = { ...fresh(), alertname: 'Orchestrated' };
			targets.add(signal.deployment);
			return signal;
		});
		const { replica } = await catchHolder(platform, 'orchestrator', 'ro-lock-');
		if (how === 'killed') await replica.kill();
		await load.stop();
		await eventually(
			async () =>
				(await list(platform, 'remediationrequests')).filter(({ spec }) => targets.has(spec.targetResource.name)),
			(requests) => {
				expect(requests.length).toBe(targets.size);
				expect(requests.filter((request) => !hasEnded(request)).map(describeRequest)).toEqual([]);
			},
			240_000,
		);
		if (how === 'frozen') await replica.thaw();
		const executions = (await list(platform, 'workflowexecutions')).map(({ spec }) => spec.targetResource as string);
		for (const target of targets)
			expect(
				executions.filter((name) => name === `shop/Deployment/${target}`),
				target,
			).toHaveLength(1);
	});

	/** The run ends, and none of them has seen it. */
	async function standStillUntilRunsEnded(replicas: readonly Replica[]): Promise<void> {
		for (const replica of replicas) await replica.freeze();
		await eventually(
			() => listAt(platform, runsPath(platform)),
			(all) => expect(all.filter(({ status }) => !status?.completionTime)).toEqual([]),
		);
		for (const replica of replicas) await replica.thaw();
	}

	it.each(['killed', 'frozen'] as const)('every executor, %s while a run holds its target', async (how) => {
		await platform.putPipeline('slow', { seconds: 8 });
		await putWorkflow(platform, 'slow', ['Slow'], { cooldown: '1s' });
		const { deployment } = fresh();
		await sender.send({ alertname: 'Slow', deployment });
		await eventually(
			() => listAt(platform, objectsPath(platform, 'workflowexecutions')),
			(all) => {
				const about = all.filter(({ spec }) => spec.targetResource === `shop/Deployment/${deployment}`);
				expect(about.map(({ status }) => status?.phase)).toEqual(['Running']);
			},
		);
		const executors = await platform.replicas('workflow-executor');
		if (how === 'killed') for (const replica of executors) await replica.kill();
		else await standStillUntilRunsEnded(executors);
		await eventually(
			() => requestsAbout(platform, deployment),
			(all) => expect(all.map(({ status }) => status.overallPhase)).toEqual(['Completed']),
		);
		const made = runs.changes.filter(
			({ type, object }) =>
				type === 'ADDED' && object['spec'].params?.some(({ value }: KubeObject) => value === deployment),
		);
		expect(made).toHaveLength(1);
		const most = mostAtOnce(
			runs.changes,
			({ status }) => !status?.completionTime,
			({ metadata }) => metadata.name,
		);
		expect(Math.max(...most.values())).toBe(1);
	});

	it.each(['killed', 'frozen'] as const)(
		'notification, %s while it sends: another sends it, and says that the outcome was unknown',
		async (how) => {
			await platform.receivers.holdWebhook(true);
			const path = objectsPath(platform, 'notificationrequests');
			const name = `nr-${how}-holder`;
			await platform.api.call('POST', path, {
				body: {
					apiVersion: 'kubernaut.ai/v1alpha1',
					kind: 'NotificationRequest',
					metadata: { name },
					spec: { type: 'Escalation', subject: 'A holder that dies', body: 'Sent by another.', channels: ['webhook'] },
				},
			});
			const held = await eventually(
				() => platform.receivers.received(),
				({ webhook }) => expect(webhook.filter((arrival) => arrival.name === name)).toHaveLength(1),
			);
			expect(held.webhook.length).toBeGreaterThan(0);
			const claimedBy = (await platform.api.call('GET', `${path}/${name}`))['status'].deliveries[0].claimedBy as string;
			const holder = (await platform.replicas('notification')).find((replica) =>
				claimedBy.startsWith(`${replica.name}_`),
			);
			expect(holder).toBeDefined();
			await (how === 'killed' ? holder?.kill() : holder?.freeze());
			await platform.receivers.holdWebhook(false);
			const sent = await eventually(
				() => platform.api.call('GET', `${path}/${name}`),
				({ status }) => expect(status.phase).toBe('Sent'),
			);
			expect(sent['status'].deliveries[0]).toMatchObject({ state: 'Delivered', attempt: 2 });
			if (how === 'frozen') {
				await holder?.thaw();
				await delay(LOOK_AFTER_MS); // what it would do, it does at once
			}
			expect((await platform.api.call('GET', `${path}/${name}`))['status']).toEqual(sent['status']);
			const { webhook } = await platform.receivers.received();
			expect(webhook.filter((arrival) => arrival.name === name)).toHaveLength(2);
		},
	);
});
