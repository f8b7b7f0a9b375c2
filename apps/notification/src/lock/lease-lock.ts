// A lock over all replicas, made of Kubernetes Leases: the engine behind distributed-lock.ts.
// Guarantee: per key at most one holder that has not lost it, across processes and inside each (L1, L2).
// Not guaranteed: that a holder never loses it. A paused process, a partition or an unlucky clock can cost any lock, so
// the API server must reject a write under it that is done twice (ADR 3).
// Clock: only our own monotonic one decides; other machines' times are never read.
// Parts: lock-queue.ts (inside the process), lease-protocol.ts (acquiring and removing), lease-renewal.ts (keeping and
// losing), lease-observations.ts (versions seen, and since when), lease-sweeper.ts (orphans).
import { createHash, randomBytes } from 'node:crypto';
import { eitherAborted, orAborted } from '../process/abort.ts';
import type { Clock } from '../process/clock.ts';
import { LeaseObservations } from './lease-observations.ts';
import { type Acquired, type Contended, LeaseProtocol, UNKNOWN_HOLDER } from './lease-protocol.ts';
import { type Renewal, startRenewal } from './lease-renewal.ts';
import { LeaseSweeper } from './lease-sweeper.ts';
import { LEASE_HASH_LENGTH, type LockConfig, type LockOptions, resolveLockConfig } from './lock-config.ts';
import { LockClosedError, LockFault } from './lock-errors.ts';
import type { Lease, LeaseClient, LockObserver } from './lock-ports.ts';
import { LockQueue, type Slot } from './lock-queue.ts';

export type { Contended } from './lease-protocol.ts';
export type Held = {
	readonly key: string;
	readonly holder: string;
	/** Grows with every holder of this key; stamped on objects that are written under the lock. */
	readonly fencingToken: bigint;
	/** The Lease as name/uid: tokens of two Leases say nothing about each other. */
	readonly lease: string;
	/** Aborts when the lock is lost or released, or when the caller aborts. */
	readonly signal: AbortSignal;
	assertHeld(): void;
};
export type LockResult<T> = { readonly outcome: 'ran'; readonly value: T } | Contended;
export type Acquisition = { readonly outcome: 'acquired'; readonly held: Held } | Contended;
export type Inspection = {
	readonly holder: string;
	readonly acquireTime: string | undefined;
	readonly transitions: number;
};

type Holding = {
	readonly held: Held;
	readonly renewal: Renewal;
	readonly slot: Slot;
	readonly acquiredAt: number;
	/** Settles when the release has. */
	readonly released: PromiseWithResolvers<void>;
	releasing: boolean;
};

export class LeaseLock {
	readonly config: LockConfig;
	/** The app's watch feeds it with every Lease. */
	readonly observations: LeaseObservations;
	readonly #client: LeaseClient;
	readonly #clock: Clock;
	readonly #observer: LockObserver;
	readonly #queue: LockQueue;
	readonly #protocol: LeaseProtocol;
	readonly #sweeper: LeaseSweeper;
	/** By the name of the Lease: inside the process a key has at most one holder. */
	readonly #holdings = new Map<string, Holding>();
	readonly #attempts = new Set<Promise<unknown>>();
	#closed = false;

