// What is given to a replica and may be wrong or change under it: the routing file and credentials as the kubelet swaps them, a
// channel that is not set up, a message that is deleted while it waits; and finished messages at the end of their retention.
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ReceiverSet, startReceiverSet } from '@kubernaut/receivers';
import { type AppProcess, atTheEnd, scratchDirectory, startApp } from '@kubernaut/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import type { NotificationRequest } from '../src/generated/notification-request.ts';
import { eventually } from './harness/eventually.ts';
import { countsOf } from './harness/received.ts';
import { metric, openWorld, type World } from './harness/world.ts';

const RULES = 'rules:\n  - match: { type: Escalation }\n    channels: [webhook]\n  - channels: [log]\n';
const OTHER_RULES = 'rules:\n  - channels: [log]\n';
const WITHOUT_LAST_RULE = 'rules:\n  - match: { type: Escalation }\n    channels: [log]\n';
const MINUTE_MS = 60_000;

/** A volume as the kubelet writes it: `write` swaps all files at once, behind the link `..data`. */
async function volume(): Promise<{ path(name: string): string; write(files: Record<string, string>): void }> {
	const directory = await scratchDirectory();
	let version = 0;
	return {
		path: (name) => join(directory, name),
		write(files) {
			const data = `..version_${version++}`;
			mkdirSync(join(directory, data));
			for (const [name, content] of Object.entries(files)) {
				writeFileSync(join(directory, data, name), content, { mode: 0o600 });
				if (version === 1) symlinkSync(join('..data', name), join(directory, name));
			}
			symlinkSync(data, join(directory, '..data_tmp'));
			renameSync(join(directory, '..data_tmp'), join(directory, '..data'));
		},
	};
}

