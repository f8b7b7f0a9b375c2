// Keeps a lease while its work runs, and knows when it is lost.
// Guarantee: the deadline counts from before our last successful write was sent and ends a margin before anyone may
// take over, so whoever passes `assertHeld` is alone. Also after a stopped process or a stalled event loop: the clock
// goes on, and the check reads the clock, not a timer.
// Not guaranteed: that a write sent just before the deadline arrives before it. That is what names are for.

import type { Clock } from '../process/clock.ts';
import { isNoNewer } from './lease-observations.ts';
import type { LockConfig } from './lock-config.ts';
import { LockLostError, type Loss } from './lock-errors.ts';
import type { Lease, LeaseClient, LeaseWrite } from './lock-ports.ts';

export type Renewal = {
	/** Aborts with a LockLostError. */
	readonly signal: AbortSignal;
	assertHeld(): void;
	/** Somebody saw this version of the Lease. */
	saw(lease: Lease): void;
	/** It is held no more. Settles a renewal in flight first; returns the last version that is known to be ours. */
	stop(): Promise<Lease>;
};

type RenewalTimes = Pick<LockConfig, 'leaseDurationMs' | 'renewIntervalMs' | 'marginMs'>;

// A renewal that failed is tried again well before the next one is due.
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

	/** The next one is armed only when this one has settled: renewals never overlap. */
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
			// One answer that did not come is not loss; the deadline is, and it is told as such.
		}
		return false;
	}

	/** Ours, when an earlier renewal was done although its answer was lost; else somebody took it. */
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
		saw(seen) {
			if (seen.holder !== acquired.write.holder && !isNoNewer(seen, lease)) lose('taken');
		},
		async stop() {
			end('released');
			await renewing;
			return lease;
		},
	};
}
