// The WorkflowExecution that carries a decision out, with everything that it needs copied in: a later edit of the
// workflow does not change a decided run.

import { createHash } from 'node:crypto';
import type { Answer } from '../decide/approval.ts';
import type { LockedDecision } from '../decide/decision.ts';
import { ownerReference } from '../decide/notification.ts';
import type { NewWorkflowExecution, WorkflowExecutionApproval } from '../generated/workflow-execution.ts';
import { FENCING_ANNOTATION } from '../objects/execution.ts';
import type { Remediation } from '../objects/remediation.ts';
import { toSpecDuration } from '../objects/spec-duration.ts';
import type { Workflow } from '../objects/workflow.ts';

/** Set from the start, so that no execution is deleted before the executor has cleaned up its run. */
const CLEANUP_FINALIZER = 'kubernaut.ai/pipelinerun-cleanup';

export type ExecutionDefaults = { readonly timeoutMs: number; readonly cooldownMs: number };

export function newExecution(
	place: { readonly name: string; readonly chain: number; readonly fencingToken: bigint },
	request: Remediation,
	workflow: Workflow,
	{ parameters, answer }: Pick<Extract<LockedDecision, { do: 'execute' }>, 'parameters' | 'answer'>,
	defaults: ExecutionDefaults,
): NewWorkflowExecution {
	const { pipelineRef, pipelineSpec, serviceAccountName, timeout, cooldown } = workflow.spec;
	return {
		apiVersion: 'kubernaut.ai/v1alpha1',
		kind: 'WorkflowExecution',
		metadata: {
			name: place.name,
			labels: executionLabels(request, workflow.name),
			annotations: { [FENCING_ANNOTATION]: String(place.fencingToken) },
			finalizers: [CLEANUP_FINALIZER],
			ownerReferences: [ownerReference(request)],
		},
		spec: {
			remediationRequestRef: { name: request.name, uid: request.uid },
			workflowRef: { name: workflow.name, uid: workflow.uid, generation: workflow.generation },
			...(pipelineRef === undefined ? {} : { pipelineRef }),
			...(pipelineSpec === undefined ? {} : { pipelineSpec }),
			targetResource: request.target,
			parameters: { ...parameters },
			...(serviceAccountName === undefined ? {} : { serviceAccountName }),
			...(answer?.digest === undefined ? {} : { approval: approvalOf(answer, answer.digest) }),
			timeout: timeout ?? toSpecDuration(defaults.timeoutMs),
			cooldown: cooldown ?? toSpecDuration(defaults.cooldownMs),
			chain: place.chain,
		},
	};
}

function approvalOf({ name, approver, verified }: Answer, digest: string): WorkflowExecutionApproval {
	return { name, digest, ...(approver === undefined ? {} : { approver }), verified };
}

/** To select by: those that the gateway gives to requests, and the workflow. Nothing is decided by them. */
export function executionLabels(
	{ signal, targetResource }: Pick<Remediation, 'signal' | 'targetResource'>,
	workflowName: string,
): Record<string, string> {
	const { kind, namespace } = targetResource;
	return {
		'kubernaut.ai/target-kind': labelValue(kind),
		...(namespace === undefined ? {} : { 'kubernaut.ai/target-namespace': labelValue(namespace) }),
		'kubernaut.ai/signal': labelValue(signal.name),
		'kubernaut.ai/workflow': labelValue(workflowName),
	};
}

const FITS = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

/** Of a value that is no label value, the first 32 digits of its SHA-256: `printf %s 'Disk full' | sha256sum`. */
function labelValue(text: string): string {
	return FITS.test(text) ? text : `sha256-${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
}
