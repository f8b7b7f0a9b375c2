// WorkflowExecutions on the API server. Every write carries uid and resourceVersion: of two, the second is rejected.
import type { WorkflowExecution, WorkflowExecutionStatus } from '../generated/workflow-execution.ts';
import { answered } from '../kube/answered.ts';
import type { KubeClient } from '../kube/kube.ts';
import { CLEANUP_FINALIZER, type Execution, toExecution } from './execution.ts';

export type StatusPatch = { readonly [F in keyof WorkflowExecutionStatus]?: WorkflowExecutionStatus[F] | null };
export type ExecutionStore = {
	get(name: string): Promise<Execution | undefined>;
	/** Whether a later link of the same target is there. Consistent: as new as this call. */
	hasLater(execution: Execution): Promise<boolean>;
	patchStatus(execution: Execution, status: StatusPatch): Promise<Execution | 'changed' | 'gone'>;
	/** Takes our finalizer off, and no other. */
	dropFinalizer(execution: Execution): Promise<Execution | 'changed' | 'gone'>;
};

type Page = { readonly items: WorkflowExecution[]; readonly metadata: { readonly continue?: string } };

const PLURAL = 'workflowexecutions';
/** Of whole objects, with their parameters and pipelines. */
const PAGE_SIZE = 20;
const MERGE_PATCH = 'application/merge-patch+json';
const CHANGED = { KUBE_CONFLICT: 'changed', KUBE_NOT_FOUND: 'gone' } as const;

export function executionsPath(namespace: string): string {
	return `/apis/kubernaut.ai/v1alpha1/namespaces/${namespace}/${PLURAL}`;
}

export function createExecutionStore(kube: Pick<KubeClient, 'call'>, namespace: string): ExecutionStore {
	const path = executionsPath(namespace);
	const about = { resource: PLURAL, namespace } as const;

	async function patch(
		execution: Execution,
		resource: string,
		tail: string,
		body: { metadata?: object; status?: object },
	) {
		const { name, uid, resourceVersion } = execution;
		const metadata = { uid, resourceVersion, ...body.metadata };
		const call = kube.call<WorkflowExecution>({
			verb: 'patch',
			path: `${path}/${name}${tail}`,
			resource,
			namespace,
			body: { ...body, metadata },
			contentType: MERGE_PATCH,
		});
		const answer = await answered(call, CHANGED);
		return typeof answer === 'string' ? answer : toExecution(answer);
	}
	async function get(name: string): Promise<Execution | undefined> {
		const call = kube.call<WorkflowExecution>({ ...about, verb: 'get', path: `${path}/${name}` });
		const found = await answered(call, { KUBE_NOT_FOUND: undefined });
		return found === undefined ? undefined : toExecution(found);
	}

	return {
		get,
		async hasLater({ target, chain, successor }) {
			// Usually it is the one that was announced.
			const announced = successor === undefined ? undefined : await get(successor);
			if (announced !== undefined && announced.chain > chain) return true;
			const selector = encodeURIComponent(`spec.targetResource=${target.replace(/[\\,=]/g, '\\$&')}`);
			let rest = '';
			do {
				const { items, metadata } = await kube.call<Page>({
					...about,
					verb: 'list',
					path: `${path}?fieldSelector=${selector}&limit=${PAGE_SIZE}&continue=${rest}`,
				});
				if (items.some(({ spec }) => spec.chain > chain)) return true;
				rest = encodeURIComponent(metadata.continue ?? '');
			} while (rest !== '');
			return false;
		},
		patchStatus: (execution, status) => patch(execution, `${PLURAL}/status`, '/status', { status }),
		dropFinalizer: (execution) => {
			const finalizers = execution.finalizers.filter((finalizer) => finalizer !== CLEANUP_FINALIZER);
			return patch(execution, PLURAL, '', { metadata: { finalizers } });
		},
	};
}
