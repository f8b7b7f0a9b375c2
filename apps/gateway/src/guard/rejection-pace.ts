// The pace of rejections. A client without a valid token that is rejected at once can come back at once: some hundreds of
// them would keep the process busy with nothing else. Beyond a few rejections in a second each waits a little longer, and a
// waiting request costs next to nothing. A sender that is allowed is never held.
import { sleep } from '@kubernaut/backoff';
import type { Clock } from '../process/clock.ts';

export type RejectionPace = {
	/** Until the rejection may be answered. Rejects with the reason of an abort, at once. */
	wait(abort: AbortSignal): Promise<void>;
};
export type RejectionPaceConfig = {
	readonly perSecond: number;
	/** So many at once are not held. */
	readonly burst: number;
	readonly maxWaitMs: number;
	/** Beyond these a rejection is not held: a held one keeps its connection. */
	readonly maxHeld: number;
};

export function createRejectionPace(
	{ perSecond, burst, maxWaitMs, maxHeld }: RejectionPaceConfig,
	clock: Pick<Clock, 'now' | 'setTimer'>,
): RejectionPace {
	const intervalMs = 1000 / perSecond;
	/** When the next one is due. */
	let dueAt = -Infinity;
	let held = 0;
	return {
		async wait(abort) {
			const now = clock.now();
			const at = Math.max(dueAt, now - burst * intervalMs);
			dueAt = Math.min(at + intervalMs, now + maxWaitMs);
			if (at <= now || held >= maxHeld) return;
			held++;
			await sleep(at - now, { signal: abort, clock });
			held--;
			abort.throwIfAborted();
		},
	};
}
