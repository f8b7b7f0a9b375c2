// What happens without the executor: Tekton and the garbage collector do their work, people and the orchestrator interfere.
import {
	deleted,
	type History,
	newExecution,
	type Parts,
	type Store,
	withExecution,
	withParts,
	withRun,
} from './model.ts';
import type { Budget, Budgets, Rules } from './steps.ts';

export type Happening = {
	readonly label: string;
	/** It happens only so often. */
	readonly costs?: Budget;
	/** Nothing may wait for it. */
	readonly mayNeverCome?: true;
	readonly store: Store;
	readonly history: History;
};
type Facts = { readonly store: Store; readonly history: History };

const AFTER_ALL = 10;

/** Steps of Tekton and of the garbage collector: they come sooner or later, in any order, but for those that are marked. */
export function machinery({ store, history }: Facts): Happening[] {
	const { run } = store;
	const found: Happening[] = [];
	const add = (label: string, changed: Store, happened = history) =>
		void found.push({ label, store: changed, history: happened });
	if (run !== undefined && !run.deleting && run.done === undefined) {
		const parts = store.parts[run.uid];
		if (run.status === 'started' && parts === undefined)
			add(`Tekton begins ${run.uid}`, withParts(store, run.uid, { task: 'running', pod: 'alive' }));
		if (run.status === 'started' && parts !== undefined) {
			const over = withParts(store, run.uid, { task: 'done', pod: 'ended' });
			const succeeded = [...history.succeeded, run.uid];
			add(`Tekton: ${run.uid} succeeds`, withRun(over, { ...run, done: 'ok' }), { ...history, succeeded });
		}
		if (run.status === 'cancelled') {
			const after = parts === undefined ? store : withParts(store, run.uid, cancelledTask(parts));
			add(`Tekton: ${run.uid} is cancelled`, withRun(after, { ...run, done: 'cancelled' }));
			if (parts?.task === 'running')
				found.push({
					label: `Tekton: ${run.uid} is cancelled, and a task is forgotten`,
					costs: 'forgottenTasks',
					store: withRun(store, { ...run, done: 'cancelled' }),
					history,
				});
		}
	}
	for (const [uid, parts] of Object.entries(store.parts)) {
		const isKnown = run?.uid === uid;
		const isFollowed = isKnown && !run.deleting && run.done === undefined;
		if (parts.task === 'running' && !isFollowed)
			found.push({
				label: `the task of ${uid} ends by itself`,
				mayNeverCome: true,
				store: withParts(store, uid, { task: 'done', pod: 'ended' }),
				history,
			});
		if (parts.task === 'cancelled')
			add(`the pod of ${uid} ends`, withParts(store, uid, { task: 'done', pod: 'ended' }));
		// In the foreground the parts go first; of a run that is gone they go later. A pod that is deleted takes a while to end.
		const isCollected = !isKnown || (run.deleting && run.foreground);
		if (isCollected && parts.task === 'running')
			add(`the collector deletes the task of ${uid}`, withParts(store, uid, { ...parts, task: 'cancelled' }));
		if (!isKnown && parts.pod === 'ended')
			add(`the collector removes what is left of ${uid}`, withParts(store, uid, undefined));
	}
	if (run?.deleting && run.foreground && store.parts[run.uid]?.pod !== 'alive')
		add(
			`the collector is done with ${run.uid}`,
			withRun(withParts(store, run.uid, undefined), { ...run, foreground: false }),
		);
	for (const execution of store.executions)
		if ((execution.phase === 'Completed' || execution.phase === 'Failed') && execution.run && !execution.cooled)
			add(`the cooldown of ${execution.name} ends`, withExecution(store, { ...execution, cooled: true }));
	return found;
}

function cancelledTask(parts: Parts): Parts {
	return parts.task === 'running' ? { ...parts, task: 'cancelled' } : parts;
}

/** People and the orchestrator, at any moment. */
export function interference(
	{ store, history }: Facts,
	left: Budgets,
	{ cooldown }: Pick<Rules, 'cooldown'>,
): Happening[] {
	const { run } = store;
	const found: Happening[] = [];
	if (run !== undefined && !run.deleting)
		for (const foreground of [false, true])
			found.push({
				label: `a person deletes ${run.uid}${foreground ? ' in the foreground' : ''}`,
				costs: 'runDeletions',
				store: withRun(store, { ...run, deleting: true, foreground }),
				history: deleted(history, run.uid),
			});
	// Links of a chain are never made twice: a number that was never used.
	const chain = AFTER_ALL - left.arrivals;
	found.push({
		label: `the orchestrator makes we-${chain}`,
		costs: 'arrivals',
		store: { ...store, executions: [...store.executions, newExecution(chain, !cooldown)] },
		history,
	});
	for (const execution of store.executions) {
		if (!execution.deleting)
			found.push({
				label: `a person deletes ${execution.name}`,
				costs: 'executionDeletions',
				store: withExecution(store, { ...execution, deleting: true }),
				history,
			});
		if (execution.phase === undefined && execution.run === undefined)
			found.push({
				label: `the orchestrator withdraws ${execution.name}`,
				costs: 'withdrawals',
				store: withExecution(store, { ...execution, phase: 'Skipped', reason: 'Withdrawn' }),
				history,
			});
	}
	return found;
}
