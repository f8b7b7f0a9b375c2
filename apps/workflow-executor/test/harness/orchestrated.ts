// The orchestrator beside the executors: requests come in, and executions are made for them as in a cluster.
import { createHash, randomBytes } from 'node:crypto';
import { type KubeApi, type KubeObject, MERGE_PATCH } from '@kubernaut/control-plane';
import { type AppProcess, appKubeconfig, startApp } from '@kubernaut/testkit';
import { expect, inject } from 'vitest';
import type { WorkflowExecution } from '../../src/generated/workflow-execution.ts';
import { eventually } from './eventually.ts';
import { START_LIMIT_MS, type World } from './world.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

export class Orchestrated {
	readonly #world: World;
	readonly #api: KubeApi;
	readonly #path: string;

	constructor(world: World) {
		this.#world = world;
		this.#api = world.api;
		this.#path = `/apis/kubernaut.ai/v1alpha1/namespaces/${world.namespace}`;
	}

	async start(podName: string): Promise<AppProcess> {
		const { namespace } = this.#world;
		const kubeconfig = await appKubeconfig(this.#api, 'orchestrator', namespace, inject('controlPlane').kubeconfigPath);
		const running = await startApp('orchestrator', { kubeconfig, namespace, podName });
		this.#world.processes.push(running);
		await running.waitUntilReady(START_LIMIT_MS);
		return running;
	}

	/** Signals of this name are answered with the Pipeline of the same name. */
	async createWorkflow(name: string, cooldown = '0s'): Promise<void> {
		const spec = { match: { signalNames: [name] }, pipelineRef: { name }, cooldown };
		const body = { apiVersion: 'kubernaut.ai/v1alpha1', kind: 'RemediationWorkflow', metadata: { name }, spec };
		await this.#api.call('POST', `${this.#path}/remediationworkflows`, { body });
	}

	/** As the gateway makes it. */
	async createRequest(signalName: string, target: string): Promise<KubeObject> {
		const signalFingerprint = sha256(randomBytes(16).toString('hex'));
		const [name = '', kind = '', namespace = ''] = target.split('/').toReversed();
		const time = new Date().toISOString();
		const spec = {
			signalFingerprint,
			signalName,
			severity: 'critical',
			signalType: 'alert',
			signalSource: 'alertmanager',
			targetResource: { kind, name, namespace },
			firingTime: time,
			receivedTime: time,
			signalLabels: {},
			signalAnnotations: {},
			chain: 0,
		};
		const metadata = { name: `rr-${signalFingerprint.slice(0, 12)}-${sha256(signalFingerprint).slice(0, 16)}` };
		const body = { apiVersion: 'kubernaut.ai/v1alpha1', kind: 'RemediationRequest', metadata, spec };
		return this.#api.call('POST', `${this.#path}/remediationrequests`, { body });
	}

	async untilPhase(request: KubeObject, phase: string): Promise<KubeObject> {
		return eventually(
			() => this.#api.call('GET', `${this.#path}/remediationrequests/${request['metadata'].name}`),
			({ status }) => expect(status?.overallPhase, JSON.stringify(status)).toBe(phase),
		);
	}

	/** As kubectl does by default. */
	async deleteRequest({ metadata }: KubeObject): Promise<void> {
		const body = { propagationPolicy: 'Background' };
		await this.#api.call('DELETE', `${this.#path}/remediationrequests/${metadata.name}`, { body });
	}

	async executionOf({ metadata }: KubeObject): Promise<WorkflowExecution> {
		const found = await eventually(
			async () => (await this.#world.executions()).find(({ spec }) => spec.remediationRequestRef.uid === metadata.uid),
			(execution) => expect(execution).toBeDefined(),
		);
		return found as WorkflowExecution;
	}

	/** The orchestrator's first write of a new link, after which it stops. Answers the name of the link. */
	async announceSuccessor({ metadata, spec }: WorkflowExecution): Promise<string> {
		const target = spec.targetResource;
		const name = `we-${sha256(target).slice(0, 12)}-${sha256(target + metadata.uid).slice(0, 16)}`;
		const body = { status: { successor: { name } } };
		const path = `${this.#path}/workflowexecutions/${metadata.name}/status`;
		await this.#api.call('PATCH', path, { body, contentType: MERGE_PATCH });
		return name;
	}
}
