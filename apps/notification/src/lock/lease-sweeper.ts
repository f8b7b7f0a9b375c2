// Removes orphans: Leases of processes that died, and of our own writes that landed after we had given them up.
// Kubernetes has no garbage collection for them. Always with preconditions: a Lease that changed is alive.
// Not guaranteed: that a write which lands after our last look is found. It expires like that of a dead process.

import type { Clock } from '../process/clock.ts';
import type { LeaseObservations, Observation } from './lease-observations.ts';
import { honouredDurationMs, type LockConfig } from './lock-config.ts';
import type { Lease, LeaseClient, LockObserver } from './lock-ports.ts';

type SweepConfig = Pick<
	LockConfig,
	'prefix' | 'leaseDurationMs' | 'maxPeerDurationMs' | 'sweepAfterDurations' | 'sweepIntervalMs' | 'requestTimeoutMs'
>;
/** A write of ours that was given up. After `lookAt` it cannot land any more. */
type Abandoned = { readonly name: string; readonly since: number; readonly lookAt: number };

export class LeaseSweeper {
	readonly #config: SweepConfig;
	readonly #client: Pick<LeaseClient, 'read' | 'remove'>;
	readonly #observations: LeaseObservations;
	readonly #clock: Clock;
	readonly #observer: Pick<LockObserver, 'swept'>;
	/** By holder, in the order of `lookAt`. */
	readonly #abandoned = new Map<string, Abandoned>();
	#cancelSweep = () => {};
	#cancelLook: (() => void) | undefined;
	#stopped = false;

	constructor(
		config: SweepConfig,
		client: Pick<LeaseClient, 'read' | 'remove'>,
		observations: LeaseObservations,
		clock: Clock,
		observer: Pick<LockObserver, 'swept'>,
	) {
		this.#config = config;
		this.#client = client;
		this.#observations = observations;
		this.#clock = clock;
		this.#observer = observer;
	}

	start(): void {
		this.#cancelSweep = this.#clock.setTimer(() => {
			void this.sweep().then(() => {
				if (!this.#stopped) this.start();
			});
		}, this.#config.sweepIntervalMs);
	}

	/** With a last look for writes that were given up. */
	async stop(): Promise<void> {
		this.#stopped = true;
		this.#cancelSweep();
		this.#cancelLook?.();
		await Promise.all([...this.#abandoned].map(([holder, { name }]) => this.#settle(holder, name)));
	}

	/** One round over all Leases that were seen. */
	async sweep(): Promise<void> {
		for (const observation of this.#observations.all())
			if (!this.#stopped && this.#isOrphan(observation)) await this.#tryRemove(observation.lease);
	}

	/** Remembers a write that was given up, and looks for it when it can land no more, with or without a watch. */
	abandon(holder: string, name: string): void {
		const now = this.#clock.now();
		this.#abandoned.set(holder, { name, since: now, lookAt: now + 2 * this.#config.requestTimeoutMs });
		const seen = this.#observations.get(name)?.lease;
		if (seen !== undefined) this.recognise(seen);
		this.#lookLater();
	}

	/** To be called with every Lease that is seen. */
	recognise(lease: Lease): void {
		if (lease.holder !== undefined && this.#abandoned.has(lease.holder))
			void this.#removeAbandoned(lease.holder, lease);
	}

	/** One timer for all: a burst must not meet an API server that has just come back. */
	#lookLater(atLeastMs = 0): void {
		const [next] = this.#abandoned.values();
		if (this.#stopped || this.#cancelLook !== undefined || next === undefined) return;
		const waitMs = Math.max(next.lookAt - this.#clock.now(), atLeastMs);
		this.#cancelLook = this.#clock.setTimer(() => {
			void this.#lookForDue().then((answered) => {
				this.#cancelLook = undefined;
				this.#lookLater(answered ? 0 : 2 * this.#config.requestTimeoutMs);
			});
		}, waitMs);
	}

	/** False when the API server is away. */
	async #lookForDue(): Promise<boolean> {
		for (const [holder, { name, since, lookAt }] of this.#abandoned) {
			if (this.#stopped || lookAt > this.#clock.now()) return true;
			// By then any replica may take it over, and the sweep finds it; a long outage must not fill the memory.
			const expiredMs = this.#config.leaseDurationMs * this.#config.sweepAfterDurations;
			if (this.#clock.now() - since >= expiredMs) this.#abandoned.delete(holder);
			else if (!(await this.#settle(holder, name))) return false;
		}
		return true;
	}

	/** True when nothing of the write is left. */
	async #settle(holder: string, name: string): Promise<boolean> {
		try {
			const lease = await this.#client.read(name);
			if (lease?.holder === holder) return await this.#removeAbandoned(holder, lease);
			this.#abandoned.delete(holder);
			return true;
		} catch {
			return false; // the API server is away: later
		}
	}

	async #removeAbandoned(holder: string, lease: Lease): Promise<boolean> {
		const gone = await this.#tryRemove(lease);
		if (gone) this.#abandoned.delete(holder);
		return gone;
	}

	#isOrphan({ lease, since }: Observation): boolean {
		const silentMs = this.#clock.now() - since;
		const ours = lease.name.startsWith(this.#config.prefix);
		return ours && silentMs >= honouredDurationMs(lease, this.#config) * this.#config.sweepAfterDurations;
	}

	async #tryRemove(lease: Lease): Promise<boolean> {
		try {
			const answer = await this.#client.remove(lease);
			this.#observations.removed(lease); // this version is gone in any case
			if (answer === 'changed') return false; // alive, or held by another by now
			if (answer === 'removed') this.#observer.swept({ name: lease.name, holder: lease.holder });
			return true;
		} catch {
			return false; // the next round tries again
		}
	}
}
