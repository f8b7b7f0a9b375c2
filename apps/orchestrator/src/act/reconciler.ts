// One pass over one target: what is to be done about each of its requests, as work that the controller takes turns at.
// Level-based: it reads what is, not what happened. A crash between any two calls leaves something that the next pass, of
// any replica, takes up: an execution without its reference is adopted, a phase without its notification is notified.
// Decisions that something may run, must wait or is over without a run are carried out under the target's lock; following
// an execution to its end needs none. Neither is safe because of the lock: names, versions and tested fields see to that.

import { decide } from '../decide/decide.ts';
import { type End, type LockedDecision, needsLock } from '../decide/decision.ts';
import type { RoutingConfig } from '../decide/routing-config.ts';
import { blockPatch, executingPatch, type Fencing, finishPatch } from '../decide/status-patch.ts';
import { toWithdraw } from '../decide/withdrawal.ts';
import type { DistributedLock, Held } from '../distributed-lock.ts';
import type { Execution } from '../objects/execution.ts';
import { newestOf } from '../objects/execution.ts';
import type { KnownObjects } from '../objects/known-objects.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import type { ConfigMap } from '../objects/pause-switch.ts';
import { type Block, compareAge, type Remediation } from '../objects/remediation.ts';
import { addExecution, findOurs, MAX_STEPS } from './execution-chain.ts';
import { type CreateFailure, type FailedCreates, PauseUnreadableError } from './failed-creates.ts';
import { Faults } from './faults.ts';
import { createFreeWork } from './free-work.ts';
import type { CompleteView, TextReader } from './missing-texts.ts';
import { type ExecutionDefaults, newExecution } from './new-execution.ts';
import { rememberingChain } from './remembering-chain.ts';
import type { RequestWriter, WriterObserver } from './request-writer.ts';

export type DecisionObserver = WriterObserver & {
	removed(phase: string): void;
	contended(target: string, holder: string): void;
	withdrawn(execution: string, why: string): void;
	createFailed(reason: CreateFailure): void;
	eventFailed(error: unknown): void;
};
export type ReconcilerConfig = RoutingConfig & ExecutionDefaults;
export type ReconcilerParts = {
	readonly lock: Pick<DistributedLock, 'withLock' | 'leaseName' | 'knownHolder'>;
	readonly store: ObjectStore;
	readonly known: KnownObjects;
	readonly writer: RequestWriter;
	readonly texts: TextReader;
	readonly failedCreates: Pick<FailedCreates, 'failed' | 'succeeded'>;
	/** The ConfigMap of the pause switch as it is now; undefined when there is none. */
	readonly readPause: () => Promise<ConfigMap | undefined>;
	readonly config: ReconcilerConfig;
	readonly now: () => Date;
	readonly observer: Pick<DecisionObserver, 'removed' | 'contended' | 'withdrawn'>;
	/** Another replica holds the lock: the target is requeued when it is released, at the latest after a wait. */
	readonly requeueOnRelease: (target: string) => void;
};
type UnderLock = {
	readonly left: 'underLock';
	readonly act: (onLocked: () => void) => Promise<'done' | 'contended'>;
};
/** What is left to do for a target after one pass. */
export type Reconciled =
	| { readonly left: 'nothing'; readonly afterMs?: number }
	/** What needs no lock comes first. `isDone`: the API server accepted some of it. */
	| {
			readonly left: 'freely';
			readonly act: () => Promise<{
				readonly isDone: boolean;
				readonly rest: UnderLock | { readonly left: 'unknown' };
			}>;
	  }
	| UnderLock;

