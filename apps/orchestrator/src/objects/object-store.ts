// The orchestrator's objects on the API server. Every write is a create by name, or has uid and resourceVersion: the
// second of two is rejected. A lost answer needs no care: the next reconcile finds out, because names and versions decide.

import type { NewNotificationRequest, NotificationRequest } from '../generated/notification-request.ts';
import type { RemediationRequest } from '../generated/remediation-request.ts';
import type { NewWorkflowExecution, WorkflowExecution } from '../generated/workflow-execution.ts';
import { answered } from '../kube/answered.ts';
import type { KubeClient } from '../kube/kube.ts';
import { type Execution, toExecution } from './execution.ts';
import { type Ref, type Remediation, toRemediation } from './remediation.ts';

/** Fields of a status, merged into it; `null` removes one. */
export type StatusPatch = Readonly<Record<string, unknown>>;
export type ObjectStore = {
	getRequest(name: string): Promise<Remediation | undefined>;
	patchRequest(request: Remediation, status: StatusPatch): Promise<Remediation | 'changed' | 'gone'>;
	/** Only exactly this version. */
	removeRequest(request: Remediation): Promise<'removed' | 'changed' | 'gone'>;
	createExecution(execution: NewWorkflowExecution): Promise<Execution | 'exists'>;
	getExecution(name: string): Promise<Execution | undefined>;
	listExecutions(target: string): Promise<readonly Execution[]>;
	patchExecution(execution: Execution, status: StatusPatch): Promise<Execution | 'changed' | 'gone'>;
	/** An existing one is as good: the name says what it is about. */
	createNotification(notification: NewNotificationRequest): Promise<Ref>;
};

const KINDS = {
	requests: 'remediationrequests',
	executions: 'workflowexecutions',
	notifications: 'notificationrequests',
} as const;

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
	function patchStatus<T>(
		plural: string,
		{ name, uid, resourceVersion }: Remediation | Execution,
		status: StatusPatch,
	) {
		return answered(
			kube.call<T>({
				verb: 'patch',
				path: `${pathOf(plural)}/${name}/status`,
				resource: `${plural}/status`,
				namespace,
				body: { metadata: { uid, resourceVersion }, status },
				contentType: 'application/merge-patch+json',
			}),
			{ KUBE_CONFLICT: 'changed' as const, KUBE_NOT_FOUND: 'gone' as const },
		);
	}
	const isWord = (answer: unknown): answer is 'changed' | 'gone' | 'exists' => typeof answer === 'string';

	return {
		async getRequest(name) {
			const found = await get<RemediationRequest>(KINDS.requests, name);
			return found === undefined ? undefined : toRemediation(found);
		},
		async patchRequest(request, status) {
			const answer = await patchStatus<RemediationRequest>(KINDS.requests, request, status);
			return isWord(answer) ? answer : toRemediation(answer);
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
			const { items } = await kube.call<{ items: WorkflowExecution[] }>({
				verb: 'list',
				path: `${pathOf(KINDS.executions)}?fieldSelector=${selector}`,
				resource: KINDS.executions,
				namespace,
			});
			return items.map(toExecution);
		},
		async patchExecution(execution, status) {
			const answer = await patchStatus<WorkflowExecution>(KINDS.executions, execution, status);
			return isWord(answer) ? answer : toExecution(answer);
		},
		async createNotification(notification) {
			const { name } = notification.metadata;
			const answer = await create<NotificationRequest>(KINDS.notifications, notification);
			const made = isWord(answer) ? await get<NotificationRequest>(KINDS.notifications, name) : answer;
			return { name, uid: made?.metadata.uid ?? 'removed' };
		},
	};
}
