// A signal becomes a RemediationRequest, or one more occurrence on the one that stands for it.
//   fast: the cache knows an active request → count on it; the write itself finds out if the cache was behind.
//   slow: one of this pod's equal signals takes the lock and finds or creates the request; the others share its result
//         and are counted on it together.
import type { Backoff } from '@kubernaut/backoff';
import { type DistributedLock, type LockResult, lockKey } from '../distributed-lock.ts';
import type { RequestCache } from '../objects/request-cache.ts';
import { isActive, type NewLink, type RequestLink } from '../objects/request-link.ts';
import type { RequestStore } from '../objects/request-store.ts';
import { eitherAborted, orAborted } from '../process/abort.ts';
import type {
	Deferred,
	IngestOptions,
	IngestResult,
	RequestRef,
	ResolveResult,
	Signal,
	SignalIngest,
} from '../signal/signal.ts';
import { asResult, deferred } from './deferral.ts';
import type { OccurrenceCommitter } from './occurrence-commit.ts';
import { recordEnd } from './record-end.ts';
import { type ChainResult, joinOrCreate } from './request-chain.ts';
import { SingleFlight } from './single-flight.ts';
import type { LookingUp, TargetLookUp } from './targets/target-look-up.ts';
import type { WorkPlaces } from './work-places.ts';

export type RetryObserver = {
	/** Of the signal that takes the lock. */
	retrying(event: { attempt: number; delayMs: number }): void;
	/** Of each signal, also of those that share its result. */
	retrySucceeded(): void;
	retryTimedOut(): void;
};

export type IngestParts = {
	readonly lock: Pick<DistributedLock, 'withLock' | 'waitForRelease' | 'leaseName'>;
	readonly store: RequestStore;
	readonly cache: RequestCache;
	readonly committer: OccurrenceCommitter;
	/** For each attempt at the lock with what is done under it, and for each marking as resolved. */
	readonly places: Pick<WorkPlaces, 'run'>;
	/** All requests are known. Before, an empty cache is no sign of an empty chain, and its first link may be gone. */
	readonly isListed: () => boolean;
	readonly lookUp: TargetLookUp;
	readonly backoff: Backoff;
	readonly namespace: string;
	readonly observer: RetryObserver;
};

/** Result of a slow path, and whether it took more than one attempt. Undefined: other replicas kept the lock. */
type FlightResult = { readonly result: ChainResult | undefined; readonly retried: boolean };

