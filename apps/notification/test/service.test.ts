// The whole service, wired as in a replica, over an API in memory: what it does with messages, what it calls, how it stops.

import { Registry } from 'prom-client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { channelLockMetrics } from '../src/act/coordination/channel-lock-metrics.ts';
import { deliveryLog } from '../src/act/delivery-log.ts';
import { deliveryMetrics } from '../src/act/delivery-metrics.ts';
import type { Channel, SendEnd } from '../src/channels/channel.ts';
import type { NotificationRequest } from '../src/generated/notification-request.ts';
import { KubeError } from '../src/kube/kube.ts';
import { messageOf } from '../src/message/message-of.ts';
import { type NotificationService, startNotificationService } from '../src/notification.ts';
import type { ChannelName } from '../src/objects/notification.ts';
import { notificationsPath } from '../src/objects/notification-store.ts';
import { allOf } from '../src/process/all-observers.ts';
import { SYSTEM_CLOCK } from '../src/process/clock.ts';
import { eventually } from './harness/eventually.ts';
import { KubeInMemory } from './harness/kube-in-memory.ts';
import { anObject } from './harness/made-up.ts';

const NAMESPACE = 'kubernaut-system';
const NAMES = ['slack', 'email', 'webhook', 'console', 'file', 'log'] as const;

type Sent = { readonly channel: ChannelName; readonly pod: string; readonly name: string };

function channelsOf(pod: string, sent: Sent[], end: (channel: ChannelName) => SendEnd | Promise<SendEnd>) {
	const channel = (name: ChannelName): Channel => ({
		name,
		key: `KEY_OF_${name}`,
		receiver: () => `${name}.example.com`,
		async send(message) {
			sent.push({ channel: name, pod, name: message.name });
			return end(name);
		},
	});
	return Object.fromEntries(NAMES.map((name) => [name, channel(name)])) as Record<ChannelName, Channel>;
}

function openWorld(end: (channel: ChannelName) => SendEnd | Promise<SendEnd> = () => ({ end: 'delivered' })) {
	const kube = new KubeInMemory();
	const sent: Sent[] = [];
	const lines: string[] = [];
	const registry = new Registry();
	const line = (_fields: object, text: string) => void lines.push(text);
	const log = { debug: line, info: line, warn: line, error: line };
	const deliveries = allOf(deliveryMetrics(registry), deliveryLog(log));
	const lock = channelLockMetrics(registry);
	const queue = new Proxy({} as never, { get: () => () => {} });
	const clock = SYSTEM_CLOCK;
	function start(podName: string, locking: 'off' | 'on' | 'shared', more: object = {}): NotificationService {
		const service = startNotificationService({
			kube,
			clock,
			podName,
			podNamespace: NAMESPACE,
			namespace: NAMESPACE,
			locking:
				locking === 'off'
					? undefined
					: {
							kube,
							clock,
							namespace: 'locks',
							isShared: locking === 'shared',
							keyTemplate: '{signalFingerprint}-{firingTime}-{chain}-{cause}-{channel}',
						},
			leaseDurationMs: 30_000,
			requestTimeoutMs: 1000,
			sendTimeoutMs: 10_000,
			claimTimeoutMs: 20_000,
			onLockUnavailable: 'hold',
			atMostOnce: [],
			paceMs: { slack: 20, email: 0, webhook: 0, console: 0, file: 0, log: 0 },
			lineWidth: 8,
			retentionMs: 600_000,
			turnMs: 5,
			concurrency: 4,
			channels: channelsOf(podName, sent, end),
			messageOf,
			routing: { channelsFor: () => ['webhook', 'log'] },
			observer: { lock, queue, deliveries, syncChanged: (what, inSync) => void lines.push(`${what} ${inSync}`) },
			...more,
		});
		onTestFinished(() => service.stop(100));
		return service;
	}
	async function create(name: string, spec: object = {}): Promise<void> {
		const { spec: made, metadata } = anObject(spec, undefined, { name });
		const body = { metadata: { name, creationTimestamp: metadata.creationTimestamp, generation: 1 }, spec: made };
		await kube.call({ verb: 'create', path: notificationsPath(NAMESPACE), resource: 'notificationrequests', body });
	}
	const get = (name: string) =>
		kube.call<NotificationRequest>({ verb: 'get', path: `${notificationsPath(NAMESPACE)}/${name}`, resource: 'nr' });
	const until = (name: string, phase: string) =>
		eventually(
			() => get(name),
			({ status }) => expect(status?.phase, JSON.stringify(status)).toBe(phase),
		);
	const aboutLeases = () => kube.calls.filter(({ path }) => path.includes('/leases'));
	return { kube, sent, lines, registry, start, create, get, until, aboutLeases };
}

