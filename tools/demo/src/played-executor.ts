// Plays the workflow-executor, which is not built yet: writes into an execution's status what that would write.
import { createHash } from 'node:crypto';
import { type KubeApi, MERGE_PATCH } from '@kubernaut/control-plane';

export function executionsPath(namespace: string, name = ''): string {
	const path = `/apis/kubernaut.ai/v1alpha1/namespaces/${namespace}/workflowexecutions`;
	return name === '' ? path : `${path}/${name}`;
}

export async function endExecution(
	api: KubeApi,
	namespace: string,
	{ name, target }: { readonly name: string; readonly target: string },
	phase: 'Completed' | 'Failed',
): Promise<void> {
	const hash = createHash('sha256').update(target).digest('hex').slice(0, 16);
	const pipelineRunRef = { name: `wfe-${hash}`, uid: 'played-by-the-demo' };
	const failureDetails = { reason: 'TaskFailed', summary: 'played by the demo: it did not help' };
	const status = { phase, pipelineRunRef, completionTime: new Date().toISOString() };
	await api.call('PATCH', `${executionsPath(namespace, name)}/status`, {
		body: { status: phase === 'Failed' ? { ...status, failureDetails } : status },
		contentType: MERGE_PATCH,
	});
}

/** Executions wait for the executor before they go; where there is none, their namespace would stay for ever. */
export async function letExecutionsGo(api: KubeApi, namespace: string): Promise<void> {
	const { items = [] } = (await api.send('GET', executionsPath(namespace))).body;
	for (const { metadata } of items as { metadata: { name: string } }[])
		await api.send('PATCH', executionsPath(namespace, metadata.name), {
			body: { metadata: { finalizers: null } },
			contentType: MERGE_PATCH,
		});
}
