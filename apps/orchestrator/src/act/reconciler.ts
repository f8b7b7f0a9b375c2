// One look at one target: what is to be done about each of its requests, and doing it.
// Level-based: it reads what is, not what happened. A crash between any two calls leaves something that the next look,
// of any replica, takes up: an execution without its reference is adopted, a phase without its notification is told.
// Deciding that something may run, must wait or is over happens under the target's lock; following an execution to its
// end does not need it. Neither is safe because of the lock: names and versions see to that.

import type { ReplicaTurns } from '../controller/replica-turns.ts';
import type { Again } from '../controller/work-queue.ts';
import { decide, toWithdraw } from '../decide/decide.ts';
import type { Decision, Finish } from '../decide/decision.ts';
import type { RoutingConfig } from '../decide/routing-config.ts';
import { blockMessage, blockPatch, executingPatch, type Fencing, finishPatch } from '../decide/status-patch.ts';
import type { DistributedLock, Held } from '../distributed-lock.ts';
import { KubeError } from '../kube/kube.ts';
import type { Execution } from '../objects/execution.ts';
import { newestOf } from '../objects/execution.ts';
import type { KnownObjects } from '../objects/known-objects.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import { compareAge, type Remediation } from '../objects/remediation.ts';
import { addExecution, findOurs, MOST_STEPS } from './execution-chain.ts';
import { Faults } from './faults.ts';
import { type ExecutionDefaults, newExecution } from './new-execution.ts';
import { rememberingChain } from './remembering-chain.ts';
import type { RequestWriter } from './request-writer.ts';

export type ReconcileObserver = {
	removed(phase: string): void;
	contended(target: string, holder: string): void;
	withdrawn(execution: string): void;
};
export type ReconcilerConfig = RoutingConfig & ExecutionDefaults;
export type ReconcilerParts = {
	readonly lock: Pick<DistributedLock, 'withLock' | 'leaseName' | 'knownHolder'>;
	readonly store: ObjectStore;
	readonly known: KnownObjects;
	readonly writer: RequestWriter;
	readonly config: ReconcilerConfig;
	readonly now: () => Date;
	readonly turns: Pick<ReplicaTurns, 'actedInsteadOfOthers' | 'leaveToBusyMs' | 'settled'>;
	readonly observer: ReconcileObserver;
	/** The lock is another's: look again when it is free, at the latest after the wait. */
	readonly lookAgainWhenReleased: (target: string) => void;
};

// Each pass acts on what the one before changed; a target that is still not settled then waits for its next turn.
const MOST_PASSES = 10;
const UNSETTLED_MS = 100;
const REFUSED: ReadonlySet<string> = new Set(['KUBE_FORBIDDEN', 'KUBE_INVALID']);

