// A signal becomes a RemediationRequest, or one more occurrence on the one that stands for it.
//   fast: the cache knows an active request → count on it; the write itself finds out if that was old.
//   slow: one of this pod's equal signals goes for the lock and finds or makes the request; the others share what it
//         finds and are counted on it together.
import type { Backoff } from '@kubernaut/backoff';
import { type DistributedLock, LockClosedError, LockFault, LockLostError, lockKey } from '../distributed-lock.ts';
import { KubeError } from '../kube/kube.ts';
import type { RequestCache } from '../objects/request-cache.ts';
import { isActive, linkName, type NewLink, type RequestLink } from '../objects/request-link.ts';
import type { RequestStore } from '../objects/request-store.ts';
import { orAborted } from '../process/abort.ts';
import type { IngestResult, LaterReason, RequestRef, ResolveResult, Signal, SignalIngest } from '../signal/signal.ts';
import type { OccurrenceCommitter } from './occurrence-commit.ts';
import { type ChainResult, joinOrCreate } from './request-chain.ts';
import { SingleFlight } from './single-flight.ts';

export type RetryObserver = {
	/** Of the one that goes for the lock. */
	retrying(event: { attempt: number; delayMs: number }): void;
	/** Of each signal, also of those that share what the one finds. */
	retrySucceeded(): void;
	retryTimedOut(): void;
};

export type IngestParts = {
	readonly lock: Pick<DistributedLock, 'withLock' | 'waitForRelease' | 'leaseName'>;
	readonly store: RequestStore;
	readonly cache: RequestCache;
	readonly committer: OccurrenceCommitter;
	/** All requests are known. Before, an empty cache is no sign of an empty chain, and its first link may be gone. */
	readonly isListed: () => boolean;
	readonly backoff: Backoff;
	readonly namespace: string;
	readonly now: () => Date;
	readonly observer: RetryObserver;
};

/** What a slow path found, and whether it took more than one attempt. Without a result: the lock stayed with others. */
type Found = { readonly result: ChainResult | undefined; readonly retried: boolean };

export const LOCK_ATTEMPTS = 10;
const RETRY_AFTER_MS = 1000;
// A request that ends under our hands is followed by another; this many in a row within one signal is not normal.
const MOST_ROUNDS = 10;
const FORBIDDEN: ReadonlySet<string> = new Set(['KUBE_FORBIDDEN', 'KUBE_UNAUTHORIZED']);

