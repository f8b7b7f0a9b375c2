// What happens without the executor: Tekton and the garbage collector do their work, people and the orchestrator interfere.
import { newExecution, type Parts, type Store, withExecution, withParts, withRun } from './model.ts';
import { deleted } from './model-kube.ts';
import { type Move, type Rules, spent, type World } from './world.ts';

const AFTER_ALL = 10;

/** Steps of Tekton and of the garbage collector: they come sooner or later, in any order. */
export function machinery(world: World): Move[] {
	const { store, history } = world;
	const { run } = store;
	const found: Move[] = [];
	const move = (label: string, changed: Store, happened = history) =>
		void found.push({ label, make: () => ({ ...world, store: changed, history: happened }) });
	if (run !== undefined && !run.deleting && run.done === undefined) {
		const parts = store.parts[run.uid];
		if (run.status === 'started' && parts === undefined)
			move(`Tekton begins ${run.uid}`, withParts(store, run.uid, { task: 'running', pod: 'alive' }));
		if (run.status === 'started' && parts !== undefined) {
			const over = withParts(store, run.uid, { task: 'done', pod: 'ended' });
			const succeeded = [...history.succeeded, run.uid];
			move(`Tekton: ${run.uid} succeeds`, withRun(over, { ...run, done: 'ok' }), { ...history, succeeded });
		}
		if (run.status === 'cancelled') {
			const cancelled = cancelledTask(parts);
			const after = parts === undefined ? store : withParts(store, run.uid, cancelled);
			move(`Tekton: ${run.uid} is cancelled`, withRun(after, { ...run, done: 'cancelled' }));
			if (parts?.task === 'running' && world.left.forgottenTasks > 0)
				found.push({
					label: `Tekton: ${run.uid} is cancelled, and a task is forgotten`,
					make: () => ({ ...spent(world, 'forgottenTasks'), store: withRun(store, { ...run, done: 'cancelled' }) }),
				});
		}
	}
	for (const [uid, parts] of Object.entries(store.parts)) {
		const isKnown = run?.uid === uid;
		const isFollowed = isKnown && !run.deleting && run.done === undefined;
		if (parts.task === 'running' && !isFollowed)
			move(`the task of ${uid} ends`, withParts(store, uid, { task: 'done', pod: 'ended' }));
		if (parts.task === 'cancelled')
			move(`the pod of ${uid} ends`, withParts(store, uid, { task: 'done', pod: 'ended' }));
		// In the foreground the parts go first; of a run that is gone they go later.
		if (!isKnown) move(`the collector removes the parts of ${uid}`, withParts(store, uid, undefined));
	}
	if (run?.deleting && run.foreground)
		move(
			`the collector is done with ${run.uid}`,
			withRun(withParts(store, run.uid, undefined), { ...run, foreground: false }),
		);
	for (const execution of store.executions)
		if ((execution.phase === 'Completed' || execution.phase === 'Failed') && execution.run && !execution.cooled)
			move(`the cooldown of ${execution.name} ends`, withExecution(store, { ...execution, cooled: true }));
	return found;
}

function cancelledTask(parts: Parts | undefined): Parts | undefined {
	return parts?.task === 'running' ? { ...parts, task: 'cancelled' } : parts;
}

/** People and the orchestrator, at any moment, within the budgets. */
export function interference(world: World, { cooldown }: Pick<Rules, 'cooldown'>): Move[] {
	const { store, history, left } = world;
	const { run } = store;
	const found: Move[] = [];
	if (run !== undefined && !run.deleting && left.runDeletions > 0)
		for (const foreground of [false, true])
			found.push({
				label: `a person deletes ${run.uid}${foreground ? ' in the foreground' : ''}`,
				make: () => ({
					...spent(world, 'runDeletions'),
					store: withRun(store, { ...run, deleting: true, foreground }),
					history: deleted(history, run.uid),
				}),
			});
	if (left.arrivals > 0) {
		// Links of a chain are never made twice: a number that was never used.
		const chain = AFTER_ALL - left.arrivals;
		const executions = [...store.executions, newExecution(chain, !cooldown)];
		found.push({
			label: `the orchestrator makes we-${chain}`,
			make: () => ({ ...spent(world, 'arrivals'), store: { ...store, executions } }),
		});
	}
	for (const execution of store.executions) {
		if (!execution.deleting && left.executionDeletions > 0)
			found.push({
				label: `a person deletes ${execution.name}`,
				make: () => ({
					...spent(world, 'executionDeletions'),
					store: withExecution(store, { ...execution, deleting: true }),
				}),
			});
		if (execution.phase === undefined && execution.run === undefined && left.withdrawals > 0)
			found.push({
				label: `the orchestrator withdraws ${execution.name}`,
				make: () => ({
					...spent(world, 'withdrawals'),
					store: withExecution(store, { ...execution, phase: 'Skipped', reason: 'Withdrawn' }),
				}),
			});
	}
	return found;
}
