// A Lease that this replica keeps while it lives, so that the others know it is there. It is a lock that nobody else
// wants: renewed, released at the end, swept when its holder died. Long, because renewing it is all that it costs.
import type { DistributedLock } from '../lock/lease-lock.ts';
import type { Lease } from '../lock/lock-ports.ts';
import type { QueueClock } from './work-queue.ts';

export const PRESENCE_PREFIX = 'ro-replica-';
export const PRESENCE_DURATION_MS = 300_000;
/** One that died under the same name may have left it behind; it says the same until it expires. */
const TRY_AGAIN_MS = 30_000;

export function announcePresence(
	lock: Pick<DistributedLock, 'tryAcquire' | 'release'>,
	podName: string,
	clock: Pick<QueueClock, 'setTimer'>,
): { stop(): void } {
	let cancel = () => {};
	let stopped = false;
	const tryAgainLater = () => {
		if (!stopped) cancel = clock.setTimer(announce, TRY_AGAIN_MS);
	};
	function announce(): void {
		void lock.tryAcquire(podName).then(
			(result) => {
				if (result.outcome === 'contended') return tryAgainLater();
				// Lost, for example by a long pause: the others have forgotten us.
				const { held } = result;
				const lost = () => {
					void lock.release(held); // it stays ours in this process until then, and nobody else's
					tryAgainLater();
				};
				held.signal.addEventListener('abort', lost, { once: true });
				return undefined;
			},
			// The lock's observer told of the fault.
			tryAgainLater,
		);
	}
	announce();
	return {
		stop() {
			stopped = true;
			cancel();
		},
	};
}

export function isPresence({ name }: Pick<Lease, 'name'>): boolean {
	return name.startsWith(PRESENCE_PREFIX);
}

/** The pod in front of the nonce. */
export function podOf({ holder }: Pick<Lease, 'holder'>): string | undefined {
	return holder?.slice(0, Math.max(0, holder.lastIndexOf('_')));
}
