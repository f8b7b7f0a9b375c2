// Pipelines of one task for tests on real Tekton, whose pods KWOK plays; and what Tekton has made of a run.
import { type KubeObject, type PodPlay, podAnnotations } from '@kubernaut/control-plane';
import { expect } from 'vitest';
import { runName } from '../../src/objects/run-engine.ts';
import { eventually } from './eventually.ts';
import type { World } from './world.ts';

export type TestTask = {
	readonly play?: PodPlay;
	readonly steps?: readonly string[];
	readonly sidecars?: readonly string[];
	/** Of every step, beside what all have. */
	readonly step?: object;
	/** Of the task in the pipeline, and of the pipeline itself. */
	readonly task?: object;
	readonly pipeline?: object;
};

export class Pipelines {
	readonly #world: World;
	constructor(world: World) {
		this.#world = world;
	}

	/** The ServiceAccount that runs use, and the one without which no pod is admitted. */
	async prepare(): Promise<void> {
		const { api, workflows } = this.#world;
		const accounts = `/api/v1/namespaces/${workflows}/serviceaccounts`;
		await api.call('POST', accounts, { body: { metadata: { name: 'kubernaut-workflow' } } });
		await eventually(
			() => api.send('GET', `${accounts}/default`),
			({ status }) => expect(status).toBe(200),
		);
	}

	/** A Pipeline with one task. */
	async create(
		name: string,
		{ play = {}, steps = ['repair'], sidecars = [], step, task, pipeline }: TestTask = {},
	): Promise<void> {
		const containers = (names: readonly string[], more?: object) =>
			names.map((each) => ({ name: each, image: 'played', command: ['true'], ...more }));
		const taskSpec = {
			metadata: { annotations: podAnnotations(play) },
			steps: containers(steps, step),
			sidecars: containers(sidecars),
		};
		const only = { name: 'only', ...(task !== undefined && 'taskRef' in task ? {} : { taskSpec }), ...task };
		await this.#world.api.call('POST', this.#path('pipelines'), {
			body: { apiVersion: 'tekton.dev/v1', kind: 'Pipeline', metadata: { name }, spec: { tasks: [only], ...pipeline } },
		});
	}

	async partsOf(kind: 'taskruns' | 'pods', uid: string): Promise<KubeObject[]> {
		const selector = encodeURIComponent(`tekton.dev/pipelineRunUID=${uid}`);
		return (await this.#world.api.call('GET', `${this.#path(kind)}?labelSelector=${selector}`))[
			'items'
		] as KubeObject[];
	}

	async all(kind: 'pipelineruns' | 'taskruns' | 'pods'): Promise<KubeObject[]> {
		return (await this.#world.api.call('GET', this.#path(kind)))['items'] as KubeObject[];
	}

	/** The uid of the run, when a step of it runs and its TaskRun says so: one that is cancelled before leaves its pod. */
	async untilPodRuns(target: string): Promise<string> {
		const run = await this.#world.untilRun(target, (found) => expect(found).toBeDefined());
		const { uid } = run?.['metadata'] ?? {};
		await eventually(
			() => this.partsOf('pods', uid),
			(pods) =>
				expect(
					pods.map(({ status }) => status.phase),
					runName(target),
				).toEqual(['Running']),
		);
		await eventually(
			() => this.partsOf('taskruns', uid),
			(tasks) => expect(tasks.map(({ status }) => typeof status?.podName)).toEqual(['string']),
		);
		return uid as string;
	}

	/** A quota that admits no run any more. Answers with what takes it away. */
	async forbidRuns(): Promise<() => Promise<unknown>> {
		const { api, workflows, runsPath } = this.#world;
		const quotas = `/api/v1/namespaces/${workflows}/resourcequotas`;
		await api.call('POST', quotas, {
			body: { metadata: { name: 'no-runs' }, spec: { hard: { 'count/pipelineruns.tekton.dev': '0' } } },
		});
		// Its use is counted first, and the admission hears of that by a watch.
		const run = { metadata: { generateName: 'no-run-' }, spec: { pipelineRef: { name: 'restart' } } };
		await eventually(
			() =>
				api.send('POST', `${runsPath}?dryRun=All`, {
					body: { apiVersion: 'tekton.dev/v1', kind: 'PipelineRun', ...run },
				}),
			({ body }) => expect(body['message']).toContain('exceeded quota'),
		);
		return () => api.call('DELETE', `${quotas}/no-runs`);
	}

	/** As a person does it. */
	async cancel(target: string): Promise<void> {
		await this.#world.api.call('PATCH', `${this.#path('pipelineruns')}/${runName(target)}`, {
			body: [{ op: 'add', path: '/spec/status', value: 'Cancelled' }],
			contentType: 'application/json-patch+json',
		});
	}

	/** As Tekton does it. */
	async writeStatus(target: string, status: object): Promise<void> {
		await this.#world.api.call('PATCH', `${this.#path('pipelineruns')}/${runName(target)}/status`, {
			body: { status },
			contentType: 'application/merge-patch+json',
		});
	}

	#path(kind: string): string {
		return `${kind === 'pods' ? '/api/v1' : '/apis/tekton.dev/v1'}/namespaces/${this.#world.workflows}/${kind}`;
	}
}
