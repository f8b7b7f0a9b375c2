// Removes finished messages when their retention is over, with uid and resourceVersion. One replica after the other steps in,
// so that they do not all send the same deletes.
import { removalTime } from '../decide/retention.ts';
import type { KnownNotifications } from '../objects/known-notifications.ts';
import type { Phase } from '../objects/notification.ts';
import type { NotificationStore } from '../objects/notification-store.ts';
import type { Clock } from '../process/clock.ts';

export type RetentionParts = {
	readonly known: Pick<KnownNotifications, 'all' | 'removed' | 'changed'>;
	readonly store: Pick<NotificationStore, 'remove' | 'get'>;
	readonly retentionMs: number;
	/** How long this replica leaves the message to others. */
	readonly leaveToOthersMs: (name: string) => number;
	/** Its wall time is the API server's. */
	readonly clock: Clock;
	readonly onRemoved: (phase: Phase) => void;
};

const SWEEP_MS = 30_000;
/** At a time: a store full of old messages must not keep the API server from the new ones. */
const MAX_REMOVED = 200;

export function startRetention(parts: RetentionParts): { sweep(): Promise<void>; stop(): void } {
	const { known, store, clock } = parts;
	let stopped = false;
	let cancelTimer = () => {};

	async function sweep(): Promise<void> {
		let removed = 0;
		for (const notification of known.all()) {
			const { name, phase, deleting } = notification;
			const at = removalTime(notification, parts.retentionMs);
			if (stopped || removed >= MAX_REMOVED) return;
			if (at === undefined || phase === undefined || deleting) continue;
			if (clock.wallTime().getTime() < at + parts.leaveToOthersMs(name)) continue;
			removed++;
			try {
				const answer = await store.remove(notification);
				if (answer === 'changed') {
					const fresh = await store.get(name);
					if (fresh !== undefined) known.changed(fresh);
				} else known.removed(notification);
				if (answer === 'removed') parts.onRemoved(phase);
			} catch {
				return; // the API server is away, or the right is missing: the next sweep tries again
			}
		}
	}
	function sweepLater(): void {
		cancelTimer = clock.setTimer(() => void sweep().then(() => stopped || sweepLater()), SWEEP_MS);
	}
	sweepLater();
	return {
		sweep,
		stop() {
			stopped = true;
			cancelTimer();
		},
	};
}