export const LOCK_ATTEMPTS = 10;
// A request that ends while it is written to is followed by another; this many in a row within one signal is not normal.
const MAX_ROUNDS = 10;
export function createSignalIngest(parts: IngestParts): SignalIngest {
	const { lock, store, cache, committer, places, lookUp, backoff, namespace, observer } = parts;
	const flights = new SingleFlight<FlightResult>();
	const refTo = (link: RequestLink): RequestRef => ({ name: link.name, namespace });

	async function ingest(signal: Signal, options: IngestOptions): Promise<IngestResult> {
		const { abort } = options;
		if (!parts.isListed()) return notListed();
		return asResult(async () => {
			for (let round = 0; round < MAX_ROUNDS; round++) {
				const known = cache.newest(signal.fingerprint);
				const found = known !== undefined && isActive(known) ? known : await findOrCreate(signal, options);
				if (found === undefined) {
					observer.retryTimedOut();
					return lockTimeout(signal);
				}
				if ('outcome' in found) return { outcome: 'created', request: refTo(found.link), occurrenceCount: 1 };
				const counted = await orAborted(committer.count(found, signal.alert, abort), abort);
				if (counted.outcome === 'counted')
					return { outcome: 'duplicate', request: refTo(counted.link), occurrenceCount: counted.occurrenceCount };
				forget(found, counted.link);
			}
			return deferred('contention', `the request of ${signal.fingerprint} keeps ending while the signal is counted`);
		});
	}

	/** A ChainResult for the one signal that created the request; for all others the link to be counted on. */
	async function findOrCreate(
		signal: Signal,
		{ abort, deadlineAt }: IngestOptions,
	): Promise<ChainResult | RequestLink | undefined> {
		const start = (abandoned: AbortSignal) => underLock(signal, { abort: abandoned, ...by(deadlineAt) });
		const { value, leads } = await flights.run(signal.fingerprint, start, abort);
		const { result, retried } = value;
		if (result !== undefined && retried) observer.retrySucceeded();
		return leads && result?.outcome === 'created' ? result : result?.link;
	}

	async function underLock(signal: Signal, options: IngestOptions): Promise<FlightResult> {
		const { fingerprint } = signal;
		const { abort: abandoned } = options;
		const key = lockKey(signal);
		const wait = (delayMs: number) => releasedOrFound(signal, delayMs, abandoned);
		let looking: LookingUp | undefined;
		for await (const attempt of backoff.attempts({ maxAttempts: LOCK_ATTEMPTS, signal: abandoned, wait })) {
			const retried = attempt.number > 1;
			const result = await places.run(async () => {
				const known = joinKnown(fingerprint);
				if (known !== undefined) return known;
				looking ??= lookUp.start(signal, abandoned); // beside the create of the Lease
				return attemptLock(signal, key, looking, abandoned);
			}, options);
			if (result.outcome === 'ran') {
				cache.changed(result.value.link);
				return { result: result.value, retried };
			}
			if (!attempt.isLast) observer.retrying({ attempt: attempt.number, delayMs: attempt.nextDelayMs });
		}
		abandoned.throwIfAborted();
		return { result: undefined, retried: true };
	}

	/** Another replica may have created the request since it was looked for. */
	function joinKnown(fingerprint: string): LockResult<ChainResult> | undefined {
		const known = cache.newest(fingerprint);
		if (known === undefined || !isActive(known)) return undefined;
		return { outcome: 'ran', value: { outcome: 'joined', link: known } };
	}

	function attemptLock(
		signal: Signal,
		key: string,
		looking: LookingUp,
		abandoned: AbortSignal,
	): Promise<LockResult<ChainResult>> {
		const { fingerprint } = signal;
		return lock.withLock(
			key,
			(held) => {
				const chain = {
					...store,
					async create(link: NewLink) {
						const found = await looking.finish();
						held.assertHeld();
						return store.create(signal, found, link, held.fencingToken);
					},
					setSuccessor: (link: RequestLink, successor: string) =>
						store.setSuccessor(link, successor, { lease: lock.leaseName(key), token: held.fencingToken }),
				};
				return joinOrCreate(chain, fingerprint, cache.newest(fingerprint), () => held.assertHeld());
			},
			{ signal: abandoned },
		);
	}

	/** Ends early when the lock is released or when another replica's request shows up. */
	async function releasedOrFound(signal: Signal, delayMs: number, abandoned: AbortSignal): Promise<void> {
		const found = new AbortController();
		const either = eitherAborted(abandoned, found.signal);
		const stopListening = cache.onChange(signal.fingerprint, () => found.abort());
		try {
			await lock.waitForRelease(lockKey(signal), delayMs, either.signal);
		} finally {
			either.forget();
			stopListening();
		}
	}

	function forget(old: RequestLink, current: RequestLink | undefined): void {
		if (current === undefined) cache.removed(old);
		else cache.changed(current);
	}

	async function resolve(signal: Signal, options: IngestOptions): Promise<ResolveResult> {
		if (!parts.isListed()) return notListed();
		const recording = () =>
			places.run(() => recordEnd(signal, { store, cache, refTo }), { ...options, finishes: true });
		return asResult(() => orAborted(recording(), options.abort));
	}

	return { ingest, resolve };
}

function notListed(): Deferred {
	return deferred('starting', 'the requests are not listed yet');
}

function by(deadlineAt: number | undefined): { deadlineAt?: number } {
	return deadlineAt === undefined ? {} : { deadlineAt };
}

function lockTimeout(signal: Signal): Deferred {
	return deferred(
		'lock-timeout',
		`another replica kept the lock on ${signal.fingerprint} through ${LOCK_ATTEMPTS} attempts`,
	);
}
