// The Pipelines that the demo's workflows name, and the executors that have Tekton run them. Their pods are played on a simulated
// node: nothing is pulled, and nothing is repaired.
import { setTimeout as delay } from 'node:timers/promises';
import { REPLICAS } from '@kubernaut/bench/arena';
import type { KubeApi, PodPlay } from '@kubernaut/control-plane';
import { startApp } from '@kubernaut/testkit/app-process';
import { applyObject } from '@kubernaut/testkit/apply';
import { appKubeconfig, executionNamespaceOf } from '@kubernaut/testkit/service-account';
import type { CleanUp } from './clean-up.ts';
import { FLAKY_WORKFLOW, PIPELINE_NAMES, pipelineSpec, WORKS } from './incidents.ts';

const READY_MS = 60_000;
const POLL_MS = 50;
const FAILS: PodPlay = { durationMs: 500, outcome: 'Error', exitCode: 1 };
/** Off by default: who may write a workflow could run anything as the runs' ServiceAccount. */
const ENV = { EXECUTION_ALLOW_PIPELINE_SPEC: 'on' } as const;
/** Of the executor, for workflows that name none. */
const RUNNER = 'kubernaut-workflow';

export function runsPath(namespace: string): string {
	return `/apis/tekton.dev/v1/namespaces/${executionNamespaceOf(namespace)}/pipelineruns`;
}

/** Ends when executors are ready, beside a Tekton that is there. */
export async function startExecutors(
	api: KubeApi,
	namespace: string,
	adminKubeconfig: string,
	cleanUp: CleanUp,
): Promise<void> {
	const kubeconfig = await appKubeconfig(api, 'workflow-executor', namespace, adminKubeconfig);
	await preparePipelines(api, namespace, cleanUp.signal);
	const starting = Array.from({ length: REPLICAS }, async (_, i) => {
		const app = startApp('workflow-executor', { kubeconfig, namespace, podName: `executor-${i}`, env: ENV });
		const running = await cleanUp.starting(app, (it) => it.stop());
		await running.waitUntilReady(READY_MS);
	});
	await Promise.all(starting);
}

async function preparePipelines(api: KubeApi, home: string, signal: AbortSignal): Promise<void> {
	const namespace = executionNamespaceOf(home);
	await applyObject(api, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: RUNNER, namespace } });
	for (const name of PIPELINE_NAMES) await putPipeline(api, home, name, name === FLAKY_WORKFLOW ? FAILS : WORKS);
	// No pod is admitted before the controller of ServiceAccounts has seen the namespace.
	while ((await api.send('GET', `/api/v1/namespaces/${namespace}/serviceaccounts/default`)).status !== 200)
		await delay(POLL_MS, undefined, { signal });
}

/** As a person would, after a look at its log. */
export function mendPipeline(api: KubeApi, home: string): Promise<void> {
	return putPipeline(api, home, FLAKY_WORKFLOW, WORKS);
}

async function putPipeline(api: KubeApi, home: string, name: string, play: PodPlay): Promise<void> {
	await applyObject(api, {
		apiVersion: 'tekton.dev/v1',
		kind: 'Pipeline',
		metadata: { name, namespace: executionNamespaceOf(home) },
		spec: pipelineSpec(play),
	});
}
