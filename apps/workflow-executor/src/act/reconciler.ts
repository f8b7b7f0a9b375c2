// Does what a target needs: gets the lock for executions that wait, and takes every run to its end. Proposals come from the
// caches (decide/work.ts); what cannot be taken back is written only after a read has confirmed it.
import { mayStillBeMade } from '../decide/announced-successor.ts';
import { refusalOf } from '../decide/create-refusal.ts';
import { deadlineOf } from '../decide/deadline.ts';
import { type RunPolicy, requestRun } from '../decide/run-policy.ts';
import { coolingUntil, type Standing } from '../decide/standing.ts';
import { failedBefore } from '../decide/status-patch.ts';
import { hurryTimeOf, type Proposal, proposeWork, type Work } from '../decide/work.ts';
import { LockFault } from '../distributed-lock.ts';
import { KubeError } from '../kube/kube.ts';
import { cooldownEndOf, type Execution, isOver, isRunning } from '../objects/execution.ts';
import type { ExecutionStore } from '../objects/execution-store.ts';
import { isRunOf, type NewRun, runName } from '../objects/run-engine.ts';
import { CHANGED, createRunWork, lost, type Progress, type RunWorkParts } from './run-work.ts';

export type ReconcilerParts = RunWorkParts & {
	readonly store: ExecutionStore;
	readonly policy: RunPolicy;
	readonly podName: string;
	readonly onTakenOver: (run: string) => void;
};
export type Reconciler = {
	propose(target: string): Proposal;
	act(target: string, work: readonly Work[]): Promise<Progress>;
};

/** Less is not enough for a run: Tekton takes a time-out of 0 for none. */
const MIN_RUN_MS = 1000;
/** Waits that a watch ends are looked at again after this, so that nothing rests on the watch alone. */
const LOOK_AGAIN_MS = 15_000;
const SUCCESSOR_MS = 5000;

