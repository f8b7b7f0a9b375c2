// The chain of a target: how an execution is added so that never two of them hold the target.
// Guarantee: of several attempts to add a link the API server accepts one, and only one that starts from the newest link;
// a caller with an old view learns what came after it, and decides anew. An execution that exists for the same request is
// adopted, never repeated. No lock is needed for that.
// Not guaranteed, and left to the executor's lock: an execution that is deleted by hand in the same instant.
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
export type AddResult =
	| { readonly outcome: 'created' | 'adopted' | 'busy'; readonly execution: Execution }
	/** The view was old: nothing was added. An execution that ended meanwhile may forbid it now. */
	| { readonly outcome: 'moved'; readonly newest: Execution | undefined };

// Every step forward is a link that ended meanwhile; more than this in one call is a fault of ours.
export const MAX_STEPS = 50;

export type ChainPlace = {
	readonly target: string;
	readonly requestUid: string;
	/** The newest link that the caller knows of. */
	readonly view: Execution | undefined;
	/** Called before each write: it throws to stop. */
	readonly beforeWrite: () => void;
};

export async function addExecution(store: ExecutionChainStore, place: ChainPlace): Promise<AddResult> {
	const { target, requestUid, view, beforeWrite } = place;
	const learned = (newest: Execution | undefined): AddResult =>
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

/** What the newest link means for an attempt to add one; undefined when it is over. */
function standing(newest: Execution | undefined, requestUid: string): AddResult | undefined {
	if (newest === undefined) return undefined;
	if (isOurs(newest, requestUid)) return { outcome: 'adopted', execution: newest };
	return holdsTarget(newest) ? { outcome: 'busy', execution: newest } : undefined;
}

/** The execution that was made for this request, however old the view: asked before a request ends without one. */
export async function findOurs(
	store: Pick<ExecutionChainStore, 'get'>,
	{ target, requestUid, view }: Pick<ChainPlace, 'target' | 'requestUid' | 'view'>,
): Promise<Execution | undefined> {
	let newest = view;
	let isFresh = false;
	for (let step = 0; step < MAX_STEPS; step++) {
		if (newest !== undefined && isOurs(newest, requestUid)) return newest;
		if (newest !== undefined && holdsTarget(newest)) {
			if (isFresh) return undefined; // nothing comes after a link that holds the target
			const current = await store.get(newest.name);
			isFresh = true;
			if (current?.uid === newest.uid) {
				newest = current;
				continue;
			}
			// It is gone; the link after it is still named after it.
		}
		newest = await store.get(executionName(target, newest?.uid));
		isFresh = true;
		if (newest === undefined) return undefined;
	}
	throw new Error(`the chain of ${target} did not settle within ${MAX_STEPS} steps`);
}

function isOurs(execution: Execution, requestUid: string): boolean {
	return execution.requestUid === requestUid && execution.phase !== 'Skipped';
}
