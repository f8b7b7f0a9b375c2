// WorkflowExecutions of a namespace, and what becomes of them when nothing runs them.
import { type KubeApi, MERGE_PATCH } from '@kubernaut/control-plane';

export function executionsPath(namespace: string, name = ''): string {
	const path = `/apis/kubernaut.ai/v1alpha1/namespaces/${namespace}/workflowexecutions`;
	return name === '' ? path : `${path}/${name}`;
}

/** Executions wait for an executor before they go; where there is none, their namespace would stay for ever. */
export async function letExecutionsGo(api: KubeApi, namespace: string): Promise<void> {
	const { items = [] } = (await api.send('GET', executionsPath(namespace))).body;
	for (const { metadata } of items as { metadata: { name: string } }[])
		await api.send('PATCH', executionsPath(namespace, metadata.name), {
			body: { metadata: { finalizers: null } },
			contentType: MERGE_PATCH,
		});
}