describe('the service', () => {
	it('without locking: routes, sends once on each channel, tells it in an Event, and calls nothing about Leases', async () => {
		const { kube, sent, start, create, until, aboutLeases, registry } = openWorld();
		const services = [start('a', 'off'), start('b', 'off'), start('c', 'off')];
		await create('nr-1');
		const { status } = await until('nr-1', 'Sent');
		expect(status?.channels).toEqual(['webhook', 'log']);
		for (const { checks } of services) expect(checks.map((check) => check()).filter(({ ok }) => !ok)).toEqual([]);
		expect(sent.map(({ channel }) => channel).toSorted()).toEqual(['log', 'webhook']);
		expect(aboutLeases()).toEqual([]);
		await Promise.all(services.map((service) => service.stop(100)));
		const events = kube.calls.filter(({ resource }) => resource === 'events');
		expect(events.map(({ body }) => (body as { reason: string }).reason)).toEqual(['Sent']);
		expect(await registry.metrics()).toContain('notification_deliveries_total{channel="webhook",end="delivered"} 1');
	});

	it('with locking: a Lease around each external channel, a paced one beside it, and none is left', async () => {
		const { sent, start, create, until, aboutLeases, kube } = openWorld();
		const services = [start('a', 'on'), start('b', 'on')];
		for (const name of ['nr-1', 'nr-2', 'nr-3']) await create(name, { channels: ['slack', 'log'] });
		for (const name of ['nr-1', 'nr-2', 'nr-3']) await until(name, 'Sent');
		expect(sent).toHaveLength(6);
		expect(new Set(sent.map(({ name, channel }) => `${name} ${channel}`)).size).toBe(6);
		await Promise.all(services.map((service) => service.stop(100)));
		const made = aboutLeases().filter(({ verb }) => verb === 'create');
		const names = made.map(({ body }) => (body as { metadata: { name: string } }).metadata.name.replace(/[^-]+$/, ''));
		expect(names.filter((name) => name === 'notification-delivery-').length).toBeGreaterThanOrEqual(3);
		expect(names).toContain('notification-pace-');
		const left = await kube.call<{ items: { metadata: { name: string } }[] }>({
			verb: 'list',
			path: '/apis/coordination.k8s.io/v1/namespaces/locks/leases',
			resource: 'leases',
		});
		expect(left.items.map(({ metadata }) => metadata.name.replace(/[^-]+$/, ''))).toEqual(['notification-pace-']);
	});

	it('with a pace: messages that find the turn held wait in line, and none is put off', async () => {
		const slow = () => new Promise<SendEnd>((resolve) => setTimeout(() => resolve({ end: 'delivered' }), 100));
		const { sent, start, create, until, registry } = openWorld(slow);
		for (const pod of ['a', 'b', 'c']) start(pod, 'on');
		const names = Array.from({ length: 20 }, (_, i) => `nr-${i}`);
		const [first = '', ...others] = names;
		await create(first, { channels: ['slack'] });
		await eventually(
			async () => sent.length,
			(count) => expect(count).toBe(1),
		);
		// They come while the first one is being sent.
		for (const name of others) await create(name, { channels: ['slack'] });
		for (const name of names) await until(name, 'Sent');
		expect(sent.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
		expect(await registry.metrics()).toContain('notification_attempts_postponed_total{reason="pace"} 0');
	});

	it('over clusters: the same incident is one message, and the other request says who sent it', async () => {
		const { sent, start, create, until } = openWorld();
		start('a', 'shared');
		start('b', 'shared');
		await create('here', { channels: ['webhook'] });
		await create('there', { channels: ['webhook'] });
		const ended = [await until('here', 'Sent'), await until('there', 'Sent')];
		expect(sent).toHaveLength(1);
		const reasons = ended.map(({ status }) => status?.deliveries?.[0]?.reason);
		expect(reasons.filter((reason) => reason === 'DeliveredElsewhere')).toHaveLength(1);
	});

	it('gives up what is refused for good, and the Event and the log say so', async () => {
		const { kube, lines, start, create, until } = openWorld(() => ({
			end: 'refused-for-good',
			reason: 'RejectedByReceiver',
			detail: 'answered 410',
		}));
		const service = start('a', 'off');
		await create('nr-1', { channels: ['webhook'] });
		const { status } = await until('nr-1', 'Failed');
		expect(status?.deliveries?.[0]).toMatchObject({ final: true, reason: 'RejectedByReceiver' });
		await service.stop(100);
		const events = kube.calls.filter(({ resource }) => resource === 'events');
		expect(events.map(({ body }) => (body as { reason: string }).reason)).toEqual(['GivenUp', 'Failed']);
		expect(lines).toEqual(expect.arrayContaining(['not delivered', 'notification finished']));
	});

	it('finishes at its end what it has claimed, and begins nothing new', async () => {
		let answer = (_end: SendEnd) => {};
		const { sent, start, create, get } = openWorld(() => new Promise((resolve) => (answer = resolve)));
		const service = start('a', 'off');
		await create('nr-1', { channels: ['webhook'] });
		await eventually(
			async () => sent.length,
			(count) => expect(count).toBe(1),
		);
		const stopped = service.stop(100);
		await create('nr-2', { channels: ['webhook'] });
		answer({ end: 'delivered' });
		await stopped;
		expect((await get('nr-1')).status?.phase).toBe('Sent');
		expect((await get('nr-2')).status).toBeUndefined();
		expect(sent).toHaveLength(1);
	});

	it('holds a message while no Lease can be had, and counts it; nothing is sent without a claim either', async () => {
		const { kube, sent, start, create, until, registry } = openWorld();
		let isAway = true;
		kube.before = ({ path, verb }) => {
			const isNeeded = verb === 'patch' || (verb === 'create' && path.includes('/leases'));
			if (isAway && isNeeded) throw new KubeError('KUBE_UNAVAILABLE', 'away');
		};
		start('a', 'on');
		await create('nr-1', { channels: ['webhook', 'log'] });
		await eventually(
			() => registry.metrics(),
			(text) => expect(text).toMatch(/notification_lock_unavailable_total\{channel="webhook",action="hold"\} [1-9]/),
		);
		expect(sent).toEqual([]);
		isAway = false;
		await until('nr-1', 'Sent');
		expect(sent).toHaveLength(2);
	});
});
