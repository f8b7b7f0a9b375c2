// The orchestrator's objects on the API server. Every write is a create by name, or says what it was decided from (the
// version, or the fields of the status of a request): the second of two is rejected. A lost answer needs no care: the next
// reconcile finds out.

import type { NewNotificationRequest, NotificationRequest } from '../generated/notification-request.ts';
import type { OwnerReference } from '../generated/object-meta.ts';
import type { RemediationApproval } from '../generated/remediation-approval.ts';
import type { RemediationRequest } from '../generated/remediation-request.ts';
import type { RemediationWorkflow } from '../generated/remediation-workflow.ts';
import type { NewWorkflowExecution, WorkflowExecution } from '../generated/workflow-execution.ts';
import { answered } from '../kube/answered.ts';
import { type KubeClient, KubeError } from '../kube/kube.ts';
import type { Versioned } from '../kube/object-cache.ts';
import { type Approval, toApproval } from './approval.ts';
import { type Execution, toExecution } from './execution.ts';
import { type Ref, type Remediation, toRemediation } from './remediation.ts';
import { JSON_PATCH, requestPatch, type StatusPatch } from './request-patch.ts';
import { toWorkflow, type Workflow } from './workflow.ts';

export type PatchResult =
	| { readonly outcome: 'written'; readonly request: Remediation }
	/** Something that was tested has changed, or the schema rejects what was written: the API server does not say which. */
	| { readonly outcome: 'notApplied'; readonly error: KubeError }
	| { readonly outcome: 'gone' };
export type ObjectStore = {
	getRequest(name: string): Promise<Remediation | undefined>;
	/** Only while everything that decisions are made from is as in `request`. */
	patchRequest(request: Remediation, status: StatusPatch): Promise<PatchResult>;
	/** Only exactly this version. */
	removeRequest(request: Remediation): Promise<'removed' | 'changed' | 'gone'>;
	createExecution(execution: NewWorkflowExecution): Promise<Execution | 'exists'>;
	getExecution(name: string): Promise<Execution | undefined>;
	listExecutions(target: string): Promise<readonly Execution[]>;
	patchExecution(execution: Execution, status: StatusPatch): Promise<Execution | 'changed' | 'gone'>;
	/** Only exactly this version. */
	patchWorkflow(workflow: Workflow, status: StatusPatch): Promise<Workflow | 'changed' | 'gone'>;
	/** Exactly this version gets one more owner. */
	ownApproval(approval: Approval, owner: OwnerReference): Promise<Approval | 'changed' | 'gone'>;
	/** An existing one is as good: the name says what it is about. */
	createNotification(notification: NewNotificationRequest): Promise<Ref>;
};

const KINDS = {
	requests: 'remediationrequests',
	executions: 'workflowexecutions',
	workflows: 'remediationworkflows',
	notifications: 'notificationrequests',
	approvals: 'remediationapprovals',
} as const;
type ExecutionPage = { readonly items: WorkflowExecution[]; readonly metadata: { readonly continue?: string } };

/** Of whole objects, with their parameters and pipelines. All pages together are the state at the first. */
const PAGE_SIZE = 20;
const MERGE_PATCH = 'application/merge-patch+json';
/** The HTTP status for a test that failed, for a missing path, and for a value that the schema rejects. */
const NOT_APPLIED = 422;

export function resourcePath(namespace: string, plural: string): string {
	return `/apis/kubernaut.ai/v1alpha1/namespaces/${namespace}/${plural}`;
}

