// The replicas of the apps as pods: read, scaled, restarted and killed through the API server; frozen in the node.
import { type KubeApi, type KubeObject, MERGE_PATCH } from '@kubernaut/control-plane';
import type { NodeShell } from '@kubernaut/kind/node-shell';
import type { AppName } from '@kubernaut/testkit';
import { expect } from 'vitest';
import { eventually } from '../eventually.ts';
import { NOTHING_FREEZES, type Replica } from '../platform.ts';
import { PORTS } from '../settings.ts';
import { TIMEOUTS } from '../timeouts.ts';

export class PodReplicas {
	readonly #api: KubeApi;
	readonly #namespace: string;
	readonly #shell: NodeShell | undefined;
	readonly #processes = new Map<string, number[]>();

	constructor(api: KubeApi, namespace: string, shell: NodeShell | undefined) {
		this.#api = api;
		this.#namespace = namespace;
		this.#shell = shell;
	}

	/** Those that are not leaving. */
	async replicas(app: AppName): Promise<Replica[]> {
		const pods = (await this.#pods(app)).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
		await this.#findProcesses(pods.filter((pod) => !this.#processes.has(incarnation(pod))));
		return pods.map((pod) => this.#replica(app, pod, this.#processes.get(incarnation(pod)) ?? []));
	}

	async scale(app: AppName, replicas: number): Promise<void> {
		const body = { spec: { replicas } };
		await this.#api.call('PATCH', `${this.#deployment(app)}/scale`, { body, contentType: MERGE_PATCH });
		await this.#settled(app);
	}

	/** After a new template was applied: when all are of it, and ready. */
	async updated(app: AppName): Promise<void> {
		await this.#settled(app);
	}

	/** Of the Deployment. */
	async image(app: AppName): Promise<string> {
		return (await this.#api.call('GET', this.#deployment(app)))['spec'].template.spec.containers[0].image as string;
	}

	async restart(app: AppName): Promise<void> {
		const annotations = { 'kubectl.kubernetes.io/restartedAt': new Date().toISOString() };
		const body = { spec: { template: { metadata: { annotations } } } };
		await this.#api.call('PATCH', this.#deployment(app), { body, contentType: MERGE_PATCH });
		await this.#settled(app);
	}

	/** As many as wanted, of the newest template, ready, and no others. */
	async #settled(app: AppName): Promise<void> {
		await eventually(
			async () => ({ deployment: await this.#api.call('GET', this.#deployment(app)), pods: await this.#pods(app) }),
			({ deployment: { metadata, spec, status }, pods }) => {
				expect(status.observedGeneration).toBe(metadata.generation);
				const { updatedReplicas = 0, readyReplicas = 0 } = status;
				expect([updatedReplicas, readyReplicas, pods.length], app).toEqual(Array(3).fill(spec.replicas));
			},
			TIMEOUTS.allReplicasReadyMs,
		);
	}

	#replica(app: AppName, pod: KubeObject, processes: readonly number[]): Replica {
		const { name } = pod['metadata'] as { name: string };
		const path = `/api/v1/namespaces/${this.#namespace}/pods/${name}`;
		const metrics = `/api/v1/namespaces/${this.#namespace}/pods/${name}:${PORTS.metrics}/proxy/metrics`;
		const signal = async (which: 'STOP' | 'CONT') => {
			if (this.#shell === undefined) throw new Error(NOTHING_FREEZES);
			if (processes.length === 0) throw new Error(`no process of ${name} was found on the node`);
			await this.#shell.run(`kill -${which} ${processes.join(' ')}`);
		};
		return {
			app,
			name,
			isReady: async () => {
				const { body } = await this.#api.send('GET', path);
				const conditions = (body['status']?.conditions ?? []) as { type: string; status: string }[];
				return conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
			},
			readiness: async () => {
				const { status, body } = await this.#api.send('GET', `${path}:${PORTS.health}/proxy/readyz`);
				return { status, text: JSON.stringify(body) };
			},
			kill: async () => {
				await this.#api.send('DELETE', `${path}?gracePeriodSeconds=0`);
				await this.#settled(app);
			},
			freeze: () => signal('STOP'),
			thaw: () => signal('CONT'),
			metrics: async () => String((await this.#api.send('GET', metrics)).body['message']),
			log: async () => String((await this.#api.send('GET', `${path}/log`)).body['message']).split('\n'),
			scrape: { scheme: 'https', address: new URL(this.#api.server).host, path: metrics },
		};
	}

	/** Its processes on the node, without the one that holds the pod's namespaces. Before they are wanted: a holder is caught in ms. */
	async #findProcesses(pods: readonly KubeObject[]): Promise<void> {
		if (this.#shell === undefined || pods.length === 0) return;
		const found = new Map<string, number[]>();
		const uids = pods.map(({ metadata }) => metadata.uid as string);
		const pattern = uids.map((uid) => uid.replaceAll('-', '[-_]')).join('\\|');
		const command = `for f in $(grep -ls '${pattern}' /proc/[0-9]*/cgroup); do d=\${f%/cgroup}; echo "$(cat $d/comm) \${d#/proc/} $(grep -o '${pattern}' $f | head -1)"; done`;
		for (const line of (await this.#shell.run(command)).split('\n')) {
			const [comm, pid, uid] = line.trim().split(' ');
			if (comm === undefined || uid === undefined || comm === 'pause') continue;
			const key = uid.replaceAll('_', '-');
			found.set(key, [...(found.get(key) ?? []), Number(pid)]);
		}
		for (const pod of pods) {
			const processes = found.get(pod['metadata'].uid as string);
			if (processes !== undefined) this.#processes.set(incarnation(pod), processes);
		}
	}

	async #pods(app: AppName): Promise<KubeObject[]> {
		const selector = encodeURIComponent(`app.kubernetes.io/name=${app}`);
		const path = `/api/v1/namespaces/${this.#namespace}/pods?labelSelector=${selector}`;
		return (await this.#api.call('GET', path))['items'] as KubeObject[];
	}

	#deployment(app: AppName): string {
		return `/apis/apps/v1/namespaces/${this.#namespace}/deployments/${app}`;
	}
}

/** Of a pod whose container has the same process all the time. */
function incarnation({ metadata, status }: KubeObject): string {
	return `${metadata.uid} ${status?.containerStatuses?.[0]?.restartCount ?? ''}`;
}
