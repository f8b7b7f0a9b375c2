// The objects of one namespace on the API server, read and written as the gateway, people and the executor would.
import { type KubeApi, MERGE_PATCH } from '@kubernaut/control-plane';
import { expect } from 'vitest';
import type { NotificationRequest } from '../../src/generated/notification-request.ts';
import type { RemediationApproval } from '../../src/generated/remediation-approval.ts';
import type { RemediationRequest } from '../../src/generated/remediation-request.ts';
import type { RemediationWorkflow, RemediationWorkflowSpec } from '../../src/generated/remediation-workflow.ts';
import type { WorkflowExecution, WorkflowExecutionStatus } from '../../src/generated/workflow-execution.ts';
import type { Ref } from '../../src/objects/remediation.ts';
import {
	type ApprovalOptions,
	endedStatus,
	newApproval,
	newRequest,
	newWorkflow,
	type PastExecution,
	pastExecution,
	type RequestOptions,
	RUN,
	type WorkflowOptions,
} from './objects.ts';

/** As much of a core/v1 Event as tests read. */
export type EventObject = {
	readonly type: string;
	readonly reason: string;
	readonly message: string;
	readonly reportingInstance: string;
	readonly involvedObject: { readonly kind: string; readonly name: string; readonly uid: string };
};
export type SkipOptions = {
	readonly reason?: 'ResourceBusy' | 'RecentlyRemediated';
	readonly heldBy: string;
	readonly message?: string;
	readonly aheadMs: number;
};

const GROUP = '/apis/kubernaut.ai/v1alpha1';
const PAUSE_CONFIG_MAP = 'kubernaut-pause';
/** Fields of a status to write; `null` removes one. */
type Patch<T> = { readonly [K in keyof T]?: T[K] | null };

export class StoredObjects {
	readonly api: KubeApi;
	readonly namespace: string;

	constructor(api: KubeApi, namespace: string) {
		this.api = api;
		this.namespace = namespace;
	}

	path(plural: string, name = ''): string {
		return `${GROUP}/namespaces/${this.namespace}/${plural}${name === '' ? '' : `/${name}`}`;
	}

	requests(): Promise<RemediationRequest[]> {
		return this.#list(this.path('remediationrequests'));
	}

	executions(): Promise<WorkflowExecution[]> {
		return this.#list(this.path('workflowexecutions'));
	}

	/** The oldest first. */
	async executionsOn(target: string): Promise<WorkflowExecution[]> {
		return (await this.executions())
			.filter(({ spec }) => spec.targetResource === target)
			.toSorted((a, b) => a.spec.chain - b.spec.chain);
	}

	notifications(): Promise<NotificationRequest[]> {
		return this.#list(this.path('notificationrequests'));
	}

	async events(about: string): Promise<EventObject[]> {
		const events = await this.#list<EventObject>(`/api/v1/namespaces/${this.namespace}/events`);
		return events.filter(({ involvedObject }) => involvedObject.name === about);
	}

	findRequest(name: string): Promise<RemediationRequest | undefined> {
		return this.#find(this.path('remediationrequests', name));
	}

	findExecution(name: string): Promise<WorkflowExecution | undefined> {
		return this.#find(this.path('workflowexecutions', name));
	}

	createRequest(options: RequestOptions = {}): Promise<RemediationRequest> {
		return this.#call('POST', this.path('remediationrequests'), newRequest(options));
	}

	createWorkflow(name: string, options: WorkflowOptions = {}): Promise<RemediationWorkflow> {
		return this.#call('POST', this.path('remediationworkflows'), newWorkflow(name, options));
	}

	editWorkflow(name: string, spec: Partial<RemediationWorkflowSpec>): Promise<RemediationWorkflow> {
		return this.#call('PATCH', this.path('remediationworkflows', name), { spec });
	}

	/** As a person would, about what is asked now. */
	async decide(
		request: { readonly metadata: Ref },
		decision: 'Approved' | 'Rejected',
		options: ApprovalOptions = {},
	): Promise<RemediationApproval> {
		const digest = (await this.findRequest(request.metadata.name))?.status.approval?.digest;
		const body = newApproval(request.metadata, decision, { ...(digest === undefined ? {} : { digest }), ...options });
		return this.#call('POST', this.path('remediationapprovals'), body);
	}

