// The objects that tests put into the API server, as the gateway, people and executors would make them.
import { createHash, randomBytes } from 'node:crypto';
import type { NewRemediationRequest, RemediationRequest } from '../../src/generated/remediation-request.ts';
import type { NewRemediationWorkflow, RemediationWorkflowMatch } from '../../src/generated/remediation-workflow.ts';
import type {
	NewWorkflowExecution,
	WorkflowExecution,
	WorkflowExecutionStatus,
} from '../../src/generated/workflow-execution.ts';
import { executionName } from '../../src/objects/execution.ts';
import type { Ref } from '../../src/objects/remediation.ts';

export type RequestOptions = {
	/** As canonical names are: with the namespace, or without. */
	readonly target?: string;
	readonly signalName?: string;
	readonly severity?: string;
	readonly labels?: Readonly<Record<string, string>>;
	readonly annotations?: Readonly<Record<string, string>>;
	readonly firingTime?: Date;
	readonly receivedTime?: Date;
	/** The one before it in its chain. */
	readonly after?: RemediationRequest;
};
export type WorkflowOptions = {
	readonly signalNames?: readonly string[];
	/** Criteria beside the names. */
	readonly match?: RemediationWorkflowMatch;
	readonly priority?: number;
	readonly parameters?: Record<string, string>;
	readonly parameterPatterns?: Record<string, string>;
	readonly mode?: 'Automatic' | 'DryRun' | 'Approval';
	readonly timeout?: string;
	readonly cooldown?: string;
};
/** An execution as a crashed orchestrator, or one of yesterday, left it. */
export type PastExecution = {
	/** Absent: made for a request that does not exist any more. */
	readonly request?: RemediationRequest;
	readonly workflow?: string;
	readonly cooldown?: string;
	readonly status?: WorkflowExecutionStatus;
};

const API_VERSION = 'kubernaut.ai/v1alpha1' as const;

/** As the gateway makes it: the first of its chain, or the one after another. */
export function newRequest(options: RequestOptions): NewRemediationRequest {
	const before = options.after;
	const fingerprint = before?.spec.signalFingerprint ?? createHash('sha256').update(randomBytes(16)).digest('hex');
	const [name = '', kind = '', namespace] = (options.target ?? 'shop/Deployment/cart').split('/').toReversed();
	const now = new Date();
	return {
		apiVersion: API_VERSION,
		kind: 'RemediationRequest',
		metadata: { name: requestName(fingerprint, before) },
		spec: {
			signalFingerprint: fingerprint,
			signalName: options.signalName ?? 'KubeDeploymentReplicasMismatch',
			severity: options.severity ?? 'critical',
			signalType: 'alert',
			signalSource: 'alertmanager',
			targetResource: { kind, name, ...(namespace === undefined ? {} : { namespace }) },
			firingTime: (options.firingTime ?? now).toISOString(),
			receivedTime: (options.receivedTime ?? now).toISOString(),
			signalLabels: { ...options.labels },
			signalAnnotations: { ...options.annotations },
			chain: before === undefined ? 0 : before.spec.chain + 1,
		},
	};
}

export function newWorkflow(name: string, options: WorkflowOptions): NewRemediationWorkflow {
	const { signalNames = ['KubeDeploymentReplicasMismatch'], match, ...rest } = options;
	return {
		apiVersion: API_VERSION,
		kind: 'RemediationWorkflow',
		metadata: { name },
		spec: { match: { signalNames: [...signalNames], ...match }, pipelineRef: { name: 'restart' }, ...rest },
	};
}

export type ApprovalOptions = {
	readonly reason?: string;
	/** Absent: what the status of the request asks for. */
	readonly digest?: string;
	readonly approver?: string;
};

export function newApproval({ name, uid }: Ref, decision: 'Approved' | 'Rejected', options: ApprovalOptions = {}) {
	return {
		apiVersion: API_VERSION,
		kind: 'RemediationApproval',
		metadata: { generateName: `${name}-` },
		spec: { remediationRequestRef: { name, uid }, decision, reason: 'it was reviewed', ...options },
	};
}

export function pastExecution(
	target: string,
	link: PastExecution,
	before: WorkflowExecution | undefined,
	workflowRef: NewWorkflowExecution['spec']['workflowRef'],
): NewWorkflowExecution {
	const { request, cooldown = '0s' } = link;
	return {
		apiVersion: API_VERSION,
		kind: 'WorkflowExecution',
		metadata: {
			name: executionName(target, before?.metadata.uid),
			annotations: { 'kubernaut.ai/fencing-token': '1' },
		},
		spec: {
			remediationRequestRef: {
				name: request?.metadata.name ?? 'rr-0123456789ab-0123456789abcdef',
				uid: request?.metadata.uid ?? randomBytes(8).toString('hex'),
			},
			workflowRef,
			pipelineRef: { name: 'restart' },
			targetResource: target,
			timeout: '10m',
			cooldown,
			chain: before === undefined ? 0 : before.spec.chain + 1,
		},
	};
}

export const RUN = { name: 'wfe-0123456789abcdef', uid: 'f4e1c5a2-run' } as const;

/** The status of an execution that ran and ended. */
export function endedStatus(
	phase: 'Completed' | 'Failed',
	at = new Date(),
): WorkflowExecutionStatus & { readonly completionTime: string } {
	const failure =
		phase === 'Failed'
			? { failureDetails: { reason: 'TaskFailed' as const, summary: 'step restart exited with 1' } }
			: {};
	return { phase, pipelineRunRef: RUN, completionTime: at.toISOString(), ...failure };
}

/** As the gateway names it: by the one before it. */
export function requestName(fingerprint: string, before: RemediationRequest | undefined): string {
	const hash = createHash('sha256')
		.update(`${fingerprint}${before?.metadata.uid ?? ''}`)
		.digest('hex');
	return `rr-${fingerprint.slice(0, 12)}-${hash.slice(0, 16)}`;
}

export function nameOf({ metadata }: { readonly metadata: { readonly name: string } }): string {
	return metadata.name;
}

/** Not a number, so that every comparison fails, when the time is missing. */
export function timeOf(text: string | undefined): number {
	return Date.parse(text ?? '');
}
