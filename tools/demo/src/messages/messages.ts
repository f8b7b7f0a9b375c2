// From notifications to messages: three notification services, and receivers on loopback that record what arrives.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { REPLICAS } from '@kubernaut/bench/arena';
import type { KubeObject } from '@kubernaut/control-plane';
import { type ReceiverSet, startReceiverSet } from '@kubernaut/receivers';
import { startApp } from '@kubernaut/testkit/app-process';
import { appKubeconfig } from '@kubernaut/testkit/service-account';
import { counted } from '../remediation-report.ts';
import type { Scene } from '../remediations.ts';
import { serverTable } from '../server-table.ts';
import { type Arrived, arrivalTable, brokenMessagePromises, type Requested, shortestGap } from './message-report.ts';

const READY_MS = 60_000;
/** Slack gets one message a second. */
const PATIENCE_MS = 90_000;
const POLL_MS = 200;
const TERMINAL = new Set(['Sent', 'PartiallySent', 'Failed']);
const SHOWN_COLUMNS = ['Phase', 'Type', 'Priority', 'Attempts', 'Name'];
const ROUTING = 'rules:\n  - channels: [slack, email, webhook]\n';

/** Empty when each notification arrived once at each receiver. */
export async function playMessages(scene: Scene): Promise<string[]> {
	const { screen, arena, gateways } = scene;
	const path = `/apis/kubernaut.ai/v1alpha1/namespaces/${gateways.namespace}/notificationrequests`;
	screen.headline(
		`9. From notifications to messages: ${REPLICAS} notification services, and a Slack, a mail server and a webhook on loopback`,
	);
	const receivers = await screen.step(
		'Starting receivers and notification services',
		() => start(scene),
		() => `ready: ${REPLICAS} × notification, locking on; every message goes to slack, email and webhook`,
	);
	const requested = await screen.step(
		'Delivering, at most one message a second to Slack',
		() => untilFinished(scene, path),
		(all) => `${counted(all.length, 'notification')} finished`,
	);
	const arrived = arrivedAt(receivers);
	const gap = shortestGap(receivers.slack.received.map(({ at }) => at));
	screen.print('', ...arrivalTable(requested, arrived), '');
	screen.aside(
		`Counted by the receivers: ${Object.entries(arrived)
			.map(([receiver, names]) => `${names.length} at ${receiver}`)
			.join(
				', ',
			)}.${gap === undefined ? '' : ` Slack's clock saw ${(gap / 1000).toFixed(2)} s between messages at least.`}`,
	);
	screen.print('', ...(await serverTable(arena.api, path, SHOWN_COLUMNS)), '');
	return brokenMessagePromises(requested, arrived);
}

async function start({ arena, controlPlane, gateways, cleanUp }: Scene): Promise<ReceiverSet> {
	const { namespace } = gateways;
	const directory = mkdtempSync(join(tmpdir(), 'kubernaut-demo-'));
	cleanUp.add(async () => rmSync(directory, { recursive: true, force: true }));
	const receivers = await cleanUp.starting(startReceiverSet(directory), (it) => it.close());
	const routingFile = join(directory, 'routing.yaml');
	writeFileSync(routingFile, ROUTING);
	const kubeconfig = await appKubeconfig(arena.api, 'notification', namespace, controlPlane.kubeconfigPath);
	const env = { ...receivers.environment, ROUTING_FILE: routingFile, USE_DISTRIBUTED_LOCKING: 'true' };
	await Promise.all(
		Array.from({ length: REPLICAS }, async (_, i) => {
			const app = startApp('notification', { kubeconfig, namespace, podName: `notification-${i}`, env });
			const running = await cleanUp.starting(app, (it) => it.stop());
			await running.waitUntilReady(READY_MS);
		}),
	);
	return receivers;
}

async function untilFinished({ arena, cleanUp }: Scene, path: string): Promise<Requested[]> {
	const givenUpAt = performance.now() + PATIENCE_MS;
	for (;;) {
		const { items } = await arena.api.call('GET', path);
		const requested = (items as KubeObject[]).map(({ metadata, spec, status }) => ({
			name: metadata.name as string,
			subject: spec.subject as string,
			phase: (status?.phase as string | undefined) ?? 'Pending',
		}));
		if (requested.every(({ phase }) => TERMINAL.has(phase)) || performance.now() > givenUpAt) return requested;
		await delay(POLL_MS, undefined, { signal: cleanUp.signal });
	}
}

function arrivedAt({ slack, mail, webhook }: ReceiverSet): Arrived {
	return {
		slack: slack.received.map(({ body }) => nameAfterSlash(JSON.parse(body).blocks.at(-1).elements[0].text)),
		mail: mail.received.map(({ text }) => nameAfterSlash(/^Notification: (\S+)$/m.exec(text)?.[1] ?? '')),
		webhook: webhook.received.map(({ body }) => JSON.parse(body).data.name as string),
	};
}

function nameAfterSlash(text: string): string {
	return text.slice(text.indexOf('/') + 1);
}