	/** The executions of a target, the oldest first, chained as they would be. */
	async putExecutions(target: string, links: readonly PastExecution[]): Promise<WorkflowExecution[]> {
		const put: WorkflowExecution[] = [];
		for (const link of links) {
			const before = put.at(-1);
			const body = pastExecution(target, link, before, await this.#workflowRef(link.workflow ?? 'restart'));
			const { name } = body.metadata;
			if (before !== undefined) await this.patchExecution(before.metadata.name, { successor: { name } });
			const made = await this.#call<WorkflowExecution>('POST', this.path('workflowexecutions'), body);
			put.push(link.status === undefined ? made : await this.patchExecution(name, link.status));
		}
		return put;
	}

	async #workflowRef(name: string) {
		const found = await this.#find<RemediationWorkflow>(this.path('remediationworkflows', name));
		return { name, uid: found?.metadata.uid ?? `uid-of-${name}`, generation: found?.metadata.generation ?? 1 };
	}

	/** At once, whatever finalizers it has. */
	async deleteExecution(name: string): Promise<void> {
		const path = this.path('workflowexecutions', name);
		await this.#call('PATCH', path, { metadata: { finalizers: null } });
		await this.api.call('DELETE', path);
	}

	/** All requests and executions, as retention would in time: a long run must not slow down by what is over. */
	async removeAll(): Promise<void> {
		await Promise.all((await this.executions()).map(({ metadata }) => this.deleteExecution(metadata.name)));
		await this.api.call('DELETE', this.path('remediationrequests'));
		await this.api.call('DELETE', this.path('notificationrequests'));
	}

	/** Replaces the pause switch as a person would; without data, deletes it. */
	async pause(data?: Readonly<Record<string, string>>): Promise<void> {
		const path = `/api/v1/namespaces/${this.namespace}/configmaps`;
		if (data === undefined) {
			await this.api.send('DELETE', `${path}/${PAUSE_CONFIG_MAP}`);
			return;
		}
		const body = { metadata: { name: PAUSE_CONFIG_MAP }, data };
		const { status } = await this.api.send('PUT', `${path}/${PAUSE_CONFIG_MAP}`, { body });
		if (status === 404) await this.api.call('POST', path, { body });
		else expect(status).toBe(200);
	}

	/** As the executor would: a run that has begun, and how it ended. */
	async endExecution(name: string, phase: 'Completed' | 'Failed', at = new Date()): Promise<void> {
		await this.patchExecution(name, endedStatus(phase, at));
	}

	/** As the executor would: its run has begun. */
	beginExecution(name: string): Promise<WorkflowExecution> {
		return this.patchExecution(name, { phase: 'Running', pipelineRunRef: RUN });
	}

	/** As the executor would: skipped. Its clock may be ahead, so that there is time to see the wait that follows. */
	async skipExecution(name: string, options: SkipOptions): Promise<{ readonly completionTime: string }> {
		const { reason = 'ResourceBusy', heldBy, message, aheadMs } = options;
		const skipDetails = { reason, message: message ?? `held by ${heldBy}`, heldBy };
		const completionTime = new Date(Date.now() + aheadMs).toISOString();
		await this.patchExecution(name, { phase: 'Skipped', completionTime, skipDetails });
		return { completionTime };
	}

	patchExecution(name: string, status: Patch<WorkflowExecutionStatus>): Promise<WorkflowExecution> {
		return this.#call('PATCH', `${this.path('workflowexecutions', name)}/status`, { status });
	}

	patchRequest(name: string, status: Patch<RemediationRequest['status']>): Promise<RemediationRequest> {
		return this.#call('PATCH', `${this.path('remediationrequests', name)}/status`, { status });
	}

	async #list<T>(path: string): Promise<T[]> {
		return (await this.api.call('GET', path))['items'] as T[];
	}

	/** Undefined when it does not exist. */
	async #find<T>(path: string): Promise<T | undefined> {
		const { status, body } = await this.api.send('GET', path);
		if (status !== 200 && status !== 404) throw new Error(`GET ${path}: ${status}`);
		return status === 200 ? (body as T) : undefined;
	}

	async #call<T>(method: 'POST' | 'PATCH', path: string, body?: object): Promise<T> {
		const contentType = method === 'PATCH' ? { contentType: MERGE_PATCH } : {};
		return (await this.api.call(method, path, { body, ...contentType })) as T;
	}
}
