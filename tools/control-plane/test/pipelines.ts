// Pipelines of one task for tests, as the workflow-executor makes them: a run is created pending and started by a patch.
import { setTimeout as delay } from 'node:timers/promises';
import { KubeApi, type KubeObject, type PodPlay, podAnnotations } from '../src/index.ts';

const JSON_PATCH = 'application/json-patch+json';
const POLL_MS = 50;
const LIMIT_MS = 60_000; // only for what hangs

export type TestTask = { play?: PodPlay; steps?: string[]; sidecars?: string[]; timeout?: string };

export class Pipelines {
	readonly #api: KubeApi;
	readonly #namespace: string;
	constructor(api: KubeApi, namespace: string) {
		this.#api = api;
		this.#namespace = namespace;
	}

	path(kind: string, name = ''): string {
		const base = kind === 'pods' ? '/api/v1' : '/apis/tekton.dev/v1';
		return `${base}/namespaces/${this.#namespace}/${kind}${name && `/${name}`}`;
	}

	/** A Pipeline with one Task, and a pending run of it. */
	async createPending(name: string, { play = {}, steps = ['repair'], sidecars = [], timeout }: TestTask = {}) {
		const containers = (names: string[]) => names.map((each) => ({ name: each, image: 'played', command: ['true'] }));
		const task = {
			apiVersion: 'tekton.dev/v1',
			kind: 'Task',
			metadata: { name, annotations: podAnnotations(play) },
			spec: { steps: containers(steps), sidecars: containers(sidecars) },
		};
		const pipeline = {
			apiVersion: 'tekton.dev/v1',
			kind: 'Pipeline',
			metadata: { name },
			spec: { tasks: [{ name: 'only', taskRef: { name } }] },
		};
		await this.#api.call('POST', this.path('tasks'), { body: task });
		await this.#api.call('POST', this.path('pipelines'), { body: pipeline });
		return this.#api.call('POST', this.path('pipelineruns'), { body: pendingRun(name, timeout) });
	}

	/** The start that the workflow-executor uses: it fails when the run is another one, or not pending any more. */
	start({ metadata }: KubeObject) {
		return this.#api.send('PATCH', this.path('pipelineruns', metadata.name), {
			contentType: JSON_PATCH,
			body: [
				{ op: 'test', path: '/metadata/uid', value: metadata.uid },
				{ op: 'test', path: '/spec/status', value: 'PipelineRunPending' },
				{ op: 'remove', path: '/spec/status' },
			],
		});
	}

	async run(name: string, task: TestTask = {}): Promise<KubeObject> {
		const run = await this.createPending(name, task);
		const started = await this.start(run);
		if (started.status !== 200) throw new Error(JSON.stringify(started.body));
		return run;
	}

	cancel(name: string) {
		const body = [{ op: 'add', path: '/spec/status', value: 'Cancelled' }];
		return this.#api.call('PATCH', this.path('pipelineruns', name), { contentType: JSON_PATCH, body });
	}

	/** The reason of its condition Succeeded, once that is no longer Unknown. */
	async outcomeOf(name: string): Promise<string> {
		const { status } = await this.until(async () => {
			const run = await this.#api.call('GET', this.path('pipelineruns', name));
			const [condition] = run['status']?.conditions ?? [];
			return condition && condition.status !== 'Unknown' ? run : undefined;
		});
		return status.conditions[0].reason as string;
	}

	async childrenOf(kind: 'taskruns' | 'pods', { metadata }: KubeObject): Promise<KubeObject[]> {
		const selector = encodeURIComponent(`tekton.dev/pipelineRunUID=${metadata.uid}`);
		const { items } = await this.#api.call('GET', `${this.path(kind)}?labelSelector=${selector}`);
		return items as KubeObject[];
	}

	/** And its run knows of it: Tekton cancels only TaskRuns that stand in the status of the run. */
	async runningPod(run: KubeObject): Promise<KubeObject> {
		await this.until(async () => {
			const { status } = await this.#api.call('GET', this.path('pipelineruns', run['metadata'].name));
			return status?.childReferences as unknown;
		});
		return this.until(async () =>
			(await this.childrenOf('pods', run)).find(({ status }) => status.phase === 'Running'),
		);
	}

	async until<T>(look: () => Promise<T | undefined>): Promise<T> {
		const deadline = performance.now() + LIMIT_MS;
		for (;;) {
			const seen = await look();
			if (seen !== undefined) return seen;
			if (performance.now() > deadline) throw new Error('it did not happen in time');
			await delay(POLL_MS);
		}
	}
}

export function pendingRun(name: string, timeout?: string): KubeObject {
	return {
		apiVersion: 'tekton.dev/v1',
		kind: 'PipelineRun',
		metadata: { name },
		spec: {
			pipelineRef: { name },
			status: 'PipelineRunPending',
			...(timeout && { timeouts: { pipeline: timeout } }),
		},
	};
}