	constructor(options: LockOptions, client: LeaseClient, clock: Clock, observer: LockObserver) {
		this.config = resolveLockConfig(options);
		this.#client = client;
		this.#clock = clock;
		this.#observer = observer;
		this.#queue = new LockQueue((count) => observer.waiting(count));
		this.observations = new LeaseObservations(clock, (lease) => {
			this.#holdings.get(lease.name)?.renewal.observed(lease);
			this.#sweeper.recognise(lease);
		});
		this.#sweeper = new LeaseSweeper(this.config, client, this.observations, clock, observer);
		this.#protocol = new LeaseProtocol(this.config, client, clock, this.observations, (holder, name) =>
			this.#sweeper.abandon(holder, name),
		);
	}

	/** Keys that this process holds or waits for: for metrics and for the contract. */
	get activeKeys(): number {
		return this.#queue.keys;
	}

	/** Starts the sweeper; acquiring works without it. */
	start(): void {
		this.#sweeper.start();
	}

	/** For the watch: a version of a Lease was seen. */
	seen(lease: Lease): void {
		this.observations.observe(lease);
	}

	/** Returns the value as soon as the work is done; the release goes on behind it, and then frees the slot. */
	async withLock<T>(
		key: string,
		run: (held: Held) => Promise<T>,
		{ signal }: { signal?: AbortSignal } = {},
	): Promise<LockResult<T>> {
		if (this.#closed) throw new LockClosedError();
		const slot = await this.#queue.enter(key, signal);
		const attempt = this.#acquire(key, slot, signal);
		const acquisition = await (signal === undefined ? attempt : orAborted(attempt, signal));
		if (acquisition.outcome === 'contended') return acquisition;
		try {
			return { outcome: 'ran', value: await run(acquisition.held) };
		} finally {
			// In the next turn: else its call is sent before those that the caller sends with the value.
			setImmediate(() => void this.release(acquisition.held));
		}
	}

	/** One attempt. A caller that acquires the key must release it. */
	async tryAcquire(key: string): Promise<Acquisition> {
		if (this.#closed) throw new LockClosedError();
		const slot = this.#queue.tryEnter(key);
		if (slot !== undefined) return this.#acquire(key, slot);
		const holder = this.#holdings.get(this.leaseName(key))?.held.holder ?? this.config.podName;
		this.#observer.attempted();
		this.#observer.contended({ key, holder });
		return { outcome: 'contended', holder, retryAfterMs: this.config.leaseDurationMs };
	}

	/** Never rejects: a lease that cannot be removed expires. Releasing twice is releasing once. */
	async release(held: Held): Promise<void> {
		const holding = this.#holdings.get(this.leaseName(held.key));
		if (holding?.held !== held) return;
		if (!holding.releasing) void this.#release(holding);
		await holding.released.promise;
	}

	async inspect(key: string): Promise<Inspection | undefined> {
		const lease = await this.#client.read(this.leaseName(key));
		if (lease === undefined) return undefined;
		return { holder: lease.holder ?? UNKNOWN_HOLDER, acquireTime: lease.acquireTime, transitions: lease.transitions };
	}

	/**
	 * For the time after a contended attempt. Settles when the key's Lease is removed (at once if it has been since), when
	 * the time is up, or when the caller aborts. It does not say which.
	 */
	waitForRelease(key: string, atMostMs: number, signal?: AbortSignal): Promise<void> {
		const name = this.leaseName(key);
		if (signal?.aborted || this.observations.get(name) === undefined) return Promise.resolve();
		return new Promise((resolve) => {
			const done = () => {
				unsubscribe();
				cancelTimer();
				signal?.removeEventListener('abort', done);
				resolve();
			};
			const unsubscribe = this.observations.onRemoved(name, done);
			const cancelTimer = this.#clock.setTimer(done, atMostMs);
			signal?.addEventListener('abort', done, { once: true });
		});
	}

	/** Running work finishes, or is aborted when the grace period is over; then every lease is released. */
	async shutdown(graceMs: number): Promise<void> {
		this.#closed = true;
		this.#queue.rejectAll(new LockClosedError());
		const allSettled = async () => {
			while (this.#attempts.size + this.#holdings.size > 0)
				await Promise.allSettled([
					...this.#attempts,
					...[...this.#holdings.values()].map(({ released }) => released.promise),
				]);
		};
		let cancelTimer = () => {};
		const timeIsUp = new Promise<void>((resolve) => (cancelTimer = this.#clock.setTimer(resolve, graceMs)));
		await Promise.race([allSettled(), timeIsUp]);
		cancelTimer();
		await Promise.all([...this.#holdings.values()].map(({ held }) => this.release(held)));
		await this.#sweeper.stop();
	}

	/** A valid name for any key, the same in every replica. */
	leaseName(key: string): string {
		return this.config.prefix + createHash('sha256').update(key).digest('hex').slice(0, LEASE_HASH_LENGTH);
	}

	/** The attempt runs to its end, also when its caller has aborted. */
	#acquire(key: string, slot: Slot, signal?: AbortSignal): Promise<Acquisition> {
		const attempt = this.#attempt(key, slot, signal).finally(() => this.#attempts.delete(attempt));
		this.#attempts.add(attempt);
		return attempt;
	}

	/** Frees the slot when nothing was acquired; else the release does. */
	async #attempt(key: string, slot: Slot, signal?: AbortSignal): Promise<Acquisition> {
		const startedAt = this.#clock.now();
		const holder = `${this.config.podName}_${randomBytes(8).toString('hex')}`;
		let result: Acquired | Contended;
		try {
			this.#throwIfUnwanted(signal);
			this.#observer.attempted();
			result = await this.#protocol.tryAcquire(this.leaseName(key), key, holder);
		} catch (error) {
			slot.release();
			if (error instanceof LockFault) this.#observer.failed({ key, fault: error });
			throw error;
		}
		if ('outcome' in result) {
			slot.release();
			this.#observer.contended({ key, holder: result.holder });
			return result;
		}
		const seconds = (this.#clock.now() - startedAt) / 1000;
		this.#observer.acquired({ key, holder, seconds, takeover: result.takeover });
		const held = this.#hold(key, holder, result, slot, signal);
		try {
			this.#throwIfUnwanted(signal);
		} catch (error) {
			await this.release(held);
			throw error;
		}
		return { outcome: 'acquired', held };
	}

	/** A caller that aborted while the answer was under way does not get the lock, and no caller does during a shutdown. */
	#throwIfUnwanted(signal: AbortSignal | undefined): void {
		signal?.throwIfAborted();
		if (this.#closed) throw new LockClosedError();
	}

	#hold(key: string, holder: string, acquired: Acquired, slot: Slot, signal: AbortSignal | undefined): Held {
		const renewal = startRenewal(acquired, this.config, this.#client, this.#clock, (loss) =>
			this.#observer.lost({ key, holder, loss }),
		);
		const held: Held = {
			key,
			holder,
			fencingToken: BigInt(acquired.lease.resourceVersion),
			lease: `${acquired.lease.name}/${acquired.lease.uid}`,
			signal: signal === undefined ? renewal.signal : untilEnded(renewal.signal, signal),
			assertHeld: () => renewal.assertHeld(),
		};
		const released = Promise.withResolvers<void>();
		const holding = { held, renewal, slot, acquiredAt: this.#clock.now(), released, releasing: false };
		this.#holdings.set(acquired.lease.name, holding);
		return held;
	}

	async #release(holding: Holding): Promise<void> {
		holding.releasing = true;
		const { key, holder } = holding.held;
		try {
			await this.#protocol.remove(await holding.renewal.stop(), holder);
			this.#observer.released({ key, holder, heldSeconds: (this.#clock.now() - holding.acquiredAt) / 1000 });
		} catch (error) {
			// The lease expires, or the sweeper finds it; the result of the work must not suffer.
			this.#sweeper.abandon(holder, this.leaseName(key));
			this.#observer.releaseFailed({ key, holder, error });
		} finally {
			this.#holdings.delete(this.leaseName(key));
			holding.slot.release();
			holding.released.resolve();
		}
	}
}

/** Aborts with the loss, and with the caller's own signal while the lock is held. */
function untilEnded(ended: AbortSignal, caller: AbortSignal): AbortSignal {
	const { signal, forget } = eitherAborted(ended, caller);
	ended.addEventListener('abort', forget, { once: true });
	return signal;
}
