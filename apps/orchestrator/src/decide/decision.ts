// What is to be done about one RemediationRequest. Decisions are values: made by pure functions from what is known,
// carried out by the reconciler, counted by an observer.
import type { Execution } from '../objects/execution.ts';
import type { Block, Phase, Remediation } from '../objects/remediation.ts';
import type { Workflow } from './workflow-match.ts';

export type TerminalPhase = Extract<Phase, 'Completed' | 'Failed' | 'TimedOut' | 'Skipped' | 'Cancelled'>;

export type Finish = {
	readonly do: 'finish';
	readonly phase: TerminalPhase;
	/** One CamelCase word. */
	readonly outcome: string;
	readonly message: string;
	/** The execution that it followed to its end. Without one, it must be certain that there is none. */
	readonly after?: Execution;
	/** Whose outcome it is, when it is not its own. */
	readonly inheritedFrom?: Remediation;
};
export type Decision =
	| { readonly do: 'nothing'; readonly againAt?: number }
	| { readonly do: 'execute'; readonly workflow: Workflow; readonly parameters: Readonly<Record<string, string>> }
	/** An execution of ours is there already, whatever the status says. */
	| { readonly do: 'adopt'; readonly execution: Execution }
	| { readonly do: 'block'; readonly block: Block }
	| Finish
	/** It says that something runs which we do not know: the API server must be asked. */
	| { readonly do: 'look' }
	/** It has somebody to be told of it who was not told yet. */
	| { readonly do: 'notify' }
	/** Its time is over. */
	| { readonly do: 'remove' };

export const DECISIONS = ['execute', 'adopt', 'block', 'finish', 'look', 'notify', 'remove'] as const;

/** Everything that is known of one target. */
export type TargetView = {
	readonly target: string;
	readonly requests: readonly Remediation[];
	readonly executions: readonly Execution[];
	readonly workflows: readonly Workflow[];
	/** A person's word on a request. */
	readonly approvalOf: (
		requestUid: string,
	) => { readonly decision: 'Approved' | 'Rejected'; readonly reason: string } | undefined;
	readonly pausedBecause: string | undefined;
	readonly now: number;
};
