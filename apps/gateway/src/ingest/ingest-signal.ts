// A signal becomes a RemediationRequest, or one more occurrence on the one that stands for it.
//   fast: the cache knows an active request → count on it; the write itself finds out if the cache was behind.
//   slow: one of this pod's equal signals takes the lock and finds or creates the request; the others share its result
//         and are counted on it together.
import type { Backoff } from '@kubernaut/backoff';
import {
	type DistributedLock,
	LockClosedError,
	LockFault,
	LockLostError,
	type LockResult,
	lockKey,
} from '../distributed-lock.ts';
import { KubeError } from '../kube/kube.ts';
import type { RequestCache } from '../objects/request-cache.ts';
import { isActive, linkName, type NewLink, type RequestLink } from '../objects/request-link.ts';
import type { RequestStore } from '../objects/request-store.ts';
import { isLater } from '../objects/status-patch.ts';
import { eitherAborted, orAborted } from '../process/abort.ts';
import type {
	DeferralReason,
	Deferred,
	IngestOptions,
	IngestResult,
	Rejected,
	RequestRef,
	ResolveResult,
	Signal,
	SignalIngest,
} from '../signal/signal.ts';
import type { OccurrenceCommitter } from './occurrence-commit.ts';
import { type ChainResult, joinOrCreate } from './request-chain.ts';
import { SingleFlight } from './single-flight.ts';
import { WorkOverload, type WorkPlaces } from './work-places.ts';

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
	readonly backoff: Backoff;
	readonly namespace: string;
	readonly observer: RetryObserver;
};

/** Result of a slow path, and whether it took more than one attempt. Undefined: other replicas kept the lock. */
type FlightResult = { readonly result: ChainResult | undefined; readonly retried: boolean };

export const LOCK_ATTEMPTS = 10;
const RETRY_AFTER_MS = 1000;
// A request that ends while it is written to is followed by another; this many in a row within one signal is not normal.
const MAX_ROUNDS = 10;
const FORBIDDEN: ReadonlySet<string> = new Set(['KUBE_FORBIDDEN', 'KUBE_NOT_GRANTED', 'KUBE_UNAUTHORIZED']);
/** For good, whatever the number of tries. */
const REFUSED: ReadonlySet<string> = new Set(['KUBE_INVALID', 'KUBE_TOO_LARGE']);
const FAULT_REASONS: Readonly<Record<LockFault['kind'], DeferralReason>> = {
	forbidden: 'api-forbidden',
	throttled: 'api-throttled',
	unavailable: 'api-unavailable',
	timeout: 'api-slow',
};

export function createSignalIngest(parts: IngestParts): SignalIngest {
	const { lock, store, cache, committer, places, backoff, namespace, observer } = parts;
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
				const counted = await orAborted(committer.count(found, firingTimeOf(signal), abort), abort);
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
		for await (const attempt of backoff.attempts({ maxAttempts: LOCK_ATTEMPTS, signal: abandoned, wait })) {
			const retried = attempt.number > 1;
			const result = await places.run(
				async () => joinKnown(fingerprint) ?? attemptLock(signal, key, abandoned),
				options,
			);
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

	function attemptLock(signal: Signal, key: string, abandoned: AbortSignal): Promise<LockResult<ChainResult>> {
		const { fingerprint } = signal;
		return lock.withLock(
			key,
			(held) => {
				const chain = {
					...store,
					create: (link: NewLink) => store.create(signal, link, held.fencingToken),
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
		const marking = () => places.run(() => markResolved(signal), { ...options, finishes: true });
		return asResult(() => orAborted(marking(), options.abort));
	}

	async function markResolved({ fingerprint, resolvedTime, receivedTime }: Signal): Promise<ResolveResult> {
		const resolvedAt = resolvedTime ?? receivedTime;
		for (let round = 0; round < MAX_ROUNDS; round++) {
			const known = cache.newest(fingerprint);
			if (known === undefined || !isActive(known)) {
				// The cache may be behind another replica's create, and a resolved alert is not sent a second time.
				const next = await store.get(known?.successor ?? linkName(fingerprint, known?.uid));
				if (next === undefined) return { outcome: 'resolved' };
				cache.changed(next);
				continue;
			}
			const firingAgainSince = known.lastFiringTime ?? known.firingTime;
			if (!isLater(resolvedAt, firingAgainSince))
				return { outcome: 'outdated', request: refTo(known), firingAgainSince };
			if (known.resolvedAt !== undefined) return { outcome: 'resolved', request: refTo(known) };
			const marked = await store.markResolved(known, resolvedAt);
			if (typeof marked === 'object') {
				cache.changed(marked);
				return { outcome: 'resolved', request: refTo(marked) };
			}
			forget(known, marked === 'gone' ? undefined : await store.get(known.name));
		}
		return deferred('contention', `the request of ${fingerprint} keeps changing while it is marked as resolved`);
	}

	return { ingest, resolve };
}

/** Events have no end, so that nothing is to be compared with the time of the last one, which moves with each. */
function firingTimeOf({ type, firingTime }: Signal): string | undefined {
	return type === 'alert' ? firingTime : undefined;
}

/** Faults that may pass become a deferral; the caller's own abort stays what it is. */
async function asResult<T>(run: () => Promise<T>): Promise<T | Deferred | Rejected> {
	try {
		return await run();
	} catch (error) {
		if (error instanceof WorkOverload) return deferred('overloaded', error.message, error.retryAfterMs);
		if (error instanceof LockClosedError) return deferred('shutting-down', error.message);
		if (error instanceof LockLostError) return deferred('lock-timeout', error.message);
		if (error instanceof LockFault) return deferred(FAULT_REASONS[error.kind], error.message);
		if (!(error instanceof KubeError)) throw error;
		if (FORBIDDEN.has(error.code)) return deferred('api-forbidden', error.message);
		if (error.code === 'KUBE_CONFLICT') return deferred('contention', error.message);
		if (REFUSED.has(error.code)) return { outcome: 'rejected', message: error.message };
		if (error.code === 'KUBE_THROTTLED') return deferred('api-throttled', error.message, error.retryAfterMs);
		if (error.code === 'KUBE_TIMEOUT') return deferred('api-slow', error.message);
		return deferred('api-unavailable', error.message, error.retryAfterMs);
	}
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

function deferred(reason: DeferralReason, message: string, retryAfterMs = RETRY_AFTER_MS): Deferred {
	return { outcome: 'deferred', reason, retryAfterMs, message };
}
