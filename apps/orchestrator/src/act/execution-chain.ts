// The chain of a target: how an execution is added so that never two of them have the target.
// Guarantee: of several that want to add a link the API server lets one, and only whoever knows the newest link can; an
// old view is told what came after it, and decides anew with that. What is already there for the same request is
// adopted, never repeated. No lock is needed for that.
// Not guaranteed, and held by the executor's lock: an execution that is deleted by hand in the same instant.
import { type Execution, executionName, holdsTarget, newestOf } from '../objects/execution.ts';

/** What the chain needs of the API server. Faults are thrown. */
export type ExecutionChainStore = {
	create(name: string, chain: number): Promise<Execution | 'exists'>;
	get(name: string): Promise<Execution | undefined>;
	/** Consistent: as new as this call. */
	list(target: string): Promise<readonly Execution[]>;
	/** Compare-and-set on the version given. */
	setSuccessor(execution: Execution, successor: string): Promise<Execution | 'changed' | 'gone'>;
};
export type Added =
	| { readonly outcome: 'created' | 'adopted' | 'busy'; readonly execution: Execution }
	/** The view was old: nothing was added. What ended meanwhile may forbid it now. */
	| { readonly outcome: 'moved'; readonly newest: Execution | undefined };

// Every step forward is a link that somebody finished meanwhile; more than this in one call is a fault of ours.
export const MOST_STEPS = 50;

export type ChainPlace = {
	readonly target: string;
	readonly requestUid: string;
	/** The newest link that the caller knows of. */
	readonly view: Execution | undefined;
	/** Asked before each write: it throws to stop. */
	readonly beforeWrite: () => void;
};

export async function addExecution(store: ExecutionChainStore, place: ChainPlace): Promise<Added> {
	const { target, requestUid, view, beforeWrite } = place;
	const learned = (newest: Execution | undefined): Added =>
		standing(newest, requestUid) ?? { outcome: 'moved', newest };
	const inTheWay = standing(view, requestUid);
	if (inTheWay !== undefined) return inTheWay;
	const name = executionName(target, view?.uid);
	if (view !== undefined && view.successor !== name) {
		beforeWrite();
		const announced = await store.setSuccessor(view, name);
		if (announced === 'gone') return learned(newestOf(await store.list(target)));
		if (announced === 'changed') return learned((await store.get(view.name)) ?? newestOf(await store.list(target)));
	}
	beforeWrite();
	const created = await store.create(name, view === undefined ? 0 : view.chain + 1);
	if (created !== 'exists') return { outcome: 'created', execution: created };
	return learned((await store.get(name)) ?? newestOf(await store.list(target)));
}

/** What the newest link says to somebody who wants to add one; undefined when it is over. */
function standing(newest: Execution | undefined, requestUid: string): Added | undefined {
	if (newest === undefined) return undefined;
	if (isOurs(newest, requestUid)) return { outcome: 'adopted', execution: newest };
	return holdsTarget(newest) ? { outcome: 'busy', execution: newest } : undefined;
}

/** The execution that was made for this request, however old the view: for whoever is about to say that there is none. */
export async function findOurs(
	store: Pick<ExecutionChainStore, 'get'>,
	{ target, requestUid, view }: Pick<ChainPlace, 'target' | 'requestUid' | 'view'>,
): Promise<Execution | undefined> {
	let newest = view;
	let isFresh = false;
	for (let step = 0; step < MOST_STEPS; step++) {
		if (newest !== undefined && isOurs(newest, requestUid)) return newest;
		if (newest !== undefined && holdsTarget(newest)) {
			if (isFresh) return undefined; // nothing comes after one that has the target
			const current = await store.get(newest.name);
			isFresh = true;
			if (current?.uid === newest.uid) {
				newest = current;
				continue;
			}
			// It is gone; what came after it is still named after it.
		}
		newest = await store.get(executionName(target, newest?.uid));
		isFresh = true;
		if (newest === undefined) return undefined;
	}
	throw new Error(`the chain of ${target} did not settle within ${MOST_STEPS} steps`);
}

function isOurs(execution: Execution, requestUid: string): boolean {
	return execution.requestUid === requestUid && execution.phase !== 'Skipped';
}
