// The pace of a receiver over all replicas and clusters: one Lease per receiver, held while a message is sent and freed with
// a second write at its end. Another takes it by compare-and-set when it was free for the interval without a change that
// it saw, or held without a change for the hold time.
// Guarantee: two sends never overlap, and between the end of one and the beginning of the next the interval passes, unless a
// holder goes on after its deadline. Clock: only our own monotonic one decides.
// Not guaranteed: order, or that every replica gets as many turns.
import { randomBytes } from 'node:crypto';
import { createBackoff, sleep } from '@kubernaut/backoff';
import { paceWaitMs } from '../../decide/pace-turn.ts';
import {
	type CoordinationLease,
	type CoordinationLeases,
	type LeaseState,
	leaseNameOf,
} from '../../objects/coordination-leases.ts';
import type { Clock } from '../../process/clock.ts';
import { MAX_TURN_WAIT_MS, type Pace, type PaceTurn } from '../gate/pace.ts';
import { LeaseVersions, type SeenLease } from './lease-versions.ts';

export const PACE_LABEL = 'kubernaut.ai/pace';
export const PACE_PREFIX = 'notification-pace-';
const RECEIVER = 'kubernaut.ai/pace-receiver';
const REST_MS = 'kubernaut.ai/pace-rest-ms';

export type PaceLeaseOptions = {
	readonly leases: Pick<CoordinationLeases, 'create' | 'read' | 'replace'>;
	readonly podName: string;
	readonly intervalMs: number;
	/** A turn that was not freed for so long is taken over. */
	readonly holdMs: number;
	/** The holder stops so long before that, or by the interval when that is longer: a turn that is taken over has its pause too. */
	readonly marginMs: number;
	readonly clock: Clock;
};

/** Without a watch the Lease is read again after this. */
const POLL_MS = 1000;
/** So much may two replicas differ in the API server's time, which the Date of its answers says in seconds. */
const TIMES_DIFFER_MS = 1000;
const FREE_TRIES = 5;
const BETWEEN_TRIES = createBackoff({ basePeriodMs: 100, maxPeriodMs: 2000 });

export class PaceLease implements Pace {
	readonly versions: LeaseVersions;
	readonly #options: PaceLeaseOptions;

	constructor(options: PaceLeaseOptions) {
		this.#options = options;
		this.versions = new LeaseVersions(options.clock.now);
	}

	waitMs(receiver: string): number {
		const seen = this.versions.get(leaseNameOf(PACE_PREFIX, receiver));
		return seen === undefined || isHeld(seen.lease) ? 0 : this.#waitFor(seen);
	}

	async take(receiver: string, abort: AbortSignal): Promise<PaceTurn | undefined> {
		const { leases, podName, clock } = this.#options;
		const name = leaseNameOf(PACE_PREFIX, receiver);
		const holder = `${podName}_${randomBytes(8).toString('hex')}`;
		const state: LeaseState = { holder, annotations: { [RECEIVER]: receiver } };
		while (!abort.aborted) {
			const seen = this.versions.get(name) ?? (await this.#look(name));
			const waitMs = seen === undefined ? 0 : this.#waitFor(seen);
			if (waitMs > 0) {
				if (this.waitMs(receiver) > MAX_TURN_WAIT_MS) return undefined;
				await this.#changeOr(name, Math.min(waitMs, POLL_MS), abort);
				if (waitMs > POLL_MS && this.versions.get(name) === seen) await this.#look(name);
				continue;
			}
			const sentAt = clock.now();
			const write = seen === undefined ? leases.create(name, state) : leases.replace(seen.lease, state);
			const answer = await this.#resolved(name, holder, write);
			if (typeof answer === 'object') {
				this.versions.observe(answer);
				let freed: Promise<void> | undefined;
				return {
					deadline: sentAt + this.#usableMs(),
					free: (restMs) => (freed ??= this.#free(answer, receiver, restMs)),
				};
			}
			await this.#look(name);
		}
		return undefined;
	}

	/** Of the hold time; at least half of it, or a long interval would leave no time to send. */
	#usableMs(): number {
		const { holdMs, marginMs, intervalMs } = this.#options;
		return holdMs - Math.min(Math.max(marginMs, intervalMs), holdMs / 2);
	}

	#waitFor(seen: SeenLease): number {
		const { clock, intervalMs, holdMs } = this.#options;
		const unchangedForMs = clock.now() - seen.since;
		const restMs = unchangedForMs + restLeftMs(seen, clock);
		return paceWaitMs({ held: isHeld(seen.lease), unchangedForMs, restMs }, { intervalMs, holdMs });
	}

	#look(name: string) {
		return this.versions.readFrom(this.#options.leases, name);
	}

	/** A write whose answer was lost is read back: the nonce says whether it was done. */
	async #resolved<A extends string>(name: string, holder: string, write: Promise<CoordinationLease | A>) {
		try {
			return await write;
		} catch (error) {
			const found = await this.#options.leases.read(name).catch(() => undefined); // the first fault says more
			if (found?.holder === holder) return found;
			throw error;
		}
	}

	/** A turn that cannot be freed is taken over after the hold time: the pace is kept, and lost time is all that it costs. */
	async #free(held: CoordinationLease, receiver: string, restMs: number): Promise<void> {
		const { leases, clock } = this.#options;
		for (let tries = 1; tries <= FREE_TRIES; tries++)
			try {
				const freed = await leases.replace(held, paceState(receiver, restMs));
				if (typeof freed === 'object') this.versions.observe(freed);
				return;
			} catch {
				await sleep(BETWEEN_TRIES.calculate(tries), { clock });
			}
	}

	#changeOr(name: string, afterMs: number, abort: AbortSignal): Promise<void> {
		return new Promise((resolve) => {
			const done = () => {
				unsubscribe();
				cancelTimer();
				abort.removeEventListener('abort', done);
				resolve();
			};
			const unsubscribe = this.versions.onChange(name, done);
			const cancelTimer = this.#options.clock.setTimer(done, afterMs);
			abort.addEventListener('abort', done, { once: true });
		});
	}
}

function isHeld({ holder }: CoordinationLease): boolean {
	return holder !== undefined && holder !== '';
}

/** A pace that is free. `restMs`: the pause that the receiver asked for. */
export function paceState(receiver: string, restMs: number): LeaseState {
	const rest = restMs > 0 ? { [REST_MS]: String(Math.ceil(restMs)) } : {};
	return { annotations: { [RECEIVER]: receiver, ...rest } };
}

/**
 * Of the pause that the receiver asked for. By our own clock since we saw it, and no longer than by the API server's time since
 * it was written: a process that starts later does not begin it anew.
 */
export function restLeftMs({ lease, since }: SeenLease, clock: Pick<Clock, 'now' | 'wallTime'>): number {
	const restMs = restOf(lease);
	const leftMs = restMs - (clock.now() - since);
	if (lease.writtenAt === undefined) return leftMs;
	return Math.min(leftMs, restMs + TIMES_DIFFER_MS - (clock.wallTime().getTime() - lease.writtenAt.getTime()));
}

function restOf({ annotations }: CoordinationLease): number {
	const restMs = Number(annotations[REST_MS] ?? 0);
	return Number.isFinite(restMs) ? restMs : 0;
}