export function createSignalIngest(parts: IngestParts): SignalIngest {
	const { lock, store, cache, committer, backoff, namespace, observer } = parts;
	const flights = new SingleFlight<Found>();
	const refTo = (link: RequestLink): RequestRef => ({ name: link.name, namespace });

	async function ingest(signal: Signal, options: { signal: AbortSignal }): Promise<IngestResult> {
		if (!parts.isListed()) return notListed();
		return asResult(async () => {
			for (let round = 0; round < MOST_ROUNDS; round++) {
				const known = cache.newest(signal.fingerprint);
				const found = known !== undefined && isActive(known) ? known : await findOrMake(signal, options.signal);
				if (found === undefined) {
					observer.retryTimedOut();
					return lockTimeout(signal);
				}
				if ('outcome' in found) return { outcome: 'created', request: refTo(found.link), occurrenceCount: 1 };
				const counted = await orAborted(committer.count(found, options.signal), options.signal);
				if (counted.outcome === 'counted')
					return { outcome: 'duplicate', request: refTo(counted.link), occurrenceCount: counted.occurrenceCount };
				forget(found, counted.link);
			}
			return later('contention', `the request of ${signal.fingerprint} keeps ending while the signal is counted`);
		});
	}

	/** A ChainResult for the one signal that made the request; for all others the link to be counted on. */
	async function findOrMake(signal: Signal, caller: AbortSignal): Promise<ChainResult | RequestLink | undefined> {
		const { value, leads } = await flights.run(signal.fingerprint, (abandoned) => underLock(signal, abandoned), caller);
		const { result, retried } = value;
		if (result !== undefined && retried) observer.retrySucceeded();
		return leads && result?.outcome === 'created' ? result : result?.link;
	}

	async function underLock(signal: Signal, abandoned: AbortSignal): Promise<Found> {
		const { fingerprint } = signal;
		const key = lockKey(signal);
		const wait = (delayMs: number) => releasedOrFound(signal, delayMs, abandoned);
		for await (const attempt of backoff.attempts({ maxAttempts: LOCK_ATTEMPTS, signal: abandoned, wait })) {
			const known = cache.newest(fingerprint);
			const retried = attempt.number > 1;
			if (retried && known !== undefined && isActive(known))
				return { result: { outcome: 'joined', link: known }, retried };
			const result = await lock.withLock(
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
			if (result.outcome === 'ran') {
				cache.changed(result.value.link);
				return { result: result.value, retried };
			}
			if (!attempt.isLast) observer.retrying({ attempt: attempt.number, delayMs: attempt.nextDelayMs });
		}
		abandoned.throwIfAborted();
		return { result: undefined, retried: true };
	}

	/** Woken early when the lock is free or when somebody's request shows up. */
	async function releasedOrFound(signal: Signal, delayMs: number, abandoned: AbortSignal): Promise<void> {
		const found = new AbortController();
		const stopListening = cache.onChange(signal.fingerprint, () => found.abort());
		try {
			await lock.waitForRelease(lockKey(signal), delayMs, AbortSignal.any([abandoned, found.signal]));
		} finally {
			stopListening();
		}
	}

	function forget(old: RequestLink, current: RequestLink | undefined): void {
		if (current === undefined) cache.removed(old);
		else cache.changed(current);
	}

	async function resolve(signal: Signal, options: { signal: AbortSignal }): Promise<ResolveResult> {
		if (!parts.isListed()) return notListed();
		return asResult(() => orAborted(markResolved(signal.fingerprint), options.signal));
	}

	async function markResolved(fingerprint: string): Promise<ResolveResult> {
		for (let round = 0; round < MOST_ROUNDS; round++) {
			const known = cache.newest(fingerprint);
			if (known === undefined || !isActive(known)) {
				// The cache may be behind another replica's create, and nobody tells us a second time that it is resolved.
				const next = await store.get(known?.successor ?? linkName(fingerprint, known?.uid));
				if (next === undefined) return { outcome: 'resolved' };
				cache.changed(next);
				continue;
			}
			if (known.resolved) return { outcome: 'resolved', request: refTo(known) };
			const marked = await store.markResolved(known, parts.now().toISOString());
			if (typeof marked === 'object') {
				cache.changed(marked);
				return { outcome: 'resolved', request: refTo(marked) };
			}
			forget(known, marked === 'gone' ? undefined : await store.get(known.name));
		}
		return later('contention', `the request of ${fingerprint} keeps changing while it is marked as resolved`);
	}

	return { ingest, resolve };
}

/** Faults that pass become "later"; the caller's own abort stays what it is. */
async function asResult<T>(
	run: () => Promise<T>,
): Promise<T | Extract<IngestResult, { outcome: 'later' | 'refused' }>> {
	try {
		return await run();
	} catch (error) {
		if (error instanceof LockClosedError) return later('shutting-down', error.message);
		if (error instanceof LockLostError) return later('lock-timeout', error.message);
		if (error instanceof LockFault)
			return later(error.kind === 'forbidden' ? 'api-forbidden' : 'api-unavailable', error.message);
		if (!(error instanceof KubeError)) throw error;
		if (FORBIDDEN.has(error.code)) return later('api-forbidden', error.message);
		if (error.code === 'KUBE_CONFLICT') return later('contention', error.message);
		if (error.code === 'KUBE_INVALID') return { outcome: 'refused', message: error.message };
		return later('api-unavailable', error.message, error.retryAfterMs);
	}
}

function notListed(): Extract<IngestResult, { outcome: 'later' }> {
	return later('starting', 'the requests are not listed yet');
}

function lockTimeout(signal: Signal): IngestResult {
	return later(
		'lock-timeout',
		`another replica kept the lock on ${signal.fingerprint} through ${LOCK_ATTEMPTS} attempts`,
	);
}

function later(
	reason: LaterReason,
	message: string,
	retryAfterMs = RETRY_AFTER_MS,
): Extract<IngestResult, { outcome: 'later' }> {
	return { outcome: 'later', reason, retryAfterMs, message };
}
