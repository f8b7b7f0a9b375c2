// 100 NotificationRequests on three replicas: 100 different messages, each once, at the pace that Slack asks for; every replica
// takes part, and each lock that was held by another is counted as such.
import { createHash } from 'node:crypto';
import type { KubeObject } from '@kubernaut/control-plane';
import { beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../harness/eventually.ts';
import { sumOf } from '../harness/judging/metrics.ts';
import { leasesPath, list, objectsPath } from '../harness/objects.ts';
import { openPlatform } from '../harness/open-platform.ts';
import { NOTHING_FREEZES, type Platform } from '../harness/platform.ts';
import { PACE_SLACK_MS } from '../harness/settings.ts';
import { TIMEOUTS } from '../harness/timeouts.ts';

const COUNT = 100;
/** A request is timed when all of it is there: a little later than it was sent, and not always equally so. */
const JITTER_MS = 25;

describe(`${COUNT} messages for Slack`, () => {
	let platform: Platform;
	beforeAll(async () => {
		platform = await openPlatform({ apps: ['notification'] });
	});

	it('arrive once each, at the pace', async () => {
		const names = Array.from({ length: COUNT }, (_, i) => `nr-message-${i}`);
		await Promise.all(names.map((name) => create(name, ['slack'])));
		await eventually(
			() => list(platform, 'notificationrequests'),
			(all) => expect(all.filter(({ status }) => status?.phase === 'Sent')).toHaveLength(COUNT),
			TIMEOUTS.allMessagesMs,
		);
		const { slack } = await platform.receivers.received();
		expect(slack.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
		const times = slack.map(({ at }) => at).toSorted((a, b) => a - b);
		const pauses = times.slice(1).map((at, i) => at - (times[i] ?? 0));
		expect(Math.min(...pauses)).toBeGreaterThanOrEqual(PACE_SLACK_MS - JITTER_MS);
		const senders = new Set(
			(await list(platform, 'notificationrequests')).map(
				({ status }) => (status.deliveries[0].claimedBy as string | undefined)?.replace(/_.*/, '') ?? '',
			),
		);
		expect(senders.size).toBeGreaterThan(1);
	});

	it('whose lock another holds wait, and the failure is counted', async () => {
		if (!platform.freezes) return console.info(`Left out: ${NOTHING_FREEZES}.`);
		const before = await failures();
		const replicas = await platform.replicas('notification');
		expect(replicas).toHaveLength(3);
		// All stand still while a Lease of another holder is put in the way of a new message.
		for (const replica of replicas) await replica.freeze();
		const { metadata } = await create('nr-held', ['webhook']);
		const name = `notification-delivery-${hashOf(`${metadata.uid}-webhook`)}`;
		await platform.api.call('POST', leasesPath(platform), {
			body: {
				apiVersion: 'coordination.k8s.io/v1',
				kind: 'Lease',
				metadata: { name, labels: { 'kubernaut.ai/lock': 'notification' } },
				spec: { holderIdentity: 'another_pod', leaseDurationSeconds: 30 },
			},
		});
		for (const replica of replicas) await replica.thaw();
		await eventually(failures, (count) => expect(count).toBeGreaterThan(before));
		const path = `${objectsPath(platform, 'notificationrequests')}/nr-held`;
		expect((await platform.api.call('GET', path))['status']?.deliveries ?? []).toEqual([]);
		await platform.api.send('DELETE', `${leasesPath(platform)}/${name}`);
		await eventually(
			() => platform.api.call('GET', path),
			({ status }) => expect(status.phase).toBe('Sent'),
		);
	});

	async function failures(): Promise<number> {
		const texts = await Promise.all((await platform.replicas('notification')).map((replica) => replica.metrics()));
		return texts.reduce((sum, text) => sum + sumOf(text, 'notification_lock_acquisition_failures_total'), 0);
	}

	function create(name: string, channels: readonly string[]): Promise<KubeObject> {
		return platform.api.call('POST', objectsPath(platform, 'notificationrequests'), {
			body: {
				apiVersion: 'kubernaut.ai/v1alpha1',
				kind: 'NotificationRequest',
				metadata: { name },
				spec: { type: 'Escalation', subject: `Remediation failed: ${name}`, body: `This is ${name}.`, channels },
			},
		});
	}
});

/** As the app names its Leases: the beginning of the key's sha256. */
function hashOf(key: string): string {
	return createHash('sha256').update(key).digest('hex').slice(0, 32);
}
