// One attempt at a Lease, and its removal: the calls to the API server, their order, and the meaning of the answers.
// Guarantee: no write is blind. A create fails if the Lease is there, a takeover and a removal if it is not the very
// version that we saw. A write whose answer was lost is read back: the nonce in the holder says whether it was done.

import type { Clock } from '../process/clock.ts';
import type { LeaseObservations, Observation } from './lease-observations.ts';
import { honouredDurationMs, type LockConfig } from './lock-config.ts';
import { LockFault } from './lock-errors.ts';
import type { Lease, LeaseClient, LeaseWrite } from './lock-ports.ts';

export type Acquired = {
	readonly lease: Lease;
	/** On our clock, before the write was sent. */
	readonly sentAt: number;
	readonly write: LeaseWrite;
	readonly takeover: boolean;
};
export type Contended = {
	readonly outcome: 'contended';
	readonly holder: string;
	/** Until a silent holder loses the lease; a release may come much sooner. */
	readonly retryAfterMs: number;
};

export const UNKNOWN_HOLDER = 'unknown';
/** Faults of a write that needs no second look. */
const NOT_DONE: ReadonlySet<string> = new Set(['forbidden', 'throttled']);
const CREATE_TRIES = 2;
const RELEASE_TRIES = 3;

export class LeaseProtocol {
	readonly #config: LockConfig;
	readonly #client: LeaseClient;
	readonly #clock: Clock;
	readonly #observations: LeaseObservations;
	readonly #abandon: (holder: string, name: string) => void;

	/** `abandon` is called for a write that was given up and may still land. */
	constructor(
		config: LockConfig,
		client: LeaseClient,
		clock: Clock,
		observations: LeaseObservations,
		abandon: (holder: string, name: string) => void,
	) {
		this.#config = config;
		this.#client = client;
		this.#clock = clock;
		this.#observations = observations;
		this.#abandon = abandon;
	}

	async tryAcquire(name: string, key: string, holder: string): Promise<Acquired | Contended> {
		for (let tries = 0; tries < CREATE_TRIES; tries++) {
			const created = await this.#write(this.#newLease(name, key, holder, 0), (write) => this.#client.create(write));
			if (created.answer !== 'exists') return { ...created, lease: created.answer, takeover: false };
			const observation = await this.#look(name);
			if (observation === undefined) continue; // released between the two calls
			const { lease, since } = observation;
			const remainingMs = since + honouredDurationMs(lease, this.#config) - this.#clock.now();
			if (remainingMs > 0) return contended(lease, remainingMs);

			const takeover = this.#newLease(name, key, holder, lease.transitions + 1);
			const taken = await this.#write(takeover, (write) => this.#client.replace(lease, write));
			if (taken.answer === 'gone') {
				this.#observations.removed(lease);
				continue;
			}
			if (taken.answer !== 'changed') return { ...taken, lease: taken.answer, takeover: true };
			const winner = await this.#look(name);
			if (winner !== undefined) return contended(winner.lease, honouredDurationMs(winner.lease, this.#config));
		}
		return contended(undefined, 0);
	}

	/** Copes with a renewal of ours whose answer was lost, and with a lost answer to the removal itself. */
	async remove(known: Lease, holder: string): Promise<void> {
		let lease = known;
		let fault: unknown;
		for (let tries = 0; tries < RELEASE_TRIES; tries++) {
			const answer = await this.#client.remove(lease).catch((error: unknown) => {
				fault = error;
				return 'unanswered' as const;
			});
			if (answer === 'removed' || answer === 'gone') return this.#observations.removed(lease);
			const current = await this.#client.read(lease.name);
			if (current?.holder !== holder) return this.#observations.removed(lease); // gone, or held by a successor
			lease = current;
		}
		throw fault ?? new Error(`the lease ${known.name} changed ${RELEASE_TRIES} times while it was being released`);
	}

	async #write<T extends string>(write: LeaseWrite, send: (write: LeaseWrite) => Promise<Lease | T>) {
		const sentAt = this.#clock.now();
		try {
			return { answer: await send(write), sentAt, write };
		} catch (error) {
			if (!(error instanceof LockFault) || NOT_DONE.has(error.kind)) throw error;
			const found = await this.#client.read(write.name).catch(() => undefined); // the first fault says more
			if (found?.holder === write.holder) return { answer: found, sentAt, write };
			this.#abandon(write.holder, write.name);
			throw error;
		}
	}

	/** A fresh read, so that contention names the present holder; the time counts from the first sight of this version. */
	async #look(name: string): Promise<Observation | undefined> {
		const before = this.#observations.get(name);
		const lease = await this.#client.read(name);
		if (lease !== undefined) return this.#observations.observe(lease);
		if (before !== undefined) this.#observations.removed(before.lease);
		return undefined;
	}

	#newLease(name: string, key: string, holder: string, transitions: number): LeaseWrite {
		const now = this.#clock.wallTime().toISOString();
		const durationMs = this.#config.leaseDurationMs;
		return { name, key, holder, durationMs, transitions, acquireTime: now, renewTime: now };
	}
}

function contended(lease: Lease | undefined, retryAfterMs: number): Contended {
	return { outcome: 'contended', holder: lease?.holder ?? UNKNOWN_HOLDER, retryAfterMs };
}
