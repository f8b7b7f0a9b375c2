// The way out of a cluster, tried: with an execution that runs and one that cools down, first in the order that
// docs/install.md asks for, then with its last command alone and the way out of that.
import { setTimeout as delay } from 'node:timers/promises';
import { KubeApi, type KubeObject } from '@kubernaut/control-plane';
import { runProgram } from '@kubernaut/kind';
import { applyObject } from '@kubernaut/testkit/apply';
import type { ClusterDescription } from '../harness/environment.ts';
import { commandsBelow, runCommand } from '../harness/install-page.ts';
import { tokenOfSender } from '../harness/sender-account.ts';
import { webhook } from '../harness/webhook.ts';
import { installPlatform } from './install-platform.ts';

const SYSTEM = 'kubernaut-system';
const RUNS = 'kubernaut-workflows';
/** After the pods of the runs have ended: what has not gone by then waits for its finalizers. */
const STUCK_MS = 10_000;
const PATIENCE_MS = 120_000;
const POLL_MS = 500;
/** Of every kind that the platform brings and that is not in a namespace of its own. */
const CLUSTER_KINDS =
	'namespace,crd,clusterrole,clusterrolebinding,flowschema,prioritylevelconfiguration,validatingadmissionpolicy,validatingadmissionpolicybinding';

/** What is left after each; both empty when all went well. */
export async function tryUninstall(cluster: ClusterDescription): Promise<string[]> {
	const api = KubeApi.fromFile(cluster.kubeconfigPath);
	const kubectl = (...args: string[]) => runProgram([cluster.kubectl, '--kubeconfig', cluster.kubeconfigPath, ...args]);
	const run = async (line: string) => {
		const startedAt = performance.now();
		await runCommand(line, cluster.kubectl, cluster.kubeconfigPath);
		console.log(`${((performance.now() - startedAt) / 1000).toFixed(1)} s: ${line}`);
	};
	const [inOrder = [], wayOut = []] = commandsBelow('Uninstall');
	try {
		await runningAndCooling(api, cluster);
		for (const line of inOrder) await run(line);
		const first = await leftOver();

		await installPlatform(api, cluster.kubeconfigPath, cluster.kubectl);
		await runningAndCooling(api, cluster);
		const deleting = run(inOrder.at(-1) ?? '');
		deleting.catch(() => {}); // it is waited for below
		await until('the pods of the runs have ended', async () => {
			const { items } = await api.call('GET', `/api/v1/namespaces/${RUNS}/pods`);
			return (items as KubeObject[]).length === 0;
		});
		await delay(STUCK_MS);
		const { status } = await api.send('GET', `/api/v1/namespaces/${SYSTEM}`);
		if (status !== 200) throw new Error('nothing was in the way: the way out was not tried');
		// What went by itself meanwhile cannot be patched: what counts is what is left.
		for (const line of wayOut) await run(line).catch((error: Error) => console.log(error.message));
		await deleting;
		return [...first, ...(await leftOver())];
	} finally {
		await api.close();
	}

	async function leftOver(): Promise<string[]> {
		const names = await kubectl('get', CLUSTER_KINDS, '-o', 'name');
		return names.split('\n').filter((name) => name.includes('kubernaut'));
	}
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
		await until('the signal is taken', async () => {
			const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
			const body = webhook({ alertname: name, deployment: name });
			const answer = await fetch(`${gatewayUrl}/api/v1/signals/prometheus`, { method: 'POST', headers, body });
			return answer.ok;
		});
	}
	await until('an execution runs and one cools down', async () => {
		const { items } = await api.call('GET', `/apis/kubernaut.ai/v1alpha1/namespaces/${SYSTEM}/workflowexecutions`);
		const phases = (items as KubeObject[]).map(({ status }) => status?.phase as string).toSorted();
		return phases.join() === 'Completed,Running';
	});
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
	const givenUpAt = performance.now() + PATIENCE_MS;
	while (!(await isSo().catch(() => false))) {
		if (performance.now() > givenUpAt) throw new Error(`not in time: ${what}`);
		await delay(POLL_MS);
	}
}