export function createReconciler(parts: ReconcilerParts): Reconciler {
	const { lock, engine, store, known, writer, place, policy, podName, now } = parts;
	const runs = createRunWork(parts);

	/** A fault with one execution does not keep the others of the target waiting. */
	async function act(target: string, work: readonly Work[]): Promise<Progress> {
		let changed = false;
		let afterMs = Infinity;
		const faults: unknown[] = [];
		for (const one of work)
			try {
				const progress = await doOne(target, one);
				if (progress.changed) changed = true;
				else afterMs = Math.min(afterMs, progress.afterMs ?? LOOK_AGAIN_MS);
			} catch (error) {
				faults.push(error);
			}
		if (faults.length > 0) throw faults[0];
		return changed ? CHANGED : { changed: false, afterMs };
	}

	function doOne(target: string, work: Work): Promise<Progress> {
		switch (work.do) {
			case 'begin':
				return begin(work.execution);
			case 'claim':
				return afterClaim(lock.claim(work.execution, work.run));
			case 'start':
				return runs.start(work.execution, work.run);
			case 'conclude':
				return runs.conclude(work.execution, work.run);
			case 'hurry':
				return runs.hurry(work.execution, work.run);
			case 'verifyRun':
				return verifyRun(work.execution);
			case 'clean':
				return runs.clean(target, work.run);
			case 'letGo':
				return letGo(work.execution);
		}
	}

	async function begin(execution: Execution): Promise<Progress> {
		const timeLeftMs = deadlineOf(execution) - now();
		if (timeLeftMs < MIN_RUN_MS) return end(execution, outOfTime(execution));
		const request = requestRun(execution, policy, { namespace: place.namespace, podName, timeLeftMs });
		if ('refused' in request) return end(execution, failedBefore('ConfigurationError', request.refused));
		const isTaken = known.runs.get(request.run.name) !== undefined;
		const heldBack = isTaken ? undefined : await confirmResourceLock(execution);
		if (heldBack !== undefined) return follow(execution, heldBack);
		const acquisition = await tryAcquire(execution, request.run, isTaken);
		if (acquisition === 'notCreated') return { changed: false, afterMs: Math.min(LOOK_AGAIN_MS, timeLeftMs) };
		if (acquisition.outcome !== 'contended') return afterClaim(Promise.resolve(acquisition));
		if (acquisition.run !== undefined) known.runs.changed(acquisition.run);
		if (acquisition.holder !== undefined) known.executions.changed(acquisition.holder);
		return follow(execution, acquisition.standing);
	}

	/** Layer 1: what the caches propose, as the API server has it. */
	async function confirmResourceLock(execution: Execution): Promise<Standing | undefined> {
		const proposed = known.locks.checkResourceLock(execution);
		if (proposed === undefined) return undefined;
		const holder = await writer.refresh(proposed.holder);
		if (holder === undefined || holder.deleting) return undefined;
		// It runs, and its run was not seen: the create finds out.
		const until = cooldownEndOf(holder, place.cooldownMs);
		if (until === undefined || until <= now()) return undefined;
		return coolingUntil(holder.name, until, now());
	}

	async function follow(execution: Execution, standing: Standing): Promise<Progress> {
		switch (standing.is) {
			case 'busy':
			case 'cooling': {
				const { heldBy, message } = standing;
				const reason = standing.is === 'busy' ? 'ResourceBusy' : 'RecentlyRemediated';
				await writer.markSkipped(execution, { reason, message, heldBy });
				return CHANGED;
			}
			case 'stale': {
				const run = known.runs.get(runName(execution.target));
				return run === undefined ? CHANGED : runs.clean(execution.target, run);
			}
			case 'passing':
				return { changed: false, afterMs: Math.max(0, standing.until - now()) };
			case 'ours':
				return CHANGED;
		}
	}

	/** A rejection that is the execution's own fault ends it; everything else is waited for, with a growing wait. */
	async function tryAcquire(execution: Execution, run: NewRun, isTaken: boolean) {
		try {
			return await lock.tryAcquire(execution, run, isTaken);
		} catch (error) {
			const cause = error instanceof LockFault ? error.cause : error;
			if (!(cause instanceof KubeError)) throw error;
			const refusal = refusalOf(cause);
			if (refusal.do === 'fail') {
				const summary = `The API server rejected the PipelineRun: ${cause.message}`;
				await writer.end(execution, failedBefore(refusal.reason, cause.message, summary));
				return 'notCreated';
			}
			await writer.wait(execution, refusal.reason, cause.message);
			throw error;
		}
	}

	async function afterClaim(claiming: ReturnType<typeof lock.claim>): Promise<Progress> {
		const claimed = await claiming;
		if (claimed.outcome === 'unwanted') {
			if (claimed.execution !== undefined) known.executions.changed(claimed.execution);
			return CHANGED;
		}
		known.runs.changed(claimed.run);
		known.executions.changed(claimed.execution);
		const { execution, run } = claimed;
		if (run.madeBy !== podName) parts.onTakenOver(run.name);
		return run.state === 'pending' && now() < hurryTimeOf(execution, run) ? runs.start(execution, run) : CHANGED;
	}

	async function verifyRun(execution: Execution): Promise<Progress> {
		const run = await engine.get(execution.run?.name ?? runName(execution.target));
		if (run !== undefined) known.runs.changed(run);
		// A person may have taken its labels off: it is there, and its watch does not show it.
		if (run?.uid === execution.run?.uid) return isRunOf(run, execution) ? CHANGED : { changed: false };
		const fresh = await writer.refresh(execution);
		if (fresh === undefined || !isRunning(fresh)) return CHANGED;
		return end(fresh, lost(fresh, undefined));
	}

	/** It is being deleted. Its finalizer goes when no run of it is left, and the chain of its target does not need it. */
	async function letGo(seen: Execution): Promise<Progress> {
		const run = await engine.get(runName(seen.target));
		if (isRunOf(run, seen)) {
			known.runs.changed(run);
			return CHANGED;
		}
		const execution = await writer.refresh(seen);
		if (execution === undefined) return CHANGED;
		if (isRunning(execution)) return verifyRun(execution);
		if (!isOver(execution))
			return end(execution, failedBefore('Cancelled', 'the WorkflowExecution was deleted before its run began'));
		if (mayStillBeMade(execution, now()) && !(await store.hasLater(execution)))
			return { changed: false, afterMs: SUCCESSOR_MS };
		const freed = await store.dropFinalizer(execution);
		if (typeof freed === 'object') known.executions.changed(freed);
		else await writer.refresh(execution);
		return CHANGED;
	}

	async function end(execution: Execution, outcome: Parameters<typeof writer.end>[1]): Promise<Progress> {
		await writer.end(execution, outcome);
		return CHANGED;
	}

	return {
		propose: (target) => proposeWork(known.viewOf(target), place),
		act,
	};
}

/** No run could be made in time: the reason of the wait says why. */
function outOfTime({ conditions }: Execution) {
	const waiting = conditions.find(({ type, status }) => type === 'Waiting' && status === 'True');
	return waiting?.reason === 'QuotaExceeded'
		? failedBefore(
				'ResourceExhausted',
				waiting.message,
				'No run could be made within the time-out: a quota is used up.',
			)
		: failedBefore(
				'DeadlineExceeded',
				waiting?.message ?? 'the time-out passed',
				'No run could be made within the time-out.',
			);
}
