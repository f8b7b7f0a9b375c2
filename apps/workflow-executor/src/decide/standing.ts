// The name of the run is taken: what that means for an execution that wants it. Decided from the run and its execution as
// the API server has them now, never from a cache: the watches of the two kinds run apart.
import { cooldownEndOf, type Execution, isOver } from '../objects/execution.ts';
import type { Run } from '../objects/run-engine.ts';
import { WORTH_WAITING_MS } from './deadline.ts';

/** Skipped is expensive (the orchestrator makes another execution), so it means that another really has the target. */
export type Standing =
	/** It is ours already: an earlier attempt made it. */
	| { readonly is: 'ours' }
	| { readonly is: 'busy'; readonly heldBy: string; readonly message: string }
	| { readonly is: 'cooling'; readonly heldBy: string; readonly message: string; readonly until: number }
	/** No execution needs it any more: it is removed, and waited for. */
	| { readonly is: 'stale'; readonly why: string }
	/** It passes by itself. */
	| { readonly is: 'passing'; readonly until: number };

export type Place = { readonly namespace: string; readonly cooldownMs: number; readonly now: number };

/** `holder`: the execution of the name that the run gives. */
export function standingOf(
	wanted: Pick<Execution, 'uid' | 'target'>,
	run: Run,
	holder: Execution | undefined,
	place: Place,
): Standing {
	if (!isOurs(run, wanted.target, place.namespace)) return foreign(run, wanted.target);
	if (run.owner?.uid === wanted.uid)
		return run.deletedAt === undefined ? { is: 'ours' } : { is: 'stale', why: 'it was deleted before it was claimed' };
	const why = whyStale(run, holder, place);
	if (why !== undefined) return { is: 'stale', why };
	const { name = '' } = holder ?? {};
	const until = holder === undefined ? undefined : cooldownEndOf(holder, place.cooldownMs);
	if (until === undefined) return { is: 'busy', heldBy: name, message: `${name} runs on ${wanted.target}` };
	return coolingUntil(name, until, place.now);
}

/** A cooldown that is nearly over is waited for. */
export function coolingUntil(holder: string, until: number, now: number): Standing {
	if (until - now <= WORTH_WAITING_MS) return { is: 'passing', until };
	const end = new Date(until).toISOString().replace(/\.\d{3}Z$/, 'Z');
	return { is: 'cooling', heldBy: holder, message: `${holder} ended recently; the cooldown lasts until ${end}`, until };
}

/** Made by an executor of this namespace, for exactly this target. */
export function isOurs(run: Run, target: string, namespace: string): boolean {
	return run.owner?.namespace === namespace && run.lockKey === target;
}

/** Undefined while its execution needs it. */
export function whyStale(run: Run, holder: Execution | undefined, { cooldownMs, now }: Place): string | undefined {
	if (holder === undefined || holder.uid !== run.owner?.uid) return 'its WorkflowExecution does not exist';
	if (holder.deleting) return 'its WorkflowExecution is being deleted';
	if (holder.phase === 'Skipped') return 'its WorkflowExecution was skipped';
	if (holder.run === undefined) {
		if (isOver(holder)) return 'its WorkflowExecution is over, and never named it';
		return run.deletedAt === undefined ? undefined : 'it was deleted before it was claimed';
	}
	if (holder.run.uid !== run.uid) return 'its WorkflowExecution names another run';
	if (!isOver(holder)) return undefined;
	if (run.deletedAt !== undefined) return 'it was deleted, and its outcome is recorded';
	return (cooldownEndOf(holder, cooldownMs) ?? 0) <= now ? 'its cooldown is over' : undefined;
}

function foreign(run: Run, target: string): Standing {
	const heldBy = `PipelineRun ${run.name}`;
	const whose = run.lockKey === undefined || run.lockKey === target ? 'is not of our making' : `is for ${run.lockKey}`;
	return { is: 'busy', heldBy, message: `${heldBy} has the name that locks ${target}, and ${whose}` };
}
