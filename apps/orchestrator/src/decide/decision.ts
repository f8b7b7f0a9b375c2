// Decisions about one RemediationRequest, as values: made by pure functions from a view of the target, carried out by the
// reconciler, counted by an observer. Each kind belongs to one of two types, by whether it needs the lock of the target;
// the reconciler has one exhaustive switch for each.
import type { Execution } from '../objects/execution.ts';
import type { Block, Ref, TerminalPhase } from '../objects/remediation.ts';
import type { Workflow } from '../objects/workflow.ts';
import type { Answer } from './approval.ts';

/** Every outcome of a request, with what it means: a reason of its Event and of its condition Succeeded. */
export const OUTCOMES = {
	Remediated: 'The workflow ran and succeeded.',
	RemediationFailed: 'The workflow ran and failed.',
	ExecutionLost: 'The WorkflowExecution was deleted before it ended.',
	TimedOut: 'The deadline passed before anything could run, or the WorkflowExecution did not end in time.',
	RemediatedByAnother: 'The very same run succeeded on the target while the request waited.',
	DryRun: 'The workflow is in mode DryRun: nothing ran, the message says what would have run.',
	Resolved: 'The signal was resolved before anything ran.',
	Rejected: 'A RemediationApproval rejected it.',
} as const;
export type Outcome = keyof typeof OUTCOMES;

/** How a request ends. */
export type End = {
	readonly phase: TerminalPhase;
	readonly outcome: Outcome;
	readonly message: string;
	/** The request that this one is a duplicate of: people are notified of that one. */
	readonly duplicateOf?: Ref;
	/** The last failed execution, when failures kept it from running: people were notified of them. */
	readonly blockingExecution?: NonNullable<Block['holder']>;
	/** The answer that ended it. */
	readonly answer?: Answer;
};

/** Follows from what others wrote; of two replicas that do it, the API server rejects the second. */
export type FreeDecision =
	| { readonly do: 'nothing'; readonly requeueAt?: number }
	/** Its execution ended, and so does the request. */
	| ({ readonly do: 'finishExecuted' } & End)
	/** It names an execution that is not known: the API server must be asked. */
	| { readonly do: 'verifyExecution' }
	/** Its state asks for a NotificationRequest that was not made yet. */
	| { readonly do: 'notify' }
	/** Its retention is over. */
	| { readonly do: 'remove' };

/**
 * Says whether something runs on the target, so the lock must be held. Adopting too: the replica that made the execution
 * holds it, and is about to write the execution down.
 */
export type LockedDecision =
	| {
			readonly do: 'execute';
			readonly workflow: Workflow;
			readonly parameters: Readonly<Record<string, string>>;
			/** Where the workflow asks for one. */
			readonly answer?: Answer;
	  }
	/** An execution of this request exists already, whatever the status says. */
	| { readonly do: 'adopt'; readonly execution: Execution }
	| { readonly do: 'block'; readonly block: Block }
	/** It ends without an execution, so it must be certain that there is none. */
	| ({ readonly do: 'finish' } & End);

export type Decision = FreeDecision | LockedDecision;

const LOCKED: Readonly<Record<LockedDecision['do'], true>> = { execute: true, adopt: true, block: true, finish: true };

export function needsLock(decision: Decision): decision is LockedDecision {
	return decision.do in LOCKED;
}
