// Work on a run that is there: starting it, ending it in time, writing its outcome down, removing it. Each function does one
// step and says whether anything may have changed; a crash between any two leaves something that the next pass takes up.
import { DELETE_TASKS_AFTER_MS, deadlineOf, GIVE_UP_AFTER_MS, RECORD_AFTER_MS } from '../decide/deadline.ts';
import { forgetfulTasks, isAlive, POLL_MS, SETTLE_MS } from '../decide/removal.ts';
import { isOurs, whyStale } from '../decide/standing.ts';
import type { DistributedLock, LockPlace } from '../distributed-lock.ts';
import { type Execution, isRunning } from '../objects/execution.ts';
import type { KnownObjects } from '../objects/known-objects.ts';
import type { Outcome, Run, RunEngine, RunParts } from '../objects/run-engine.ts';
import type { EventRecorder } from './event-recorder.ts';
import type { ExecutionWriter } from './execution-writer.ts';

/** `changed`: decide anew at once. Otherwise there is nothing to do before `afterMs`, or before a watch shows something. */
export type Progress = { readonly changed: true } | { readonly changed: false; readonly afterMs?: number };
export type RunWorkParts = {
	readonly lock: DistributedLock;
	readonly engine: RunEngine;
	readonly known: KnownObjects;
	readonly writer: ExecutionWriter;
	readonly events: Pick<EventRecorder, 'record'>;
	readonly place: LockPlace;
	readonly now: () => number;
	readonly onAbandoned: (run: string) => void;
};
export type RunWork = {
	start(execution: Execution, run: Run): Promise<Progress>;
	conclude(execution: Execution, run: Run): Promise<Progress>;
	hurry(execution: Execution, run: Run): Promise<Progress>;
	clean(target: string, run: Run): Promise<Progress>;
	/** As the API server has it now; undefined when it is gone, or another has its name. */
	refresh(run: Run): Promise<Run | undefined>;
};

export const CHANGED: Progress = { changed: true };

