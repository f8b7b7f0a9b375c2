// One pass over one target: what is to be done about each of its requests, and doing it.
// Level-based: it reads what is, not what happened. A crash between any two calls leaves something that the next pass, of
// any replica, takes up: an execution without its reference is adopted, a phase without its notification is notified.
// Decisions that something may run, must wait or is over without a run are carried out under the target's lock; following
// an execution to its end needs none. Neither is safe because of the lock: names, versions and tested fields see to that.

import { decide, toWithdraw } from '../decide/decide.ts';
import { type End, type FreeDecision, type LockedDecision, needsLock } from '../decide/decision.ts';
import type { RoutingConfig } from '../decide/routing-config.ts';
import { blockMessage, blockPatch, executingPatch, type Fencing, finishPatch } from '../decide/status-patch.ts';
import type { DistributedLock, Held } from '../distributed-lock.ts';
import { KubeError } from '../kube/kube.ts';
import type { Execution } from '../objects/execution.ts';
import { newestOf } from '../objects/execution.ts';
import type { KnownObjects } from '../objects/known-objects.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import { type Block, compareAge, type Remediation } from '../objects/remediation.ts';
import type { Breathe } from './breather.ts';
import { addExecution, findOurs, MAX_STEPS } from './execution-chain.ts';
import { Faults } from './faults.ts';
import type { CompleteView, TextReader } from './missing-texts.ts';
import { type ExecutionDefaults, newExecution } from './new-execution.ts';
import { rememberingChain } from './remembering-chain.ts';
import type { RequestWriter, WriterObserver } from './request-writer.ts';

export type DecisionObserver = WriterObserver & {
	removed(phase: string): void;
	contended(target: string, holder: string): void;
	withdrawn(execution: string): void;
	eventFailed(error: unknown): void;
};
export type ReconcilerConfig = RoutingConfig & ExecutionDefaults;
export type ReconcilerParts = {
	readonly lock: Pick<DistributedLock, 'withLock' | 'leaseName' | 'knownHolder'>;
	readonly store: ObjectStore;
	readonly known: KnownObjects;
	readonly writer: RequestWriter;
	readonly texts: TextReader;
	readonly breathe: Breathe;
	readonly config: ReconcilerConfig;
	readonly now: () => Date;
	readonly observer: Pick<DecisionObserver, 'removed' | 'contended' | 'withdrawn'>;
	/** Another replica holds the lock: the target is requeued when it is released, at the latest after a wait. */
	readonly requeueOnRelease: (target: string) => void;
};
/** What is left to do for a target after one pass. */
export type Reconciled =
	| { readonly left: 'nothing'; readonly afterMs?: number }
	/** Something was done, and there may be more. */
	| { readonly left: 'unknown' }
	| { readonly left: 'underLock'; readonly act: (onLocked: () => void) => Promise<'done' | 'contended'> };

const REJECTED: ReadonlySet<string> = new Set(['KUBE_FORBIDDEN', 'KUBE_INVALID']);

