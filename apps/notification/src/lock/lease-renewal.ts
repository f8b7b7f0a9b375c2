// Keeps a lease while its work runs, and detects its loss.
// Guarantee: the deadline counts from before our last successful write was sent, and ends a margin before a takeover is
// possible, so a caller that passes `assertHeld` is alone. Also after a stopped process or a stalled event loop: the
// clock goes on, and the check reads the clock, not a timer.
// Not guaranteed: that a write sent just before the deadline arrives before it. Chained names make that safe (ADR 3).

import type { Clock } from '../process/clock.ts';
import { isNoNewer } from './lease-observations.ts';
import type { LockConfig } from './lock-config.ts';
import { LockLostError, type Loss } from './lock-errors.ts';
import type { Lease, LeaseClient, LeaseWrite } from './lock-ports.ts';

export type Renewal = {
	/** Aborts with a LockLostError. */
	readonly signal: AbortSignal;
	assertHeld(): void;
	/** This version of the Lease was seen, by the watch or by a read. */
	observed(lease: Lease): void;
	/** Ends holding at once, waits for a renewal in flight, and returns the last version that is known to be ours. */
	stop(): Promise<Lease>;
};

type RenewalTimes = Pick<LockConfig, 'leaseDurationMs' | 'renewIntervalMs' | 'marginMs'>;

// A failed renewal is retried well before the next one is due.
const RETRIES_PER_INTERVAL = 4;

export function startRenewal(
	acquired: { readonly lease: Lease; readonly sentAt: number; readonly write: LeaseWrite },
	times: RenewalTimes,
	client: Pick<LeaseClient, 'replace' | 'read'>,
	clock: Clock,
	onLost: (loss: Loss) => void,
): Renewal {
	const controller = new AbortController();
	const deadlineAfter = (sentAt: number) => sentAt + times.leaseDurationMs - times.marginMs;
	let { lease } = acquired;
	let deadline = deadlineAfter(acquired.sentAt);
	let renewing: Promise<void> = Promise.resolve();
	let cancelRenewal = () => {};
	renewIntervalAfter(acquired.sentAt);
	let cancelDeadline = clock.setTimer(checkDeadline, deadline - clock.now());

	function end(loss: Loss | 'released'): boolean {
		if (controller.signal.aborted) return false;
		cancelRenewal();
		cancelDeadline();
		controller.abort(new LockLostError(acquired.write.key, loss));
		return true;
	}

	function lose(loss: Loss): void {
		if (end(loss)) onLost(loss);
	}

	function renewIntervalAfter(sentAt: number): void {
		cancelRenewal = clock.setTimer(beginRenewal, Math.max(0, sentAt + times.renewIntervalMs - clock.now()));
	}

	function checkDeadline(): void {
		const left = deadline - clock.now();
		if (left <= 0) lose('expired');
		else cancelDeadline = clock.setTimer(checkDeadline, left);
	}

	/** The next renewal is scheduled when this one has settled: renewals never overlap. */
	function beginRenewal(): void {
		const sentAt = clock.now();
		if (sentAt >= deadline) return lose('expired');
		renewing = renewOnce(sentAt).then((renewed) => {
			if (controller.signal.aborted) return;
			if (renewed) renewIntervalAfter(sentAt);
			else cancelRenewal = clock.setTimer(beginRenewal, times.renewIntervalMs / RETRIES_PER_INTERVAL);
		});
	}

	async function renewOnce(sentAt: number): Promise<boolean> {
		try {
			const answer = await client.replace(lease, { ...acquired.write, renewTime: clock.wallTime().toISOString() });
			if (answer === 'gone') lose('removed');
			else if (answer === 'changed') await resolveChange();
			else {
				lease = answer;
				deadline = deadlineAfter(sentAt);
				return true;
			}
		} catch {
			// A missing answer is not loss; the deadline is, and it is reported as such.
		}
		return false;
	}

	/** The lease is ours when an earlier renewal landed although its answer was lost; else it was taken. */
	async function resolveChange(): Promise<void> {
		const current = await client.read(lease.name);
		if (current === undefined) lose('removed');
		else if (current.holder !== acquired.write.holder) lose('taken');
		else lease = current;
	}

	return {
		signal: controller.signal,
		assertHeld() {
			if (clock.now() >= deadline) lose('expired');
			controller.signal.throwIfAborted();
		},
		observed(seen) {
			if (seen.holder !== acquired.write.holder && !isNoNewer(seen, lease)) lose('taken');
		},
		async stop() {
			end('released');
			await renewing;
			return lease;
		},
	};
}
