// The chain of a target: how an execution is added so that never two of them have the target.
// Guarantee: from any old view, callers walk forward to the present, and of several that want to add a link the API
// server lets one; what is already there for the same request is adopted, never repeated. No lock is needed for that.
// Not guaranteed, and held by the executor's lock: an execution that is deleted by hand in the same instant.
import { type Execution, executionName, holdsTarget, newestOf } from './execution.ts';

/** What the chain needs of the API server. Faults are thrown. */
export type ExecutionChainStore = {
	create(name: string, chain: number): Promise<Execution | 'exists'>;
	get(name: string): Promise<Execution | undefined>;
	/** Consistent: as new as this call. */
	list(target: string): Promise<readonly Execution[]>;
	/** Compare-and-set on the version given. */
	setSuccessor(execution: Execution, successor: string): Promise<Execution | 'changed' | 'gone'>;
};
export type Added = { readonly outcome: 'created' | 'adopted' | 'busy'; readonly execution: Execution };

// Every step forward is a link that somebody finished meanwhile; more than this in one call is a fault of ours.
const MOST_STEPS = 50;

export type ChainPlace = {
	readonly target: string;
	readonly requestUid: string;
	/** The newest link that the caller knows of. */
	readonly view: Execution | undefined;
	/** Asked before each write: it throws to stop. */
	readonly beforeWrite: () => void;
};

export async function addExecution(store: ExecutionChainStore, place: ChainPlace): Promise<Added> {
	const { target, requestUid, beforeWrite } = place;
	let newest = place.view;
	for (let step = 0; step < MOST_STEPS; step++) {
		if (newest !== undefined && isOurs(newest, requestUid)) return { outcome: 'adopted', execution: newest };
		if (newest !== undefined && holdsTarget(newest)) return { outcome: 'busy', execution: newest };
		const name = executionName(target, newest?.uid);
		if (newest !== undefined && newest.successor !== name) {
			beforeWrite();
			const announced = await store.setSuccessor(newest, name);
			if (announced === 'gone') {
				newest = newestOf(await store.list(target));
				continue;
			}
			if (announced === 'changed') {
				newest = (await store.get(newest.name)) ?? newestOf(await store.list(target));
				continue;
			}
			newest = announced;
		}
		beforeWrite();
		const created = await store.create(name, newest === undefined ? 0 : newest.chain + 1);
		if (created !== 'exists') return { outcome: 'created', execution: created };
		newest = (await store.get(name)) ?? newestOf(await store.list(target));
	}
	throw new Error(`the chain of ${target} did not settle within ${MOST_STEPS} steps`);
}

/** The execution that was made for this request, however old the view: for whoever is about to say that there is none. */
export async function findOurs(
	store: Pick<ExecutionChainStore, 'get'>,
	{ target, requestUid, view }: Pick<ChainPlace, 'target' | 'requestUid' | 'view'>,
): Promise<Execution | undefined> {
	let newest = view;
	for (let step = 0; step < MOST_STEPS; step++) {
		if (newest !== undefined && isOurs(newest, requestUid)) return newest;
		if (newest !== undefined && holdsTarget(newest)) return undefined; // nothing comes after one that has the target
		newest = await store.get(executionName(target, newest?.uid));
		if (newest === undefined) return undefined;
	}
	throw new Error(`the chain of ${target} did not settle within ${MOST_STEPS} steps`);
}

function isOurs(execution: Execution, requestUid: string): boolean {
	return execution.requestUid === requestUid && execution.phase !== 'Skipped';
}
