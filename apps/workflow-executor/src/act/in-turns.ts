// Sequences the passes over one target, so that replicas take turns. No lock is held meanwhile: every call is one that a
// second replica loses. Turns save calls, and no more.
import type { Reconciler } from './reconciler.ts';

/** Which replica acts first (controller/replica-turns.ts). */
export type Turns = {
	waitMs(target: string): number;
	leaveToBusyMs(target: string): number;
	actedInsteadOfOthers(target: string): void;
	settled(target: string): void;
};

// Each pass acts on what the one before changed; a target that is still not settled then waits for its next reconcile.
const MAX_PASSES = 20;
const UNSETTLED_MS = 100;

export function inTurns(
	reconciler: Reconciler,
	turns: Turns,
	now: () => number,
): (target: string) => Promise<{ readonly afterMs?: number }> {
	return async (target) => {
		for (let passes = 0; passes < MAX_PASSES; passes++) {
			const { work, lookAgainAt } = reconciler.propose(target);
			if (work.length === 0) {
				turns.settled(target);
				// What time brings, it brings to all replicas at once: they take turns at that as well.
				return lookAgainAt === Infinity ? {} : { afterMs: Math.max(0, lookAgainAt - now()) + turns.waitMs(target) };
			}
			const leftMs = turns.leaveToBusyMs(target);
			if (leftMs > 0) return { afterMs: leftMs };
			const progress = await reconciler.act(target, work);
			if (!progress.changed) return { afterMs: Math.max(0, progress.afterMs ?? 0) + turns.waitMs(target) };
			turns.actedInsteadOfOthers(target);
		}
		return { afterMs: UNSETTLED_MS };
	};
}