export function createRunWork(parts: RunWorkParts): RunWork {
	const { lock, engine, known, writer, events, place, now } = parts;

	function learned(run: Run, answer: Run | undefined): Run | undefined {
		if (answer === undefined || answer.uid !== run.uid) known.runs.removed(run);
		if (answer !== undefined) known.runs.changed(answer);
		return answer?.uid === run.uid ? answer : undefined;
	}
	async function refresh(run: Run): Promise<Run | undefined> {
		return learned(run, await engine.get(run.name));
	}

	async function start(execution: Execution, run: Run): Promise<Progress> {
		const started = await engine.start(run);
		if (typeof started === 'string') {
			await refresh(run);
			await writer.refresh(execution);
			return CHANGED;
		}
		known.runs.changed(started);
		events.record(execution, 'Started', `PipelineRun ${run.name} was started on ${execution.target}`);
		return CHANGED;
	}

	/** The outcome is written when nothing lives any more, and in time even if something does. */
	async function conclude(execution: Execution, seen: Run): Promise<Progress> {
		// A run that is being deleted may have ended before, in a version that the watch has not shown.
		const run = seen.end === undefined ? await refresh(seen) : seen;
		if (run === undefined) return CHANGED;
		const found = await engine.look(run);
		const sinceMs = now() - Date.parse(run.endedAt ?? run.deletedAt ?? run.createdAt);
		const unfinished = found.tasks.filter(({ state, deleting }) => state === 'running' && !deleting);
		if (unfinished.length > 0) {
			// Tekton, which was refused something, may take its end back: its next reconcile writes over it. Only an end that
			// stays is acted on.
			if (run.end !== undefined && sinceMs < SETTLE_MS) return { changed: false, afterMs: SETTLE_MS - sinceMs };
			if (run.end !== undefined && (await refresh(run))?.end === undefined) return CHANGED;
			await engine.endTasks(unfinished, 'cancelled');
			return { changed: false, afterMs: POLL_MS };
		}
		const isLast = now() >= deadlineOf(execution) + GIVE_UP_AFTER_MS;
		if (isAlive(found) && sinceMs < RECORD_AFTER_MS && !isLast) {
			// The tasks of a run that has ended say why: they stay until that is written.
			if (run.end === undefined) await engine.endTasks(forgetfulTasks(found, sinceMs), 'deleted');
			return { changed: false, afterMs: POLL_MS };
		}
		if (run.end === undefined && run.state !== 'pending' && sinceMs < SETTLE_MS)
			return { changed: false, afterMs: SETTLE_MS - sinceMs };
		await writer.end(execution, outcomeOf(execution, run, found));
		return CHANGED;
	}

	function outcomeOf(execution: Execution, run: Run, found: RunParts): Outcome {
		if (run.end === undefined) return lost(execution, run);
		const outcome = engine.outcomeOf(run.end, found);
		const isLate = Date.parse(run.endedAt ?? '') >= deadlineOf(execution);
		if (outcome.phase === 'Failed' && outcome.reason === 'Cancelled' && isLate && !execution.deleting)
			return {
				...outcome,
				reason: 'DeadlineExceeded',
				summary: 'The run did not end within its time-out, and was cancelled.',
			};
		return outcome;
	}

	/** The engine has let the time-out pass: the run is cancelled, then its tasks go, then the outcome is written without it. */
	async function hurry(execution: Execution, seen: Run): Promise<Progress> {
		const run = await refresh(seen);
		if (run === undefined || run.state === 'done' || run.deletedAt !== undefined) return CHANGED;
		const lateMs = now() - deadlineOf(execution);
		if (run.state !== 'cancelled')
			try {
				const cancelled = await engine.cancel(run);
				learned(run, typeof cancelled === 'string' ? await engine.get(run.name) : cancelled);
				return CHANGED;
			} catch (error) {
				// While Tekton's webhook is away nothing changes a run: the outcome does not wait for that, and the name stays taken.
				if (lateMs < GIVE_UP_AFTER_MS) throw error;
				return giveUp(execution, `PipelineRun ${run.name} did not end within its time-out, and cannot be cancelled`);
			}
		if (lateMs < DELETE_TASKS_AFTER_MS) return { changed: false, afterMs: DELETE_TASKS_AFTER_MS - lateMs };
		const found = await engine.look(run);
		const left = found.tasks.filter(({ deleting, state }) => !deleting && state !== 'done');
		if (left.length > 0) await engine.endTasks(left, 'deleted');
		if (lateMs < GIVE_UP_AFTER_MS) return { changed: false, afterMs: Math.min(5 * POLL_MS, GIVE_UP_AFTER_MS - lateMs) };
		return giveUp(execution, `PipelineRun ${run.name} was cancelled after its time-out, and Tekton did not end it`);
	}

	async function giveUp(execution: Execution, message: string): Promise<Progress> {
		await writer.end(execution, failed('DeadlineExceeded', message, message, true));
		return CHANGED;
	}

	/** Removes one step of a run that no execution needs, after the API server has confirmed that. */
	async function clean(target: string, seen: Run): Promise<Progress> {
		const found = await lock.inspect(target);
		const run = learned(seen, found?.run);
		if (found === undefined || run === undefined) return CHANGED;
		const { holder } = found;
		if (holder !== undefined) known.executions.changed(holder);
		else if (run.owner !== undefined) forget(run.owner.name);
		const isConfirmed =
			isOurs(run, target, place.namespace) && whyStale(run, holder, { ...place, now: now() }) !== undefined;
		if (!isConfirmed) return CHANGED;
		// It was deleted while it ran: it is ended, and its outcome written, before it goes.
		if (holder !== undefined && isRunning(holder) && holder.run?.uid === run.uid)
			if (run.state === 'done' || run.deletedAt !== undefined) return conclude(holder, run);
		const released = await lock.release({ run, holder });
		if (released.step === 'wait')
			return released.afterMs === undefined ? { changed: false } : { changed: false, afterMs: released.afterMs };
		const about = holder ?? { name: run.owner?.name ?? run.name, uid: run.owner?.uid ?? '', resourceVersion: '' };
		if (released.step === 'abandon') {
			parts.onAbandoned(run.name);
			events.record(about, 'LockAbandoned', `PipelineRun ${run.name} was abandoned: ${released.why}`);
		}
		if (released.step === 'free')
			events.record(about, 'LockReleased', `PipelineRun ${run.name} is gone; ${target} is free`);
		await refresh(run);
		return released.step === 'endTasks' ? { changed: false, afterMs: POLL_MS } : CHANGED;
	}

	function forget(name: string): void {
		const execution = known.executions.get(name);
		if (execution !== undefined) known.executions.removed(execution);
	}

	return { start, conclude, hurry, clean, refresh };
}

/** It was deleted before it ended. */
export function lost(execution: Execution, run: Run | undefined): Outcome {
	const name = run?.name ?? execution.run?.name ?? 'the run';
	// Its parts may be gone already: only of one that never started it is certain that no step began.
	const mayHaveActed = run?.state !== 'pending';
	return execution.deleting
		? failed(
				'Cancelled',
				'the WorkflowExecution was deleted while it ran',
				'It was deleted while it ran, and its run was ended.',
				mayHaveActed,
			)
		: failed(
				'ExternallyDeleted',
				`PipelineRun ${name} was deleted before it ended`,
				`PipelineRun ${name} was deleted before it ended.`,
				mayHaveActed,
			);
}

function failed(
	reason: Extract<Outcome, { phase: 'Failed' }>['reason'],
	message: string,
	summary: string,
	wasExecutionFailure: boolean,
): Outcome {
	return { phase: 'Failed', reason, message, summary, wasExecutionFailure };
}
