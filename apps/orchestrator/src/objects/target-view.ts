import type { Approval } from './approval.ts';
import type { Execution } from './execution.ts';
import type { Remediation } from './remediation.ts';
import type { Workflow } from './workflow.ts';

/** Everything that is known of one target: decisions are made from this and nothing else. */
export type TargetView = {
	readonly target: string;
	readonly requests: readonly Remediation[];
	readonly executions: readonly Execution[];
	readonly workflows: readonly Workflow[];
	/** Everything that people answered to a request. */
	readonly approvalsOf: (requestUid: string) => readonly Approval[];
	readonly pausedBecause: string | undefined;
	readonly now: number;
};
