// A namespace with real notification processes in it, and what becomes of the messages there.
import { randomBytes } from 'node:crypto';
import type { KubeApi, KubeObject } from '@kubernaut/control-plane';
import { type AppProcess, adminApi, appKubeconfig, atTheEnd, createNamespace, startApp } from '@kubernaut/testkit';
import { expect, inject } from 'vitest';
import type {
	NewNotificationRequest,
	NewNotificationRequestSpec,
	NotificationRequest,
} from '../../src/generated/notification-request.ts';
import { eventually } from './eventually.ts';

export type Env = Readonly<Record<string, string>>;

const START_LIMIT_MS = 120_000;
/** A call that takes long on a busy machine is still a call. */
const PATIENT_CALLS = { KUBERNETES_REQUEST_TIMEOUT: '9s' } as const;

export class World {
	readonly api: KubeApi;
	readonly namespace: string;
	readonly kubeconfig: string;
	readonly processes: AppProcess[] = [];
	readonly #env: Env;

	constructor(api: KubeApi, namespace: string, kubeconfig: string, env: Env) {
		this.api = api;
		this.namespace = namespace;
		this.kubeconfig = kubeconfig;
		this.#env = env;
	}

	get path(): string {
		return `/apis/kubernaut.ai/v1alpha1/namespaces/${this.namespace}/notificationrequests`;
	}
	get leasesPath(): string {
		return `/apis/coordination.k8s.io/v1/namespaces/${this.namespace}/leases`;
	}

	async start(podName: string, env: Env = {}): Promise<AppProcess> {
		const running = await startApp('notification', {
			kubeconfig: env['KUBECONFIG'] ?? this.kubeconfig,
			namespace: this.namespace,
			podName,
			env: { ...this.#env, ...env },
		});
		this.processes.push(running);
		await running.waitUntilReady(START_LIMIT_MS);
		return running;
	}

	async stop(): Promise<void> {
		for (const { signal } of this.processes) signal('SIGCONT');
		await Promise.all(this.processes.map((running) => running.stop()));
	}

	async create(
		spec: Partial<NewNotificationRequestSpec> = {},
		name = `nr-${randomBytes(6).toString('hex')}`,
	): Promise<NotificationRequest> {
		const body: NewNotificationRequest = {
			apiVersion: 'kubernaut.ai/v1alpha1',
			kind: 'NotificationRequest',
			metadata: { name },
			spec: { type: 'Escalation', subject: `Remediation failed: ${name}`, body: `This is ${name}.`, ...spec },
		};
		return (await this.api.call('POST', this.path, { body })) as unknown as NotificationRequest;
	}

	async get(name: string): Promise<NotificationRequest | undefined> {
		const { status, body } = await this.api.send('GET', `${this.path}/${name}`);
		return status === 404 ? undefined : (body as unknown as NotificationRequest);
	}

	async all(): Promise<NotificationRequest[]> {
		return (await this.api.call('GET', this.path))['items'] as NotificationRequest[];
	}

	/** Waits until it is in the phase. */
	async until({ metadata }: Pick<NotificationRequest, 'metadata'>, phase: string): Promise<NotificationRequest> {
		const found = await eventually(
			() => this.get(metadata.name),
			(nr) => expect(nr?.status?.phase, JSON.stringify(nr?.status)).toBe(phase),
		);
		return found as NotificationRequest;
	}

	async untilAll(phase: string, count: number): Promise<NotificationRequest[]> {
		return eventually(
			() => this.all(),
			(all) => {
				const others = all.filter(({ status }) => status?.phase !== phase);
				expect(others.map(({ metadata, status }) => [metadata.name, status?.phase, status?.deliveries])).toEqual([]);
				expect(all.length).toBe(count);
			},
		);
	}

	async leases(): Promise<KubeObject[]> {
		return (await this.api.call('GET', this.leasesPath))['items'] as KubeObject[];
	}

	/** Recorded beside the status, so they may come a moment after it: waited for until these are among them. */
	async eventsWith(name: string, ...reasons: readonly string[]): Promise<string[]> {
		return eventually(
			() => this.events(name),
			(found) => expect(found).toEqual(expect.arrayContaining([...reasons])),
		);
	}

	async events(name: string): Promise<string[]> {
		const path = `/api/v1/namespaces/${this.namespace}/events?fieldSelector=involvedObject.name%3D${name}`;
		return ((await this.api.call('GET', path))['items'] as KubeObject[]).map((event) => String(event['reason']));
	}
}

/** The value of a series; undefined when it is not there. */
export async function metric({ metricsUrl }: AppProcess, series: string): Promise<number | undefined> {
	const text = await (await fetch(metricsUrl)).text();
	const line = text.split('\n').find((one) => one.startsWith(`${series} `));
	return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

export async function openWorld(prefix: string, env: Env = {}): Promise<World> {
	const api = adminApi();
	const namespace = await createNamespace(api, prefix);
	const kubeconfig = await appKubeconfig(api, 'notification', namespace, inject('controlPlane').kubeconfigPath);
	const world = new World(api, namespace, kubeconfig, { ...PATIENT_CALLS, ...env });
	atTheEnd(() => world.stop());
	return world;
}
