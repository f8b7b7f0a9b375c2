// The world around one target, as a value: the store, two executors at work, and what may still go wrong.
import type { ProcessNode, SeenExecutions } from './executor-process.ts';
import { EMPTY_HISTORY, firstStore, type History, type Store } from './model.ts';

export type Budget =
	| 'reconciles'
	| 'crashes'
	/** Executions that come while others are at work. */
	| 'arrivals'
	| 'runDeletions'
	| 'executionDeletions'
	| 'withdrawals'
	| 'forgottenTasks';
export type Rules = Readonly<Record<Budget, number>> & {
	readonly executions: number;
	readonly processes: number;
	/** A run keeps its target for a while after its end. */
	readonly cooldown: boolean;
	/** The watches of executions and of runs are of different age. */
	readonly viewsApart: boolean;
};
type Process =
	| { readonly is: 'idle' }
	/** Its watch of executions has shown this; that of runs is still to come. */
	| { readonly is: 'looking'; readonly seen: SeenExecutions }
	| { readonly is: 'working'; readonly node: ProcessNode };
export type World = {
	readonly store: Store;
	readonly history: History;
	readonly processes: readonly Process[];
	readonly left: Readonly<Record<Budget, number>>;
};
export type Move = { readonly label: string; readonly make: () => Promise<World> | World };

export function firstWorld(rules: Rules): World {
	return {
		store: firstStore(rules.executions, !rules.cooldown),
		history: EMPTY_HISTORY,
		processes: Array.from({ length: rules.processes }, () => ({ is: 'idle' }) as const),
		left: {
			reconciles: rules.reconciles,
			crashes: rules.crashes,
			arrivals: rules.arrivals,
			runDeletions: rules.runDeletions,
			executionDeletions: rules.executionDeletions,
			withdrawals: rules.withdrawals,
			forgottenTasks: rules.forgottenTasks,
		},
	};
}

export function spent(world: World, what: Budget): World {
	return { ...world, left: { ...world.left, [what]: world.left[what] - 1 } };
}

export function withProcess(world: World, index: number, process: Process): World {
	return { ...world, processes: world.processes.with(index, process) };
}
