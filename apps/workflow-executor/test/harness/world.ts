// A namespace with real executor processes in it, the namespace of their runs, and what becomes of the objects in both.
import { createHash, randomBytes } from 'node:crypto';
import { type KubeApi, type KubeObject, MERGE_PATCH } from '@kubernaut/control-plane';
import {
	type AppProcess,
	adminApi,
	appKubeconfig,
	atTheEnd,
	createNamespace,
	executionNamespaceOf,
	startApp,
} from '@kubernaut/testkit';
import { expect, inject } from 'vitest';
import type {
	NewWorkflowExecution,
	WorkflowExecution,
	WorkflowExecutionSpec,
} from '../../src/generated/workflow-execution.ts';
import { runName } from '../../src/objects/run-engine.ts';
import { eventually } from './eventually.ts';
import { PlayedTekton } from './played-tekton.ts';
import { RecordedChanges } from './run-history.ts';
import { type Judgement, judgeHistory, storedKinds } from './run-promises.ts';

type Env = Readonly<Record<string, string>>;

export const START_LIMIT_MS = 120_000;
/** A call that takes long on a busy machine is still a call. */
const PATIENT_CALLS = { KUBERNETES_REQUEST_TIMEOUT: '9s' } as const;

export class World {
	readonly api: KubeApi;
	readonly namespace: string;
	readonly workflows: string;
	readonly #played: PlayedTekton | undefined;
	readonly processes: AppProcess[] = [];
	readonly kubeconfig: string;
	readonly #env: Env;
	readonly #recorded: readonly RecordedChanges[];
	#chain = 0;

	/** `admin`: whose watches record the changes of executions and runs; undefined: they are not recorded. */
	constructor(
		api: KubeApi,
		namespace: string,
		kubeconfig: string,
		admin: string | undefined,
		env: Env,
		isPlayed: boolean,
	) {
		this.api = api;
		this.namespace = namespace;
		this.workflows = executionNamespaceOf(namespace);
		this.kubeconfig = kubeconfig;
		this.#env = env;
		this.#played = isPlayed ? new PlayedTekton(api, this.workflows) : undefined;
		const { executions, runs } = storedKinds(namespace, this.workflows);
		this.#recorded =
			admin === undefined
				? []
				: [
						new RecordedChanges(admin, this.executionsPath, executions),
						new RecordedChanges(admin, this.runsPath, runs),
					];
	}