export function createObjectStore(kube: Pick<KubeClient, 'call'>, namespace: string): ObjectStore {
	const pathOf = (plural: string) => resourcePath(namespace, plural);

	function get<T>(plural: string, name: string): Promise<T | undefined> {
		return answered(kube.call<T>({ verb: 'get', path: `${pathOf(plural)}/${name}`, resource: plural, namespace }), {
			KUBE_NOT_FOUND: undefined,
		});
	}
	function create<T>(plural: string, body: object): Promise<T | 'exists'> {
		return answered(kube.call<T>({ verb: 'create', path: pathOf(plural), resource: plural, namespace, body }), {
			KUBE_ALREADY_EXISTS: 'exists' as const,
		});
	}
	function patchStatus<T>(plural: string, name: string, contentType: string, body: object): Promise<T> {
		const path = `${pathOf(plural)}/${name}/status`;
		return kube.call<T>({ verb: 'patch', path, resource: `${plural}/status`, namespace, body, contentType });
	}
	function patchVersion<T>(plural: string, version: Versioned, status: StatusPatch): Promise<T | 'changed' | 'gone'> {
		const { name, uid, resourceVersion } = version;
		return answered(patchStatus<T>(plural, name, MERGE_PATCH, { metadata: { uid, resourceVersion }, status }), {
			KUBE_CONFLICT: 'changed' as const,
			KUBE_NOT_FOUND: 'gone' as const,
		});
	}
	const isWord = (answer: unknown): answer is 'changed' | 'gone' | 'exists' => typeof answer === 'string';

	return {
		async getRequest(name) {
			const found = await get<RemediationRequest>(KINDS.requests, name);
			return found === undefined ? undefined : toRemediation(found);
		},
		async patchRequest(request, status) {
			const patch = requestPatch(request, status);
			try {
				const written = await patchStatus<RemediationRequest>(KINDS.requests, request.name, JSON_PATCH, patch);
				return { outcome: 'written', request: toRemediation(written) };
			} catch (error) {
				if (!(error instanceof KubeError)) throw error;
				if (error.code === 'KUBE_NOT_FOUND') return { outcome: 'gone' };
				if (error.code === 'KUBE_CONFLICT' || error.status === NOT_APPLIED) return { outcome: 'notApplied', error };
				throw error;
			}
		},
		removeRequest: ({ name, uid, resourceVersion }) =>
			answered(
				kube
					.call({
						verb: 'delete',
						path: `${pathOf(KINDS.requests)}/${name}`,
						resource: KINDS.requests,
						namespace,
						body: { preconditions: { uid, resourceVersion }, propagationPolicy: 'Background' },
					})
					.then(() => 'removed' as const),
				{ KUBE_CONFLICT: 'changed' as const, KUBE_NOT_FOUND: 'gone' as const },
			),
		async createExecution(execution) {
			const answer = await create<WorkflowExecution>(KINDS.executions, execution);
			return isWord(answer) ? answer : toExecution(answer);
		},
		async getExecution(name) {
			const found = await get<WorkflowExecution>(KINDS.executions, name);
			return found === undefined ? undefined : toExecution(found);
		},
		async listExecutions(target) {
			const selector = encodeURIComponent(`spec.targetResource=${target.replace(/[\\,=]/g, '\\$&')}`);
			const found: Execution[] = [];
			let rest = '';
			do {
				const { items, metadata } = await kube.call<ExecutionPage>({
					verb: 'list',
					path: `${pathOf(KINDS.executions)}?fieldSelector=${selector}&limit=${PAGE_SIZE}&continue=${rest}`,
					resource: KINDS.executions,
					namespace,
				});
				for (const item of items) found.push(toExecution(item));
				rest = encodeURIComponent(metadata.continue ?? '');
			} while (rest !== '');
			return found;
		},
		async patchExecution(execution, status) {
			const answer = await patchVersion<WorkflowExecution>(KINDS.executions, execution, status);
			return isWord(answer) ? answer : toExecution(answer);
		},
		async patchWorkflow(workflow, status) {
			const answer = await patchVersion<RemediationWorkflow>(KINDS.workflows, workflow, status);
			return isWord(answer) ? answer : toWorkflow(answer);
		},
		async ownApproval({ name, uid, resourceVersion, owners }, owner) {
			const body = { metadata: { uid, resourceVersion, ownerReferences: [...owners, owner] } };
			const plural = KINDS.approvals;
			const path = `${pathOf(plural)}/${name}`;
			const answer = await answered(
				kube.call<RemediationApproval>({
					verb: 'patch',
					path,
					resource: plural,
					namespace,
					body,
					contentType: MERGE_PATCH,
				}),
				{ KUBE_CONFLICT: 'changed' as const, KUBE_NOT_FOUND: 'gone' as const },
			);
			return isWord(answer) ? answer : toApproval(answer);
		},
		async createNotification(notification) {
			const { name } = notification.metadata;
			const answer = await create<NotificationRequest>(KINDS.notifications, notification);
			const made = isWord(answer) ? await get<NotificationRequest>(KINDS.notifications, name) : answer;
			return { name, uid: made?.metadata.uid ?? 'removed' };
		},
	};
}
