// A model of what the executor meets, as a value: the API server's objects of one target, and what Tekton has made of its
// runs. Small on purpose: `model-kube.ts` answers the executor's own calls from it.

/** A WorkflowExecution. */
export type StoredExecution = {
	readonly name: string;
	readonly uid: string;
	readonly version: number;
	readonly chain: number;
	readonly phase?: 'Running' | 'Completed' | 'Failed' | 'Skipped' | undefined;
	/** The reason of a failure or of a skip. */
	readonly reason?: string | undefined;
	/** The uid of its run. */
	readonly run?: string | undefined;
	/** Its cooldown is over. */
	readonly cooled: boolean;
	readonly deleting: boolean;
};
/** The PipelineRun that has the name of the target; there is only one name. */
export type StoredRun = {
	readonly uid: string;
	readonly version: number;
	/** The uid of its execution. */
	readonly owner: string;
	readonly status: 'pending' | 'started' | 'cancelled';
	readonly done?: 'ok' | 'cancelled' | undefined;
	readonly deleting: boolean;
	readonly held: boolean;
	readonly foreground: boolean;
};
/** What Tekton has made of a run: one task with one pod. It outlives its run when it is not ended. */
export type Parts = { readonly task: 'running' | 'cancelled' | 'done'; readonly pod: 'alive' | 'ended' };

export type Store = {
	readonly executions: readonly StoredExecution[];
	readonly run: StoredRun | undefined;
	/** By the uid of the run. */
	readonly parts: Readonly<Record<string, Parts>>;
	readonly runsMade: number;
};

/** What has happened, as far as promises are judged from it. */
export type History = {
	/** Uids of runs that were started, in order, with their execution. */
	readonly starts: readonly { readonly run: string; readonly owner: string }[];
	/** Uids of runs whose end was asked for. */
	readonly cancelled: readonly string[];
	/** Uids of runs that a person deleted, or that were deleted at all. */
	readonly deleted: readonly string[];
	/** Uids of runs that ended well before they were deleted. */
	readonly succeeded: readonly string[];
};

/** More than one run has: versions grow over deletions, and do not depend on how long a run before it was there. */
export const VERSIONS_OF_A_RUN = 100;
export const EMPTY_HISTORY: History = { starts: [], cancelled: [], deleted: [], succeeded: [] };

/** `cooled`: it has no cooldown. */
export function newExecution(chain: number, cooled: boolean): StoredExecution {
	return { name: `we-${chain}`, uid: `uid-${chain}`, version: 1, chain, cooled, deleting: false };
}

export function firstStore(executions: number, cooled: boolean): Store {
	return {
		executions: Array.from({ length: executions }, (_, chain) => newExecution(chain, cooled)),
		run: undefined,
		parts: {},
		runsMade: 0,
	};
}

export function executionOf(store: Store, name: string): StoredExecution | undefined {
	return store.executions.find((execution) => execution.name === name);
}

export function withExecution(store: Store, changed: StoredExecution): Store {
	const executions = store.executions.map((one) =>
		one.name === changed.name ? { ...changed, version: one.version + 1 } : one,
	);
	return { ...store, executions };
}

/** Its name is never used again. */
export function withoutExecution(store: Store, { name }: StoredExecution): Store {
	return { ...store, executions: store.executions.filter((one) => one.name !== name) };
}

/** A run that is being deleted and that nothing holds any more is gone. A write that changes nothing is none. */
export function withRun(store: Store, changed: StoredRun): Store {
	if (JSON.stringify(store.run) === JSON.stringify(changed)) return store;
	const version = (store.run?.version ?? 0) + 1;
	if (changed.deleting && !changed.held && !changed.foreground) return { ...store, run: undefined };
	return { ...store, run: { ...changed, version } };
}

export function withParts(store: Store, uid: string, parts: Parts | undefined): Store {
	const { [uid]: _, ...others } = store.parts;
	const after = parts === undefined ? others : { ...others, [uid]: parts };
	return { ...store, parts: Object.fromEntries(Object.entries(after).toSorted(([a], [b]) => (a < b ? -1 : 1))) };
}

export function deleted(history: History, uid: string): History {
	return history.deleted.includes(uid) ? history : { ...history, deleted: [...history.deleted, uid] };
}

/** Something of the run acts, or will by itself. */
export function isLive(store: Store, uid: string): boolean {
	const parts = store.parts[uid];
	const mayBegin =
		store.run?.uid === uid && store.run.status === 'started' && store.run.done === undefined && !store.run.deleting;
	return parts?.pod === 'alive' || parts?.task === 'running' || mayBegin;
}