describe('what is given to a replica', () => {
	let world: World;
	let replica: AppProcess;
	let receivers: ReceiverSet;
	let mounted: Awaited<ReturnType<typeof volume>>;
	let env: Record<string, string>;
	const finished: Record<'old' | 'young', NotificationRequest> = {} as never;
	const filesWith = (routing: string, origin = receivers.webhook.origin) => ({
		'routing.yaml': routing,
		'webhook-url': `${origin}/notifications`,
	});

	beforeAll(async () => {
		receivers = await startReceiverSet(await scratchDirectory());
		atTheEnd(() => receivers.close());
		mounted = await volume();
		mounted.write(filesWith(RULES));
		const { EMAIL_HOST: _, EMAIL_FROM: __, EMAIL_TO: ___, ...withoutEmail } = receivers.environment;
		const ofEmail = ['EMAIL_PORT', 'EMAIL_USERNAME', 'EMAIL_PASSWORD_FILE'];
		env = {
			...Object.fromEntries(Object.entries(withoutEmail).filter(([key]) => !ofEmail.includes(key))),
			ROUTING_FILE: mounted.path('routing.yaml'),
			WEBHOOK_URL_FILE: mounted.path('webhook-url'),
			PACE_SLACK: '2s',
			REQUESTS_RETENTION: '1h',
			CONTROLLER_TURN: '1ms',
		};
		world = await openWorld('nr-given', env);
		for (const [which, minutes] of [
			['old', 61],
			['young', 45], // the other tests of this file take a part of what is left
		] as const)
			finished[which] = await storeFinished(minutes);
		replica = await world.start('notification-0');
	});

	async function storeFinished(minutesAgo: number): Promise<NotificationRequest> {
		const nr = await world.create({ channels: ['log'] });
		const at = new Date(Date.now() - minutesAgo * MINUTE_MS).toISOString();
		const status = {
			phase: 'Sent',
			completedAt: at,
			channels: ['log'],
			deliveries: [{ channel: 'log', state: 'Delivered', attempt: 1, at }],
			counters: { attempts: 1, delivered: 1, failed: 0 },
		};
		const contentType = 'application/merge-patch+json';
		await world.api.call('PATCH', `${world.path}/${nr.metadata.name}/status`, { body: { status }, contentType });
		return nr;
	}
	const readiness = async () => (await fetch(`${replica.healthUrl}/readyz`)).text();
	const untilRouting = (words: string) => eventually(readiness, (text) => expect(text).toContain(words));

	it('a routing file that changes is used; one that is not valid changes nothing, and says why', async () => {
		const first = await world.until(await world.create(), 'Sent');
		expect(first.status?.channels).toEqual(['webhook']);

		mounted.write(filesWith(OTHER_RULES));
		await untilRouting('1 rules');
		expect((await world.until(await world.create(), 'Sent')).status?.channels).toEqual(['log']);

		mounted.write(filesWith(WITHOUT_LAST_RULE));
		await untilRouting('1 rules of the last valid file; rejected');
		expect((await fetch(`${replica.healthUrl}/readyz`)).status).toBe(200);
		expect(await metric(replica, 'notification_routing_file_valid')).toBe(0);
		await eventually(
			async () => replica.output().join('\n'),
			(text) => expect(text).toContain('routing file rejected, the last valid rules stay in use'),
		);
		expect((await world.until(await world.create(), 'Sent')).status?.channels).toEqual(['log']);

		const refused = await startApp('notification', {
			kubeconfig: world.kubeconfig,
			namespace: world.namespace,
			podName: 'notification-refused',
			env,
		});
		expect(await refused.exited).not.toBe(0);
		expect(refused.output().join('\n')).toMatch(/ROUTING_FILE.*last/s);

		mounted.write(filesWith(RULES));
		await untilRouting('2 rules');
		expect(await metric(replica, 'notification_routing_file_valid')).toBe(1);
	});

	it('a URL that the kubelet swaps is used for the next message', async () => {
		mounted.write(filesWith(RULES, receivers.slack.origin));
		const nr = await world.create({ channels: ['webhook'] });
		await world.until(nr, 'Sent');
		expect(countsOf(receivers.slack.received, [nr.metadata.name]).get(nr.metadata.name)).toBe(1);
		expect(countsOf(receivers.webhook.received, [nr.metadata.name]).get(nr.metadata.name)).toBe(0);
	});

	it('a channel that is not set up is refused for now, with the key that is missing', async () => {
		const nr = await world.create({ channels: ['email'] });
		const found = await eventually(
			() => world.get(nr.metadata.name),
			(one) => expect(one?.status?.phase).toBe('Retrying'),
		);
		expect(found?.status?.deliveries?.[0]).toMatchObject({
			state: 'Failed',
			reason: 'NotConfigured',
			error: expect.stringContaining('EMAIL_HOST'),
		});
		expect(found?.status?.deliveries?.[0]).not.toHaveProperty('final');
	});

	it('a message that is deleted while it waits is not sent', async () => {
		const from = receivers.slack.received.length;
		// The first is answered when the last one is deleted: until then each of the others waits for its turn.
		const deleted = Promise.withResolvers<void>();
		receivers.slack.behave({ status: 200, body: 'ok', after: deleted.promise });
		const made = [await world.create({ channels: ['slack'] })];
		await eventually(
			async () => receivers.slack.received.length,
			(count) => expect(count).toBe(from + 1),
		);
		for (let i = 0; i < 3; i++) made.push(await world.create({ channels: ['slack'] }));
		const waiting = made.at(-1) as NotificationRequest;
		await world.api.call('DELETE', `${world.path}/${waiting.metadata.name}`);
		deleted.resolve();
		for (const nr of made.slice(0, -1)) await world.until(nr, 'Sent');
		const marker = await world.create({ channels: ['slack'] });
		await world.until(marker, 'Sent');
		const names = made.map(({ metadata }) => metadata.name);
		expect([...countsOf(receivers.slack.received, names).values()]).toEqual([1, 1, 1, 0]);
	});

	it('a finished message is removed after its retention, and not before', async () => {
		await eventually(
			() => world.get(finished.old.metadata.name),
			(nr) => expect(nr).toBeUndefined(),
		);
		expect((await world.get(finished.young.metadata.name))?.status?.phase).toBe('Sent');
		// Counted when the API server has answered, which is after it is gone.
		await eventually(
			() => metric(replica, 'notification_requests_removed_total{phase="Sent"}'),
			(count) => expect(count).toBe(1),
		);
	});
});
