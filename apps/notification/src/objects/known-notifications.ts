// The NotificationRequests that the watch has reported, and since when their claims stand.
import { ObjectCache } from '../kube/object-cache.ts';
import { ClaimObservations } from './claim-observations.ts';
import { isFinished, type Notification } from './notification.ts';

export class KnownNotifications extends ObjectCache<Notification> {
	readonly claims: ClaimObservations;

	/** `onSeenAtWork`: this pod has just claimed something. */
	constructor(
		now: () => number,
		onChanged: (notification: Notification) => void,
		onSeenAtWork: (pod: string) => void = () => {},
	) {
		const claims = new ClaimObservations(now);
		super({}, (notification, before) => {
			if (before !== undefined && before.uid !== notification.uid) claims.forget(before.uid);
			if (this.get(notification.name)?.uid !== notification.uid) claims.forget(notification.uid);
			else claims.observe(notification);
			for (const { claimedBy, state } of notification.deliveries)
				if (claimedBy !== undefined && state === 'Claimed') onSeenAtWork(podOf(claimedBy));
			onChanged(notification);
		});
		this.claims = claims;
	}

	/** Undefined when it is finished, being deleted, gone, or another has its name. */
	active(name: string, uid?: string): Notification | undefined {
		const known = this.get(name);
		if (known === undefined || known.deleting || isFinished(known)) return undefined;
		return uid === undefined || known.uid === uid ? known : undefined;
	}
}

/** The pod in front of the nonce. */
function podOf(claimedBy: string): string {
	return claimedBy.slice(0, Math.max(0, claimedBy.lastIndexOf('_')));
}