	/** Where it is played. */
	get tekton(): PlayedTekton {
		if (this.#played === undefined) throw new Error('Tekton is real here');
		return this.#played;
	}
	get executionsPath(): string {
		return `/apis/kubernaut.ai/v1alpha1/namespaces/${this.namespace}/workflowexecutions`;
	}
	get runsPath(): string {
		return `/apis/tekton.dev/v1/namespaces/${this.workflows}/pipelineruns`;
	}

	async start(podName: string, env: Env = {}): Promise<AppProcess> {
		const running = await this.launch(podName, env);
		await running.waitUntilReady(START_LIMIT_MS);
		return running;
	}

	/** It may not become ready. */
	async launch(podName: string, env: Env = {}): Promise<AppProcess> {
		const options = {
			kubeconfig: env['KUBECONFIG'] ?? this.kubeconfig,
			namespace: this.namespace,
			podName,
			env: { ...this.#env, ...env },
		};
		const running = await startApp('workflow-executor', options);
		this.processes.push(running);
		return running;
	}

	async startSeveral(count: number): Promise<AppProcess[]> {
		return Promise.all(Array.from({ length: count }, (_, i) => this.start(`executor-${i}`)));
	}

	async stop(): Promise<void> {
		for (const { signal } of this.processes) signal('SIGCONT');
		await Promise.all(this.processes.map((running) => running.stop()));
		await this.#played?.stop();
		for (const recorded of this.#recorded) await recorded.stop();
	}

	/** Of everything until now, where it is recorded. */
	async judge(): Promise<Judgement> {
		for (const recorded of this.#recorded) await recorded.caughtUp();
		const changes = this.#recorded.flatMap((recorded) => recorded.changes);
		const inOrder = changes.toSorted((a, b) => a.revision - b.revision);
		return judgeHistory(inOrder, storedKinds(this.namespace, this.workflows));
	}

	/** How often a run of it was started. */
	async startsOf({ metadata }: WorkflowExecution): Promise<number> {
		return (await this.judge()).starts.get(metadata.uid) ?? 0;
	}

	/** What everything until now breaks of the promises; an execution that was started twice is among it. */
	async brokenPromises(): Promise<string[]> {
		return brokenPromises(await this.judge());
	}

	/** As the orchestrator makes it. */
	async createExecution(target: string, spec: Partial<WorkflowExecutionSpec> = {}): Promise<WorkflowExecution> {
		const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
		const execution: NewWorkflowExecution = {
			apiVersion: 'kubernaut.ai/v1alpha1',
			kind: 'WorkflowExecution',
			metadata: {
				name: `we-${sha256(target).slice(0, 12)}-${randomBytes(8).toString('hex')}`,
				annotations: { 'kubernaut.ai/fencing-token': '1' },
				finalizers: ['kubernaut.ai/pipelinerun-cleanup'],
			},
			spec: {
				remediationRequestRef: { name: 'rr-0123456789ab-0123456789abcdef', uid: randomBytes(8).toString('hex') },
				workflowRef: { name: 'restart', uid: 'uid-of-restart', generation: 1 },
				...('pipelineSpec' in spec ? {} : { pipelineRef: { name: 'restart' } }),
				targetResource: target,
				parameters: {},
				timeout: '10m',
				cooldown: '0s',
				chain: this.#chain++,
				...spec,
			},
		};
		return (await this.api.call('POST', this.executionsPath, { body: execution })) as unknown as WorkflowExecution;
	}

	async execution(name: string): Promise<WorkflowExecution | undefined> {
		const { status, body } = await this.api.send('GET', `${this.executionsPath}/${name}`);
		return status === 404 ? undefined : (body as unknown as WorkflowExecution);
	}

	async executions(): Promise<WorkflowExecution[]> {
		return (await this.api.call('GET', this.executionsPath))['items'] as WorkflowExecution[];
	}

	/** Waits until it is in the phase. */
	async until({ metadata }: WorkflowExecution, phase: string): Promise<WorkflowExecution> {
		const found = await eventually(
			() => this.execution(metadata.name),
			(execution) => expect(execution?.status?.phase, JSON.stringify(execution?.status)).toBe(phase),
		);
		return found as WorkflowExecution;
	}

	async run(target: string): Promise<KubeObject | undefined> {
		const { status, body } = await this.api.send('GET', `${this.runsPath}/${runName(target)}`);
		return status === 404 ? undefined : body;
	}

	async untilRun(target: string, check: (run: KubeObject | undefined) => void): Promise<KubeObject | undefined> {
		return eventually(() => this.run(target), check);
	}

	async untilFree(target: string): Promise<void> {
		await this.untilRun(target, (run) => expect(run, JSON.stringify(run?.['metadata'])).toBeUndefined());
	}

	/** As kubectl does by default. */
	async deleteRun(target: string): Promise<void> {
		await this.api.call('DELETE', `${this.runsPath}/${runName(target)}`, { body: { propagationPolicy: 'Background' } });
	}

	async deleteExecution({ metadata }: WorkflowExecution): Promise<void> {
		await this.api.call('DELETE', `${this.executionsPath}/${metadata.name}`, {
			body: { propagationPolicy: 'Background' },
		});
	}

	async untilGone({ metadata }: WorkflowExecution): Promise<void> {
		await eventually(
			() => this.execution(metadata.name),
			(execution) => expect(execution, JSON.stringify(execution?.status)).toBeUndefined(),
		);
	}

	/** As the orchestrator does it: only if it is still the one that was read. Answers the HTTP status. */
	async withdraw({ metadata }: WorkflowExecution): Promise<number> {
		const { name, uid, resourceVersion } = metadata;
		const skipDetails = { reason: 'Withdrawn', message: 'the request was given up' };
		const body = {
			metadata: { uid, resourceVersion },
			status: { phase: 'Skipped', completionTime: new Date().toISOString(), skipDetails },
		};
		const { status } = await this.api.send('PATCH', `${this.executionsPath}/${name}/status`, {
			body,
			contentType: MERGE_PATCH,
		});
		return status;
	}

	/** An execution of another target that every executor sees, after whatever was there before. */
	async settle(): Promise<void> {
		const marker = await this.createExecution(`marker/Deployment/m-${randomBytes(4).toString('hex')}`, {
			serviceAccountName: 'not-listed',
		});
		await this.until(marker, 'Failed');
	}

	/** Recorded beside the status, so they may come a moment after it: waited for until this one is among them. */
	async untilEvent(name: string, reason: string): Promise<void> {
		await eventually(
			() => this.events(name),
			(reasons) => expect(reasons).toContain(reason),
		);
	}

	async events(name: string): Promise<string[]> {
		const path = `/api/v1/namespaces/${this.namespace}/events?fieldSelector=involvedObject.name%3D${name}`;
		return ((await this.api.call('GET', path))['items'] as KubeObject[]).map((event) => String(event['reason']));
	}
}

export function brokenPromises({ broken, starts }: Judgement): string[] {
	const twice = [...starts].filter(([, times]) => times > 1).map(([uid, times]) => `${uid} was started ${times} times`);
	return [...broken, ...twice];
}

export async function openWorld(
	prefix: string,
	replicas: number,
	{ env = {}, tekton = 'played', recorded = true }: { env?: Env; tekton?: 'played' | 'real'; recorded?: boolean } = {},
): Promise<World> {
	const api = adminApi();
	const namespace = await createNamespace(api, prefix);
	const { kubeconfigPath } = inject('controlPlane');
	const kubeconfig = await appKubeconfig(api, 'workflow-executor', namespace, kubeconfigPath);
	const admin = recorded ? kubeconfigPath : undefined;
	const world = new World(api, namespace, kubeconfig, admin, { ...PATIENT_CALLS, ...env }, tekton === 'played');
	atTheEnd(() => world.stop());
	await world.startSeveral(replicas);
	return world;
}
