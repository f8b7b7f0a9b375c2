// The way out of a cluster, tried: with an execution that runs and one that cools down, first in the order that
// docs/install.md asks for, then with its second command alone and the way out of that.
import { setTimeout as delay } from 'node:timers/promises';
import { KubeApi, type KubeObject } from '@kubernaut/control-plane';
import { runProgram, tryProgram } from '@kubernaut/kind';
import { applyObject } from '@kubernaut/testkit/apply';
import type { ClusterDescription } from '../harness/environment.ts';
import { tokenOfSender } from '../harness/sender-account.ts';
import { webhook } from '../harness/webhook.ts';
import { installPlatform, KUSTOMIZATION } from './install-platform.ts';

const SYSTEM = 'kubernaut-system';
const RUNS = 'kubernaut-workflows';
const WITHOUT_FINALIZERS = '{"metadata":{"finalizers":null}}';
const STUCK_MS = 20_000;
const PATIENCE_MS = 120_000;
const POLL_MS = 500;
/** Of every kind that the platform brings and that is not in a namespace of its own. */
const CLUSTER_KINDS =
	'namespace,crd,clusterrole,clusterrolebinding,flowschema,prioritylevelconfiguration,validatingadmissionpolicy,validatingadmissionpolicybinding';

/** What is left after each; both empty when all went well. */
export async function tryUninstall(cluster: ClusterDescription): Promise<string[]> {
	const api = KubeApi.fromFile(cluster.kubeconfigPath);
	const kubectl = (...args: string[]) => runProgram([cluster.kubectl, '--kubeconfig', cluster.kubeconfigPath, ...args]);
	try {
		await runningAndCooling(api, cluster);
		let startedAt = performance.now();
		await kubectl('-n', SYSTEM, 'delete', 'rr,wfe', '--all', '--wait');
		say('kubectl delete rr,wfe --all --wait', startedAt);
		startedAt = performance.now();
		await kubectl('delete', '-k', KUSTOMIZATION);
		say('kubectl delete -k', startedAt);
		const first = await leftOver();

		await installPlatform(api, cluster.kubeconfigPath, cluster.kubectl);
		await runningAndCooling(api, cluster);
		startedAt = performance.now();
		const deleting = kubectl('delete', '-k', KUSTOMIZATION);
		await delay(STUCK_MS);
		console.log(
			`Namespaces while it waits: ${(await kubectl('get', 'namespace', '-o', 'name')).replaceAll('\n', ' ')}`,
		);
		for (const kind of ['pipelineruns', 'taskruns']) await free(RUNS, kind);
		await free(SYSTEM, 'wfe');
		await deleting;
		say('kubectl delete -k alone, with the way out', startedAt);
		return [...first, ...(await leftOver())];
	} finally {
		await api.close();
	}

	async function free(namespace: string, kind: string): Promise<void> {
		const get = ['-n', namespace, 'get', kind, '-o', 'name'];
		const names = await tryProgram([cluster.kubectl, '--kubeconfig', cluster.kubeconfigPath, ...get]);
		for (const name of (names ?? '').split('\n').filter(Boolean))
			await kubectl('-n', namespace, 'patch', name, '--type=merge', '-p', WITHOUT_FINALIZERS);
	}

	async function leftOver(): Promise<string[]> {
		const names = await kubectl('get', CLUSTER_KINDS, '-o', 'name');
		return names.split('\n').filter((name) => name.includes('kubernaut'));
	}
}

function say(what: string, startedAt: number): void {
	console.log(`${what}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
}

async function runningAndCooling(api: KubeApi, { gatewayUrl, images }: ClusterDescription): Promise<void> {
	const token = await tokenOfSender(api, SYSTEM);
	for (const [name, seconds] of [
		['cooling', 0],
		['running', 600],
	] as const) {
		const step = { name: 'repair', image: images.busybox, command: ['sh', '-c', `sleep ${seconds}`] };
		await applyObject(api, {
			apiVersion: 'tekton.dev/v1',
			kind: 'Pipeline',
			metadata: { name, namespace: RUNS },
			spec: { tasks: [{ name: 'repair', taskSpec: { steps: [step] } }] },
		});
		await applyObject(api, {
			apiVersion: 'kubernaut.ai/v1alpha1',
			kind: 'RemediationWorkflow',
			metadata: { name, namespace: SYSTEM },
			spec: { match: { signalNames: [name] }, pipelineRef: { name }, cooldown: '10m' },
		});
		await until(async () => {
			const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
			const body = webhook({ alertname: name, deployment: name });
			const answer = await fetch(`${gatewayUrl}/api/v1/signals/prometheus`, { method: 'POST', headers, body });
			return answer.ok;
		});
	}
	await until(async () => {
		const { items } = await api.call('GET', `/apis/kubernaut.ai/v1alpha1/namespaces/${SYSTEM}/workflowexecutions`);
		const phases = (items as KubeObject[]).map(({ status }) => status?.phase as string).toSorted();
		return phases.join() === 'Completed,Running';
	});
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
	const givenUpAt = performance.now() + PATIENCE_MS;
	while (!(await isSo().catch(() => false))) {
		if (performance.now() > givenUpAt)
			throw new Error('an execution that runs and one that cools down were not had in time');
		await delay(POLL_MS);
	}
}
