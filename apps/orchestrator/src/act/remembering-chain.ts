// The chain on the API server, with every link that is read put into the known objects: a walk may pass links that the
// watch has not delivered yet, and a view with a link must have all links before it, or an execution that was made for a
// request and never written into it would be overlooked, and made again.
import type { Execution } from '../objects/execution.ts';
import type { KnownObjects } from '../objects/known-objects.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import type { ExecutionChainStore } from './execution-chain.ts';

export function rememberingChain(
	store: Pick<ObjectStore, 'getExecution' | 'listExecutions' | 'patchExecution'>,
	known: Pick<KnownObjects, 'executions'>,
): Omit<ExecutionChainStore, 'create'> {
	function remember<T extends Execution | undefined | string>(answer: T): T {
		if (typeof answer === 'object') known.executions.changed(answer);
		return answer;
	}
	/** Else the next reconcile would start from it again, until the watch delivers its removal. */
	function forget(name: string): void {
		const gone = known.executions.get(name);
		if (gone !== undefined) known.executions.removed(gone);
	}
	return {
		async get(name) {
			const found = await store.getExecution(name);
			if (found === undefined) forget(name);
			return remember(found);
		},
		async list(target) {
			const found = await store.listExecutions(target);
			for (const execution of found) remember(execution);
			return found;
		},
		async setSuccessor(execution, successor) {
			const answer = await store.patchExecution(execution, { successor: { name: successor } });
			if (answer === 'gone') forget(execution.name);
			return remember(answer);
		},
	};
}