export function createReconciler(parts: ReconcilerParts): (target: string) => Promise<Again> {
	const { lock, store, known, config, now, turns, observer, writer } = parts;
	const { write, tell, refresh } = writer;
	const viewOf = (target: string) => known.viewOf(target, now().getTime());

	const chainStore = rememberingChain(store, known);

	async function reconcile(target: string): Promise<Again> {
		for (let pass = 0; pass < MOST_PASSES; pass++) {
			const { acted, needsLock, againAt, faults } = await actFreely(target);
			if (!needsLock && !acted) {
				turns.settled(target);
				return againAt === undefined ? {} : { againAfterMs: Math.max(0, againAt - now().getTime()) };
			}
			const waitMs = needsLock ? turns.leaveToBusyMs(target) : 0;
			if (waitMs > 0) return { againAfterMs: waitMs };
			const holder = needsLock ? (lock.knownHolder(target) ?? (await routeUnderLock(target))) : undefined;
			if (holder !== undefined) {
				observer.contended(target, holder);
				parts.lookAgainWhenReleased(target);
				return {};
			}
			faults.throwFirst();
		}
		return { againAfterMs: UNSETTLED_MS };
	}

	/** What needs no lock: it follows from what others wrote, and a second one of us is refused by the version. */
	async function actFreely(target: string) {
		const view = viewOf(target);
		for (const execution of toWithdraw(view)) await withdraw(execution);
		let acted = false;
		let needsLock = false;
		let againAt: number | undefined;
		const faults = new Faults();
		for (const request of view.requests) {
			const decision = decide(request, view, config);
			if (decision.do === 'nothing') againAt = earliest(againAt, decision.againAt);
			else if (isRouting(decision)) needsLock = true;
			else {
				await faults.keep(() => carryOut(request, decision));
				acted = true;
			}
		}
		// What is wrong with one does not keep the others of the target waiting; it comes again with the next look.
		if (!needsLock) faults.throwFirst();
		return { acted, needsLock, againAt, faults };
	}

	async function carryOut(request: Remediation, decision: Decision): Promise<void> {
		switch (decision.do) {
			case 'finish':
				return tell(await finish(request, decision));
			case 'look':
				return lookForExecution(request);
			case 'notify':
				return tell(request);
			case 'remove':
				return remove(request);
			case 'nothing':
			case 'adopt':
			case 'block':
			case 'execute':
				return undefined; // not free to be done, or nothing to do
		}
	}

	async function remove(request: Remediation): Promise<void> {
		const answer = await store.removeRequest(request);
		if (answer === 'changed') await refresh(request);
		else known.requests.removed(request);
		if (answer === 'removed') observer.removed(request.phase ?? 'Pending');
	}

	/** The holder's name when somebody else has the lock. The oldest request comes first. */
	async function routeUnderLock(target: string): Promise<string | undefined> {
		const toTell: Remediation[] = [];
		const faults = new Faults();
		const result = await lock.withLock(target, async (held) => {
			turns.actedInsteadOfOthers(target);
			for (const { name } of viewOf(target).requests.toSorted(compareAge))
				await faults.keep(async () => {
					const changed = await routeOne(name, target, held);
					if (changed !== undefined) toTell.push(changed);
				});
		});
		for (const request of toTell) await faults.keep(() => tell(request));
		faults.throwFirst();
		return result.outcome === 'contended' ? result.holder : undefined;
	}

	async function routeOne(name: string, target: string, held: Held): Promise<Remediation | undefined> {
		const request = known.requests.get(name);
		if (request === undefined) return undefined;
		const view = viewOf(target);
		const decision = decide(request, view, config);
		if (!isRouting(decision)) return undefined;
		held.assertHeld();
		const fencing = { lease: lock.leaseName(target), token: Number(held.fencingToken) };
		if (decision.do === 'adopt') return startExecuting(request, decision.execution, 'adopt', fencing);
		if (decision.do === 'block')
			return write(request, (fresh) => blockPatch(fresh, decision.block, now()), decision, fencing);
		if (decision.do === 'finish') {
			const place = { target, requestUid: request.uid, view: newestOf(view.executions) };
			const ours = await findOurs(chainStore, place);
			if (ours === undefined) return finish(request, decision, fencing);
			known.executions.changed(ours); // adopted by the next pass
			return undefined;
		}
		try {
			return await execute(name, target, held, fencing);
		} catch (error) {
			await explainRefusal(request, error, fencing);
			throw error; // so that it is tried again, later and later
		}
	}

	/** The API server will not have the execution, and a person has to see why: a quota, a policy, a missing right. */
	async function explainRefusal(request: Remediation, error: unknown, fencing: Fencing): Promise<void> {
		if (!(error instanceof KubeError) || !REFUSED.has(error.code)) return;
		const block = { reason: 'ConfigurationError', message: `the API server refuses it: ${error.message}` } as const;
		if (request.block?.reason === block.reason && request.block.message === blockMessage(block)) return;
		const told = { do: 'block', block } as const;
		const blocked = await write(request, (fresh) => blockPatch(fresh, block, now()), told, fencing);
		if (blocked !== undefined) await tell(blocked);
	}

	/** Read again under the lock: what was decided from an old view is decided anew, at every step forward. */
	async function execute(name: string, target: string, held: Held, fencing: Fencing): Promise<Remediation | undefined> {
		const fresh = await store.getRequest(name);
		if (fresh === undefined) return undefined;
		known.requests.changed(fresh);
		for (let step = 0; step < MOST_STEPS; step++) {
			const view = viewOf(target);
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
			if (added.outcome === 'moved') continue; // it is known by now, and may say no
			known.executions.changed(added.execution);
			if (added.outcome === 'busy') return undefined; // the next pass finds it blocked by this one
			return startExecuting(fresh, added.execution, added.outcome === 'adopted' ? 'adopt' : 'execute', fencing);
		}
		throw new Error(`the chain of ${target} did not settle within ${MOST_STEPS} steps`);
	}

	function startExecuting(request: Remediation, execution: Execution, why: 'execute' | 'adopt', fencing: Fencing) {
		const message = `${execution.name} runs ${execution.workflowName} on ${execution.target}`;
		const told = { do: why, message } as const;
		return write(request, (fresh) => executingPatch(fresh, execution, message, now()), told, fencing);
	}

	function finish(request: Remediation, decision: Finish, fencing?: Fencing): Promise<Remediation | undefined> {
		return write(request, (fresh) => finishPatch(fresh, decision, now()), decision, fencing);
	}

	async function lookForExecution(request: Remediation): Promise<void> {
		const ref = request.executionRef;
		const found = ref === undefined ? undefined : await store.getExecution(ref.name);
		if (found !== undefined && found.uid === ref?.uid) return known.executions.changed(found);
		const lost: Finish = {
			do: 'finish',
			phase: 'Failed',
			outcome: 'ExecutionLost',
			message: `${ref?.name ?? 'the execution'} is not there any more: somebody deleted it before it ended`,
		};
		return tell(await finish(request, lost));
	}

	/** It has not begun, and must not: the executor's own claim is refused once this is written, or the other way round. */
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

/** Done under the lock. Adopting too: who made the execution is about to write it down, and has the lock. */
function isRouting(decision: Decision): boolean {
	if (decision.do === 'finish') return decision.after === undefined;
	return decision.do === 'execute' || decision.do === 'adopt' || decision.do === 'block';
}

function earliest(a: number | undefined, b: number | undefined): number | undefined {
	return a === undefined ? b : b === undefined ? a : Math.min(a, b);
}