export function createReconciler(parts: ReconcilerParts): (target: string) => Promise<Reconciled> {
	const { lock, store, known, config, now, observer, writer } = parts;
	const { write, notify, refresh } = writer;
	const viewOf = (target: string) => known.viewOf(target, now().getTime());
	const chainStore = rememberingChain(store, known);

	/** Does what needs no lock. A fault with one request does not keep the others of the target waiting. */
	async function reconcile(target: string): Promise<Reconciled> {
		const completeView = parts.texts.completing(() => viewOf(target));
		const view = await completeView();
		for (const execution of toWithdraw(view)) await withdraw(execution);
		let acted = false;
		let locked = false;
		let requeueAt = Infinity;
		const faults = new Faults();
		for (const request of view.requests) {
			await parts.breathe();
			const decision = decide(request, view, config);
			if (needsLock(decision)) locked = true;
			else if (decision.do === 'nothing') requeueAt = Math.min(requeueAt, decision.requeueAt ?? Infinity);
			else {
				await faults.keep(() => actFreely(request, decision));
				acted = true;
			}
		}
		if (locked) return { left: 'underLock', act: (onLocked) => actUnderLock(target, completeView, onLocked, faults) };
		faults.throwFirst();
		if (acted) return { left: 'unknown' };
		return requeueAt === Infinity
			? { left: 'nothing' }
			: { left: 'nothing', afterMs: Math.max(0, requeueAt - now().getTime()) };
	}

	/** Follows from what others wrote: the write of a second replica that does it is not applied. */
	function actFreely(request: Remediation, decision: Exclude<FreeDecision, { do: 'nothing' }>): Promise<void> {
		switch (decision.do) {
			case 'finishExecuted':
				return finish(request, decision).then(notify);
			case 'verifyExecution':
				return verifyExecution(request);
			case 'notify':
				return notify(request);
			case 'remove':
				return remove(request);
		}
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
				return execute(request, completeView, held, fencing).catch(async (error: unknown) => {
					await explainRejection(request, error, fencing);
					throw error; // so that it is retried, with a growing wait
				});
			case 'adopt':
				return startExecuting(request, decision.execution, 'adopt', fencing);
			case 'block':
				return block(request, decision.block, fencing);
			case 'finish':
				return finishWithoutExecution(request, decision, fencing);
		}
	}

	/** The API server rejects the execution, and people have to see why: a quota, a policy, a missing right. */
	async function explainRejection(request: Remediation, error: unknown, fencing: Fencing): Promise<void> {
		if (!(error instanceof KubeError) || !REJECTED.has(error.code)) return;
		const message = `the API server rejected the WorkflowExecution: ${error.message}`;
		const why = { reason: 'ConfigurationError', message } as const;
		if (request.block?.reason === why.reason && request.block.message === blockMessage(why)) return;
		await notify(await block(request, why, fencing));
	}

	/** Read again under the lock: a decision from an old view is made anew, at every step forward. */
	async function execute({ name, target }: Remediation, completeView: CompleteView, held: Held, fencing: Fencing) {
		const fresh = await store.getRequest(name);
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
			return startExecuting(fresh, added.execution, added.outcome === 'adopted' ? 'adopt' : 'execute', fencing);
		}
		throw new Error(`the chain of ${target} did not settle within ${MAX_STEPS} steps`);
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
		if (ours === undefined) return finish(request, end, fencing);
		known.executions.changed(ours); // adopted by the next pass
		return undefined;
	}

	function finish(request: Remediation, end: End, fencing?: Fencing): Promise<Remediation | undefined> {
		return write(request, (fresh) => finishPatch(fresh, end, now()), { ...end, do: 'finish' }, fencing);
	}

	async function verifyExecution(request: Remediation): Promise<void> {
		const ref = request.executionRef;
		const found = ref === undefined ? undefined : await store.getExecution(ref.name);
		if (found !== undefined && found.uid === ref?.uid) return known.executions.changed(found);
		const message = `${ref?.name ?? 'the execution'} was deleted before it ended`;
		return notify(await finish(request, { phase: 'Failed', outcome: 'ExecutionLost', message }));
	}

	async function remove(request: Remediation): Promise<void> {
		const answer = await store.removeRequest(request);
		if (answer === 'changed') await refresh(request);
		else known.requests.removed(request);
		if (answer === 'removed') observer.removed(request.phase ?? 'Pending');
	}

	/** It has not begun, and must not: of this write and the executor's claim, the API server rejects the second. */
	async function withdraw(execution: Execution): Promise<void> {
		const message = 'its RemediationRequest was over before it began';
		const answer = await store.patchExecution(execution, {
			phase: 'Skipped',
			completionTime: now().toISOString(),
			skipDetails: { reason: 'Withdrawn', message },
		});
		if (typeof answer === 'object') {
			known.executions.changed(answer);
			observer.withdrawn(execution.name);
			return;
		}
		const fresh = await store.getExecution(execution.name);
		if (fresh === undefined) known.executions.removed(execution);
		else known.executions.changed(fresh);
	}

	return reconcile;
}
