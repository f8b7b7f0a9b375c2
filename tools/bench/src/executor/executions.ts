// WorkflowExecutions as the orchestrator makes them, new and finished ones.
import { createHash, randomBytes } from 'node:crypto';
import { type KubeApi, MERGE_PATCH } from '@kubernaut/control-plane';

/** Any target that nothing else is about. */
export function freshTarget(prefix: string): string {
	return `bench/Deployment/${prefix}-${randomBytes(6).toString('hex')}`;
}

export function executionsPath(namespace: string): string {
	return `/apis/kubernaut.ai/v1alpha1/namespaces/${namespace}/workflowexecutions`;
}

export function runsPath(workflows: string): string {
	return `/apis/tekton.dev/v1/namespaces/${workflows}/pipelineruns`;
}

let chain = 0;

export function executionFor(target: string) {
	const hash = createHash('sha256').update(target).digest('hex');
	return {
		apiVersion: 'kubernaut.ai/v1alpha1',
		kind: 'WorkflowExecution',
		metadata: {
			name: `we-${hash.slice(0, 12)}-${randomBytes(8).toString('hex')}`,
			annotations: { 'kubernaut.ai/fencing-token': '1' },
			finalizers: ['kubernaut.ai/pipelinerun-cleanup'],
		},
		spec: {
			remediationRequestRef: { name: 'rr-0123456789ab-0123456789abcdef', uid: 'bench' },
			workflowRef: { name: 'restart', uid: 'bench', generation: 1 },
			pipelineRef: { name: 'restart' },
			targetResource: target,
			parameters: { TARGET: target },
			timeout: '30m',
			cooldown: '0s',
			chain: chain++,
		},
	};
}

/** It ended an hour ago: its cooldown is over, and its run is gone. */
export async function storeFinished(api: KubeApi, namespace: string, target: string): Promise<void> {
	const execution = executionFor(target);
	await api.call('POST', executionsPath(namespace), { body: execution });
	const endedAt = new Date(Date.now() - 3_600_000).toISOString();
	const status = {
		phase: 'Completed',
		startTime: endedAt,
		completionTime: endedAt,
		pipelineRunRef: { name: 'wfe-0123456789abcdef', uid: 'gone' },
	};
	await api.call('PATCH', `${executionsPath(namespace)}/${execution.metadata.name}/status`, {
		body: { status },
		contentType: MERGE_PATCH,
	});
}
