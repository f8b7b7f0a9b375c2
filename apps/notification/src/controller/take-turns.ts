// Sequences the passes over one key, so that replicas take turns at the work: at the work under the lock, and at what needs
// no lock. A pass decides and returns what is to be done; the reconciler itself knows nothing of turns.
import type { ReplicaTurns } from './replica-turns.ts';
import type { Reconcile } from './work-queue.ts';

type NothingLeft = { readonly left: 'nothing'; readonly afterMs?: number };
/** Something was done, and there may be more. */
type Unknown = { readonly left: 'unknown' };
/** `act` does it under the lock; a contended key is requeued by the reconciler. */
type UnderLock = { readonly left: 'underLock'; readonly act: (onLocked: () => void) => Promise<'done' | 'contended'> };
/** `act` does it, says whether the API server accepted any of it, and what is left then. */
type Freely = {
	readonly left: 'freely';
	readonly act: () => Promise<{ readonly isDone: boolean; readonly rest: Unknown | UnderLock }>;
};

/** What is left to do for a key after one pass. */
export type Pass = NothingLeft | Unknown | Freely | UnderLock;

// Each pass acts on what the one before changed; a key that is still not settled then waits for its next reconcile.
const MAX_PASSES = 10;
const UNSETTLED_MS = 100;

export function takeTurns(
	reconcile: (key: string) => Promise<Pass>,
	turns: Pick<ReplicaTurns, 'waitMs' | 'leaveToBusyMs' | 'leaveToOthersMs' | 'actedInsteadOfOthers' | 'settled'>,
): Reconcile {
	return async (key) => {
		for (let passes = 0; passes < MAX_PASSES; passes++) {
			let pass = await reconcile(key);
			if (pass.left === 'freely') {
				const afterMs = turns.leaveToOthersMs(key);
				if (afterMs > 0) return { afterMs, untried: true };
				const { isDone, rest } = await pass.act();
				// Otherwise another replica was first, and our view was late.
				if (isDone) turns.actedInsteadOfOthers(key);
				pass = rest;
			}
			if (pass.left === 'unknown') continue;
			if (pass.left === 'nothing') {
				turns.settled(key);
				// What time brings, it brings to all replicas at once: they take turns at that as well.
				return pass.afterMs === undefined ? {} : { afterMs: pass.afterMs + turns.waitMs(key) };
			}
			const afterMs = turns.leaveToBusyMs(key);
			if (afterMs > 0) return { afterMs, untried: true };
			if ((await pass.act(() => turns.actedInsteadOfOthers(key))) === 'contended') return { untried: true };
		}
		return { afterMs: UNSETTLED_MS };
	};
}
