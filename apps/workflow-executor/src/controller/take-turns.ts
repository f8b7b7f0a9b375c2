// Sequences the passes over one key, so that replicas take turns at the work under the lock. A pass does the work that
// needs no lock and returns the rest; the reconciler itself knows nothing of turns.
import type { ReplicaTurns } from './replica-turns.ts';
import type { Reconcile } from './work-queue.ts';

/** What is left to do for a key after one pass. */
export type Pass =
	| { readonly left: 'nothing'; readonly afterMs?: number }
	/** Something was done, and there may be more. */
	| { readonly left: 'unknown' }
	/** `act` does the rest under the lock; a contended key is requeued by the reconciler. */
	| { readonly left: 'underLock'; readonly act: (onLocked: () => void) => Promise<'done' | 'contended'> };

// Each pass acts on what the one before changed; a key that is still not settled then waits for its next reconcile.
const MAX_PASSES = 10;
const UNSETTLED_MS = 100;

export function takeTurns(
	reconcile: (key: string) => Promise<Pass>,
	turns: Pick<ReplicaTurns, 'leaveToBusyMs' | 'actedInsteadOfOthers' | 'settled'>,
): Reconcile {
	return async (key) => {
		for (let passes = 0; passes < MAX_PASSES; passes++) {
			const pass = await reconcile(key);
			if (pass.left === 'unknown') continue;
			if (pass.left === 'nothing') {
				turns.settled(key);
				return pass.afterMs === undefined ? {} : { afterMs: pass.afterMs };
			}
			const afterMs = turns.leaveToBusyMs(key);
			if (afterMs > 0) return { afterMs };
			if ((await pass.act(() => turns.actedInsteadOfOthers(key))) === 'contended') return {};
		}
		return { afterMs: UNSETTLED_MS };
	};
}
