// A run could not be created: whether that is the fault of the execution, or of something that passes or can be repaired.
import type { WorkflowExecutionFailureReason } from '../generated/workflow-execution.ts';
import { isMissingRight } from '../objects/engine-faults.ts';

/** The fault of a call, as far as this decision needs it. */
export type CreateFault = { readonly code: string; readonly status: number | undefined; readonly message: string };
export type WaitReason =
	| 'QuotaExceeded'
	| 'MissingRight'
	| 'MissingNamespace'
	| 'EngineNotInstalled'
	| 'NamespaceTerminating'
	| 'EngineUnavailable';
export type CreateRefusal =
	| { readonly do: 'fail'; readonly reason: WorkflowExecutionFailureReason }
	| { readonly do: 'wait'; readonly reason: WaitReason };

/** Reasons of the Waiting condition, with what to do about each. */
export const WAIT_REASONS: Readonly<Record<WaitReason, string>> = {
	QuotaExceeded: 'A ResourceQuota of the execution namespace is used up. Raise it, or wait for other runs to end.',
	MissingRight: 'The Role of the workflow-executor lacks a rule. Add the one that the message names.',
	MissingNamespace: 'The execution namespace does not exist. Create it, or correct EXECUTION_NAMESPACE.',
	EngineNotInstalled: 'The API server does not serve tekton.dev/v1. Install Tekton Pipelines.',
	NamespaceTerminating: 'The execution namespace is being deleted. Wait, and create it again.',
	EngineUnavailable: "The API server or Tekton's webhook does not answer. It is tried again.",
};

/** The API server gives a quota no reason of its own; its own clients look for these words, too. */
const QUOTA = /exceeded quota/;
const TERMINATING = /because it is being terminated/;
const NO_NAMESPACE = /namespaces "[^"]*" not found/;

/** For a create of a kind that is being removed from the API server. */
const KIND_TERMINATING = 405;

export function refusalOf({ code, status, message }: CreateFault): CreateRefusal {
	if (isMissingRight({ code, message })) return { do: 'wait', reason: 'MissingRight' };
	if (status === KIND_TERMINATING) return { do: 'wait', reason: 'EngineNotInstalled' };
	switch (code) {
		case 'KUBE_INVALID':
		case 'KUBE_TOO_LARGE':
			return { do: 'fail', reason: 'ConfigurationError' };
		case 'KUBE_FORBIDDEN':
			if (QUOTA.test(message)) return { do: 'wait', reason: 'QuotaExceeded' };
			if (TERMINATING.test(message)) return { do: 'wait', reason: 'NamespaceTerminating' };
			return { do: 'fail', reason: 'Forbidden' };
		case 'KUBE_NOT_FOUND':
			return { do: 'wait', reason: NO_NAMESPACE.test(message) ? 'MissingNamespace' : 'EngineNotInstalled' };
		default:
			return { do: 'wait', reason: 'EngineUnavailable' };
	}
}
