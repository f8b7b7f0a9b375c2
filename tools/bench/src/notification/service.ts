// Notification services in a namespace of their own, with receivers on loopback, and one notification after the other.
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubeApi } from '@kubernaut/control-plane';
import { type ReceiverSet, startReceiverSet } from '@kubernaut/receivers';
import { type AppProcess, startApp } from '@kubernaut/testkit/app-process';
import { applyObject } from '@kubernaut/testkit/apply';
import { appKubeconfig } from '@kubernaut/testkit/service-account';

const USER_AGENT = 'kubernaut-notification';

export type Service = {
	readonly namespace: string;
	readonly userAgent: string;
	readonly receivers: ReceiverSet;
	readonly replicas: readonly AppProcess[];
	start(replicas: number): Promise<void>;
	/** What the channel file wrote, one text a file. */
	files(): string[];
	/** Sum of a counter over all replicas; `labels` as Prometheus writes them. */
	sum(series: RegExp): Promise<number>;
	/** The largest replica's, in MB. */
	residentMb(): Promise<number>;
	stop(): Promise<void>;
};

export async function openService(
	api: KubeApi,
	namespace: string,
	adminKubeconfig: string,
	env: Readonly<Record<string, string>>,
): Promise<Service> {
	await applyObject(api, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
	const kubeconfig = await appKubeconfig(api, 'notification', namespace, adminKubeconfig);
	const directory = mkdtempSync(join(tmpdir(), 'kubernaut-bench-'));
	const files = join(directory, 'messages');
	mkdirSync(files);
	const receivers = await startReceiverSet(directory);
	let running: AppProcess[] = [];
	const metrics = () => Promise.all(running.map(async ({ metricsUrl }) => (await fetch(metricsUrl)).text()));
	const valuesOf = (text: string, series: RegExp) =>
		text
			.split('\n')
			.filter((line) => series.test(line))
			.map((line) => Number(line.slice(line.lastIndexOf(' ') + 1)));
	return {
		namespace,
		userAgent: USER_AGENT,
		receivers,
		get replicas() {
			return running;
		},
		async start(replicas) {
			const starting = Array.from({ length: replicas }, (_, i) =>
				startApp('notification', {
					kubeconfig,
					namespace,
					podName: `${namespace}-${i}`,
					env: { ...receivers.environment, FILE_DIRECTORY: files, ...env },
				}),
			);
			running = await Promise.all(starting);
			for (const replica of running) await replica.waitUntilReady(60_000);
		},
		files: () => readdirSync(files).map((name) => readFileSync(join(files, name), 'utf8')),
		sum: async (series) =>
			(await metrics()).flatMap((text) => valuesOf(text, series)).reduce((sum, value) => sum + value, 0),
		residentMb: async () =>
			Math.max(...(await metrics()).flatMap((text) => valuesOf(text, /^process_resident_memory_bytes /))) / 1_000_000,
		async stop() {
			await Promise.all(running.map((replica) => replica.stop()));
			running = [];
			await receivers.close();
			rmSync(directory, { recursive: true, force: true });
		},
	};
}

export function notificationsPath(namespace: string): string {
	return `/apis/kubernaut.ai/v1alpha1/namespaces/${namespace}/notificationrequests`;
}

/** Its name. */
export async function createNotification(
	api: KubeApi,
	namespace: string,
	channels: readonly string[],
): Promise<string> {
	const name = `nr-${randomBytes(6).toString('hex')}`;
	await api.call('POST', notificationsPath(namespace), {
		body: {
			apiVersion: 'kubernaut.ai/v1alpha1',
			kind: 'NotificationRequest',
			metadata: { name },
			spec: {
				type: 'Escalation',
				priority: 'High',
				subject: `Remediation failed: ${name}`,
				body: `This is ${name}.`,
				channels: [...channels],
			},
		},
	});
	return name;
}

/** One that was delivered, as it is stored until its retention. */
export async function storeFinished(api: KubeApi, namespace: string): Promise<void> {
	const name = await createNotification(api, namespace, ['log']);
	const now = new Date().toISOString();
	await api.call('PATCH', `${notificationsPath(namespace)}/${name}/status`, {
		body: {
			status: {
				phase: 'Sent',
				completedAt: now,
				channels: ['log'],
				deliveries: [{ channel: 'log', state: 'Delivered', attempt: 1, at: now }],
				counters: { attempts: 1, delivered: 1, failed: 0 },
			},
		},
		contentType: 'application/merge-patch+json',
	});
}
