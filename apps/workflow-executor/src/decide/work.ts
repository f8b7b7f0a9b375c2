// What a target needs next, as far as the watches have shown: proposals only. Each is confirmed before anything is written
// that cannot be taken back (Skipped, ExternallyDeleted, every clean-up), because the watches of runs and of executions run
// apart: a run may be seen before its execution, and an execution's claim before its run.
import { CLEANUP_FINALIZER, cooldownEndOf, type Execution, isOver, isRunning } from '../objects/execution.ts';
import type { TargetView } from '../objects/known-objects.ts';
import { isRunOf, type Run } from '../objects/run-engine.ts';
import { CANCEL_AFTER_MS, deadlineOf } from './deadline.ts';
import { whyStale } from './standing.ts';

export type Work =
	/** Get the lock, or find out why not. */
	| { readonly do: 'begin'; readonly execution: Execution }
	/** The run is there, and no execution names it yet. */
	| { readonly do: 'claim'; readonly execution: Execution; readonly run: Run }
	| { readonly do: 'start'; readonly execution: Execution; readonly run: Run }
	/** The engine is done with it, or will never be. */
	| { readonly do: 'conclude'; readonly execution: Execution; readonly run: Run }
	/** The engine has let its time-out pass. */
	| { readonly do: 'hurry'; readonly execution: Execution; readonly run: Run }
	/** Its run is not to be seen. */
	| { readonly do: 'verifyRun'; readonly execution: Execution }
	/** No execution needs it any more. */
	| { readonly do: 'clean'; readonly run: Run }
	/** The execution is being deleted, and no run of it is to be seen. */
	| { readonly do: 'letGo'; readonly execution: Execution };
export type Proposal = { readonly work: readonly Work[]; readonly lookAgainAt: number };

export type WorkPlace = { readonly namespace: string; readonly cooldownMs: number };

export function proposeWork(view: TargetView, place: WorkPlace): Proposal {
	const { run, owner, open, now } = view;
	const ofRun = run === undefined ? NOTHING : workOnRun(run, owner, { ...place, now });
	const ofExecutions = open.map((execution) => workOnExecution(execution, run));
	const all = [ofRun, ...ofExecutions];
	return {
		work: all.flatMap(({ work }) => work),
		lookAgainAt: Math.min(...all.map(({ lookAgainAt }) => lookAgainAt)),
	};
}

const NOTHING: Proposal = { work: [], lookAgainAt: Infinity };
const propose = (work: Work): Proposal => ({ work: [work], lookAgainAt: Infinity });
const lookAgainAt = (time: number): Proposal => ({ work: [], lookAgainAt: time });

function workOnRun(run: Run, owner: Execution | undefined, place: WorkPlace & { readonly now: number }): Proposal {
	if (owner === undefined || whyStale(run, owner, place) !== undefined) return propose({ do: 'clean', run });
	if (!isOver(owner) && !isRunning(owner)) return propose({ do: 'claim', execution: owner, run });
	if (isOver(owner)) return lookAgainAt(cooldownEndOf(owner, place.cooldownMs) ?? place.now);
	if (run.state === 'done' || run.deletedAt !== undefined) return propose({ do: 'conclude', execution: owner, run });
	const hurryAt = hurryTimeOf(owner, run);
	if (place.now >= hurryAt) return propose({ do: 'hurry', execution: owner, run });
	return run.state === 'pending' ? propose({ do: 'start', execution: owner, run }) : lookAgainAt(hurryAt);
}

/** A run that was not started in time is not started any more. */
export function hurryTimeOf(execution: Execution, { state }: Run): number {
	return deadlineOf(execution) + (state === 'pending' ? 0 : CANCEL_AFTER_MS);
}

function workOnExecution(execution: Execution, run: Run | undefined): Proposal {
	if (isRunOf(run, execution)) return NOTHING; // the run says what to do
	if (isRunning(execution)) return propose({ do: 'verifyRun', execution });
	if (execution.deleting)
		return execution.finalizers.includes(CLEANUP_FINALIZER) ? propose({ do: 'letGo', execution }) : NOTHING;
	return isOver(execution) ? NOTHING : propose({ do: 'begin', execution });
}
