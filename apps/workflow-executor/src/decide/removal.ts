// How a run that is not needed any more is removed, one step at a time: cancel, wait until the engine says done, wait until
// nothing of it lives, delete it with its parts, and only then give its name free.
// Tekton does not touch a run that is being deleted: no cancel, no time-out, no outcome. Its tasks are ended here then.
import type { Run, RunParts, RunTask } from '../objects/run-engine.ts';

export type RemovalStep =
	| { readonly do: 'cancel' | 'remove' | 'free' | 'look' }
	/** Nothing of it is left, and only the garbage collector's finalizer is on it: a DELETE in the background takes that off. */
	| { readonly do: 'skipCollector' }
	/** The engine's node cannot be reached, or it does not answer: the name is given free without its word. */
	| { readonly do: 'abandon'; readonly why: string }
	| { readonly do: 'endTasks'; readonly tasks: readonly RunTask[]; readonly how: 'cancelled' | 'deleted' }
	/** `afterMs` undefined: the watch of runs shows when it goes on. */
	| { readonly do: 'wait'; readonly afterMs?: number };

/** Pods are not watched. */
export const POLL_MS = 1000;
/** A reconcile of Tekton that was under way when the run ended or was deleted may still make a task, or take the end back. */
export const SETTLE_MS = 10_000;

/**
 * The garbage collector is done within seconds, unless its changes of finalizers fail, as they do while Tekton's webhook is
 * away: it then waits for its next try as long as it has failed, up to a quarter of an hour.
 */
const COLLECTOR_LATE_MS = 30_000;

export type RemovalPlace = {
	/** Its execution names it: a replica that read that may be about to start it. */
	readonly claimed: boolean;
	/** Since when its execution does not need it. */
	readonly unneededSince: number;
	readonly now: number;
	readonly orphanAfterMs: number;
};

/** `parts`: undefined when it was not looked at yet. */
export function removalStep(
	run: Run,
	parts: RunParts | undefined,
	{ claimed, unneededSince, now, orphanAfterMs }: RemovalPlace,
): RemovalStep {
	const deletedAt = run.deletedAt === undefined ? undefined : Date.parse(run.deletedAt);
	const since = Math.max(unneededSince, deletedAt ?? Date.parse(run.endedAt ?? run.createdAt));
	const isOrphan = now - since >= orphanAfterMs;
	if (deletedAt === undefined) {
		// A start that comes late meets the cancelled run, and is rejected.
		if (run.state === 'running' || (run.state === 'pending' && claimed)) return { do: 'cancel' };
		// Never started, and named by no execution: no replica will start it.
		if (run.state === 'pending') return { do: 'remove' };
		// Tekton is not waited for any longer. Its name is not given free yet: of a run without an execution it is not known since
		// when it is not needed, so what still lives has its own time from the DELETE on.
		if (run.state === 'cancelled')
			return isOrphan ? { do: 'remove' } : { do: 'wait', afterMs: orphanAfterMs - (now - since) };
	}
	if (parts === undefined) return { do: 'look' };
	const unfinished = parts.tasks.filter(({ state, deleting }) => state === 'running' && !deleting);
	if (unfinished.length > 0) return { do: 'endTasks', tasks: unfinished, how: 'cancelled' };
	const alive = parts.pods.filter((pod) => pod.alive);
	if (alive.length > 0 && isOrphan)
		return { do: 'abandon', why: `its pods did not end: ${alive.map(({ name }) => name).join(', ')}` };
	const forgetful = forgetfulTasks(parts, now - since);
	if (forgetful.length > 0) return { do: 'endTasks', tasks: forgetful, how: 'deleted' };
	if (alive.length > 0) return { do: 'wait', afterMs: POLL_MS };
	if (deletedAt === undefined) return { do: 'remove' };
	const left = parts.tasks.length + parts.pods.length;
	if (left > 0 && isOrphan) return { do: 'abandon', why: `${left} of its TaskRuns and pods do not go` };
	if (left > 0 && !run.inForeground) return { do: 'remove' };
	const isCollectorLate = now - deletedAt >= COLLECTOR_LATE_MS;
	const waiting = parts.tasks.filter((task) => task.deleting && task.inForeground);
	if (isCollectorLate && parts.pods.length === 0 && waiting.length > 0)
		return { do: 'endTasks', tasks: waiting, how: 'deleted' };
	if (left > 0) return { do: 'wait', afterMs: POLL_MS };
	if (mayGrow(run) && now - deletedAt < SETTLE_MS) return { do: 'wait', afterMs: SETTLE_MS - (now - deletedAt) };
	if (run.held) return { do: 'free' };
	return run.inForeground && isCollectorLate ? { do: 'skipCollector' } : { do: 'wait' };
}

/** It was started and is not done: the engine may be in the middle of making a task. */
function mayGrow({ state }: Run): boolean {
	return state === 'running' || state === 'cancelled';
}

/** Something of it runs, or may still begin. */
export function isAlive({ tasks, pods }: RunParts): boolean {
	return tasks.some(({ state }) => state !== 'done') || pods.some(({ alive }) => alive);
}

/**
 * Tekton ends a task and leaves its pod running when the task does not name it yet: it died between making the pod and writing
 * that down, or the task was cancelled in that moment. Such a task is deleted, and its pod goes with it. `sinceMs`: since the run
 * was ended or deleted.
 */
export function forgetfulTasks({ tasks, pods }: RunParts, sinceMs: number): RunTask[] {
	if (sinceMs < SETTLE_MS || !pods.some(({ alive, deleting }) => alive && !deleting)) return [];
	return tasks.filter(({ state, deleting }) => state === 'done' && !deleting);
}
