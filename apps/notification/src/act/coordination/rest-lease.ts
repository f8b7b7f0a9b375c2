// A receiver without a pace, over all replicas and clusters: no turn is taken, and nothing is called, until the receiver asks for
// a pause (429). That is written into its pace Lease, which every replica watches.
// Guarantee: a replica that has seen the pause begins no send before it is over, by its own monotonic clock.
// One that starts afterwards reads when it was written, or an old pause would begin anew at each start.
// Not guaranteed: that every replica has seen it. The message's own `notBefore` holds in any case.
import { createBackoff, sleep } from '@kubernaut/backoff';
import { type CoordinationLeases, type LeaseState, leaseNameOf } from '../../objects/coordination-leases.ts';
import type { Clock } from '../../process/clock.ts';
import { LocalRest, MAX_TURN_WAIT_MS, type Pace, type PaceTurn } from '../gate/pace.ts';
import { LeaseVersions } from './lease-versions.ts';
import { PACE_PREFIX, paceState, restLeftMs } from './pace-lease.ts';

export type RestLeaseOptions = {
	readonly leases: Pick<CoordinationLeases, 'create' | 'read' | 'replace'>;
	readonly clock: Clock;
};

/** Another replica may write a pause while we wait for the end of ours. */
const LOOK_MS = 1000;
const TRIES = 5;
const BETWEEN_TRIES = createBackoff({ basePeriodMs: 100, maxPeriodMs: 2000 });

export class RestLease implements Pace {
	readonly versions: LeaseVersions;
	readonly #options: RestLeaseOptions;
	/** What this replica was asked for itself, whether or not it could be written. */
	readonly #own: LocalRest;

	constructor(options: RestLeaseOptions) {
		this.#options = options;
		this.versions = new LeaseVersions(options.clock.now);
		this.#own = new LocalRest(options.clock);
	}

	waitMs(receiver: string): number {
		const seen = this.versions.get(leaseNameOf(PACE_PREFIX, receiver));
		const leftMs = seen === undefined ? 0 : restLeftMs(seen, this.#options.clock);
		return Math.max(0, leftMs, this.#own.waitMs(receiver));
	}

	async take(receiver: string, abort: AbortSignal): Promise<PaceTurn | undefined> {
		const { clock } = this.#options;
		while (!abort.aborted) {
			const waitMs = this.waitMs(receiver);
			if (waitMs <= 0) break;
			if (waitMs > MAX_TURN_WAIT_MS) return undefined;
			await sleep(Math.min(waitMs, LOOK_MS), { clock, signal: abort });
		}
		if (abort.aborted) return undefined;
		let freed: Promise<void> | undefined;
		return {
			deadline: Infinity,
			free: (restMs) => (freed ??= restMs > 0 ? this.#rest(receiver, restMs) : Promise.resolve()),
		};
	}

	async #rest(receiver: string, restMs: number): Promise<void> {
		this.#own.rest(receiver, restMs);
		const name = leaseNameOf(PACE_PREFIX, receiver);
		for (let tries = 1; tries <= TRIES; tries++)
			try {
				if (await this.#tryWrite(name, paceState(receiver, restMs))) return;
			} catch {
				// Nothing depends on it: this replica rests, and the message has its own time.
				await sleep(BETWEEN_TRIES.calculate(tries), { clock: this.#options.clock });
			}
	}

	async #tryWrite(name: string, state: LeaseState): Promise<boolean> {
		const { leases } = this.#options;
		const current = (await this.versions.readFrom(leases, name))?.lease;
		const written = current === undefined ? await leases.create(name, state) : await leases.replace(current, state);
		if (typeof written !== 'object') return false;
		this.versions.observe(written);
		return true;
	}
}