export function createReconciler(parts: ReconcilerParts): (target: string) => Promise<Reconciled> {
	const { lock, store, known, config, now, observer, writer } = parts;
	const { write, notify } = writer;
	const freeWork = createFreeWork(parts);
	const viewOf = (target: string) => known.viewOf(target, now().getTime());
	const chainStore = rememberingChain(store, known);

	async function reconcile(target: string): Promise<Reconciled> {
		const completeView = parts.texts.completing(() => viewOf(target));
		const view = await completeView();
		const free = toWithdraw(view, config).map((withdrawal) => () => freeWork.withdraw(withdrawal));
		let locked = false;
		let requeueAt = Infinity;
		for (const request of view.requests) {
			const decision = decide(request, view, config);
			if (needsLock(decision)) locked = true;
			else if (decision.do === 'nothing') requeueAt = Math.min(requeueAt, decision.requeueAt ?? Infinity);
			else free.push(() => freeWork.act(request, decision));
		}
		const underLock = (faults: Faults): UnderLock => ({
			left: 'underLock',
			act: (onLocked) => actUnderLock(target, completeView, onLocked, faults),
		});
		if (free.length > 0)
			return {
				left: 'freely',
				/** A fault with one request does not keep the others of the target waiting. */
				async act() {
					const faults = new Faults();
					let isDone = false;
					for (const work of free) await faults.keep(async () => void (isDone = (await work()) || isDone));
					if (locked) return { isDone, rest: underLock(faults) };
					faults.throwFirst();
					return { isDone, rest: { left: 'unknown' } };
				},
			};
		if (locked) return underLock(new Faults());
		return requeueAt === Infinity
			? { left: 'nothing' }
			: { left: 'nothing', afterMs: Math.max(0, requeueAt - now().getTime()) };
	}

	async function actUnderLock(
		target: string,
		completeView: CompleteView,
		onLocked: () => void,
		faults: Faults,
	): Promise<'done' | 'contended'> {
		const holder = lock.knownHolder(target) ?? (await routeAll(target, completeView, onLocked));
		if (holder !== undefined) {
			observer.contended(target, holder);
			parts.requeueOnRelease(target);
			return 'contended';
		}
		faults.throwFirst();
		return 'done';
	}

	/** The holder's name when another replica holds the lock. The oldest request comes first. */
	async function routeAll(
		target: string,
		completeView: CompleteView,
		onLocked: () => void,
	): Promise<string | undefined> {
		const toNotify: Remediation[] = [];
		const faults = new Faults();
		const result = await lock.withLock(target, async (held) => {
			onLocked();
			for (const { name } of viewOf(target).requests.toSorted(compareAge))
				await faults.keep(async () => {
					const changed = await routeOne(name, completeView, held);
					if (changed !== undefined) toNotify.push(changed);
				});
		});
		for (const request of toNotify) await faults.keep(() => notify(request));
		faults.throwFirst();
		return result.outcome === 'contended' ? result.holder : undefined;
	}

	/** The request as it was written; undefined when nothing was. */
	async function routeOne(name: string, completeView: CompleteView, held: Held): Promise<Remediation | undefined> {
		const view = await completeView();
		const request = view.requests.find((one) => one.name === name);
		if (request === undefined) return undefined;
		const decision = decide(request, view, config);
		if (!needsLock(decision)) return undefined;
		held.assertHeld();
		return route(request, decision, completeView, held);
	}

	function route(
		request: Remediation,
		decision: LockedDecision,
		completeView: CompleteView,
		held: Held,
	): Promise<Remediation | undefined> {
		const fencing = { lease: lock.leaseName(request.target), token: Number(held.fencingToken) };
		switch (decision.do) {
			case 'execute':
				return execute(request, completeView, held, fencing).catch((error: unknown) => {
					const why = parts.failedCreates.failed(request, error);
					if (why === undefined) throw error; // so that it is retried soon
					return block(request, why, fencing);
				});
			case 'adopt':
				return startExecuting(request, decision.execution, 'adopt', fencing);
			case 'block':
				return block(request, decision.block, fencing);
			case 'finish':
				return finishWithoutExecution(request, decision, fencing);
		}
	}

	/**
	 * Read again under the lock: a decision from an old view is made anew, at every step forward. The pause switch too: its
	 * watch may be late, or lost.
	 */
	async function execute({ name, target }: Remediation, completeView: CompleteView, held: Held, fencing: Fencing) {
		const [fresh] = await Promise.all([store.getRequest(name), refreshPause()]);
		if (fresh === undefined) return undefined;
		known.requests.changed(fresh);
		for (let step = 0; step < MAX_STEPS; step++) {
			const view = await completeView();
			const decision = decide(fresh, view, config);
			if (decision.do !== 'execute') return undefined;
			const { workflow, parameters } = decision;
			const added = await addExecution(
				{
					...chainStore,
					create: (executionName, chain) => {
						const place = { name: executionName, chain, fencingToken: held.fencingToken };
						return store.createExecution(newExecution(place, fresh, workflow, parameters, config));
					},
				},
				{
					target,
					requestUid: fresh.uid,
					view: newestOf(view.executions),
					beforeWrite: () => held.assertHeld(),
				},
			);
			if (added.outcome === 'moved') continue; // the newest link is known by now, and may forbid it
			known.executions.changed(added.execution);
			if (added.outcome === 'busy') return undefined; // the next pass finds it blocked by this execution
			parts.failedCreates.succeeded(fresh);
			return startExecuting(fresh, added.execution, added.outcome === 'adopted' ? 'adopt' : 'execute', fencing);
		}
		throw new Error(`the chain of ${target} did not settle within ${MAX_STEPS} steps`);
	}

	async function refreshPause(): Promise<void> {
		try {
			const configMap = await parts.readPause();
			if (configMap !== undefined) known.pause.changed(configMap);
		} catch (error) {
			const reason = error instanceof Error ? error.message : String(error);
			const message = `the pause switch cannot be read, so that everything is paused: ${reason}`;
			throw new PauseUnreadableError(message, { cause: error });
		}
	}

	function startExecuting(request: Remediation, execution: Execution, why: 'execute' | 'adopt', fencing: Fencing) {
		const message = `${execution.name} runs ${execution.workflowName} on ${execution.target}`;
		const patchOf = (fresh: Remediation) => executingPatch(fresh, execution, message, now());
		return write(request, patchOf, { do: why, message }, fencing);
	}

	function block(request: Remediation, why: Block, fencing: Fencing): Promise<Remediation | undefined> {
		return write(request, (fresh) => blockPatch(fresh, why, now()), { do: 'block', block: why }, fencing);
	}

	async function finishWithoutExecution(request: Remediation, end: End, fencing: Fencing) {
		const { target, uid } = request;
		const view = newestOf(viewOf(target).executions);
		const ours = await findOurs(chainStore, { target, requestUid: uid, view });
		if (ours === undefined)
			return write(request, (fresh) => finishPatch(fresh, end, now()), { ...end, do: 'finish' }, fencing);
		known.executions.changed(ours); // adopted by the next pass
		return undefined;
	}

	return reconcile;
}
