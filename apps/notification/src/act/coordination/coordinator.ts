// What one send needs of others: the Lease of the delivery, the turn of the receiver's pace, and in several clusters the
// record of the key, in this order. Without them (locking is off, or the channel is internal) a permit costs nothing.
// `onLockUnavailable` decides what a fault of the coordination means: `hold` waits, `deliver` goes on with the claim in the
// message's own status and a pace per process. It is about the Leases alone: without the claim nothing is sent.
import type { Fencing, UnknownEndPolicy } from '../../decide/delivery-entry.ts';
import type { DistributedLock, Held } from '../../distributed-lock.ts';
import { LockClosedError, LockFault } from '../../distributed-lock.ts';
import { KubeError } from '../../kube/kube.ts';
import type { ChannelName } from '../../objects/notification.ts';
import { MAX_TURN_WAIT_MS, type Pace, type PaceTurn } from '../gate/pace.ts';
import type { DeliveryRecords, RecordClaim } from './delivery-records.ts';
import { EXTERNAL_CHANNELS } from './external-channels.ts';

export const ON_LOCK_UNAVAILABLE = ['hold', 'deliver'] as const;
export type OnLockUnavailable = (typeof ON_LOCK_UNAVAILABLE)[number];

export type PermitRequest = {
	readonly uid: string;
	readonly channel: ChannelName;
	readonly key: string;
	/** Undefined: the channel is not set up, and has no pace. */
	readonly receiver: string | undefined;
	readonly claimedBy: string;
	readonly policy: UnknownEndPolicy;
	readonly silentClaim?: string | undefined;
	readonly abort: AbortSignal;
};
export type Permit = {
	readonly outcome: 'permitted';
	readonly fencing: Fencing | undefined;
	readonly turn: PaceTurn;
	/** False when the Lease was lost meanwhile: another may be at it. */
	isHeld(): boolean;
	/** In the record of the key, where there is one. */
	endRecord(end: 'Delivered' | 'Unknown' | 'free'): Promise<void>;
	release(): Promise<void>;
};
export type PermitResult =
	| Permit
	| { readonly outcome: 'later'; readonly retryInMs: number; readonly why: 'contended' | 'unavailable' | 'aborted' }
	/** Another cluster has settled the key. */
	| { readonly outcome: 'elsewhere'; readonly state: 'Delivered' | 'Unknown'; readonly message: string };
export type CoordinatorObserver = {
	lockUnavailable(channel: ChannelName, action: OnLockUnavailable, error: unknown): void;
	paced(channel: ChannelName, waitedSeconds: number): void;
};
export type CoordinatorParts = {
	/** Undefined: locking is off. */
	readonly lock: Pick<DistributedLock, 'tryAcquire' | 'release' | 'knownHolder'> | undefined;
	/** Undefined: there is one cluster. */
	readonly records: Pick<DeliveryRecords, 'claim'> | undefined;
	/** By channel; over all replicas when locking is on. */
	readonly paces: Readonly<Record<ChannelName, Pace>>;
	readonly localPaces: Readonly<Record<ChannelName, Pace>>;
	readonly onLockUnavailable: OnLockUnavailable;
	readonly now: () => number;
	readonly observer: CoordinatorObserver;
};

const CONTENDED_MS = 1000;
const UNAVAILABLE_MS = 2000;
const NO_RECORD = async () => {};

export type Coordinator = {
	/** The least time before it is worth asking for a permit. */
	waitMs(channel: ChannelName, receiver: string | undefined): number;
	enter(request: PermitRequest): Promise<PermitResult>;
};

export function createCoordinator(parts: CoordinatorParts): Coordinator {
	const { lock, records, observer, now, onLockUnavailable } = parts;

	/** `fallback`: what `deliver` goes on with. */
	async function coordinated<T>(
		channel: ChannelName,
		ask: () => Promise<T>,
		fallback: () => Promise<T>,
	): Promise<T | 'unavailable'> {
		try {
			return await ask();
		} catch (error) {
			if (!(error instanceof LockFault) && !(error instanceof KubeError)) throw error;
			observer.lockUnavailable(channel, onLockUnavailable, error);
			return onLockUnavailable === 'deliver' ? fallback() : 'unavailable';
		}
	}

	async function takeTurn(
		{ channel, receiver, abort }: PermitRequest,
		isLocked: boolean,
	): Promise<PaceTurn | undefined | 'unavailable'> {
		const name = `${channel} ${receiver}`;
		const startedAt = now();
		const local = () => parts.localPaces[channel].take(name, abort);
		const turn = isLocked
			? await coordinated(channel, () => parts.paces[channel].take(name, abort), local)
			: await local();
		if (typeof turn === 'object') observer.paced(channel, (now() - startedAt) / 1000);
		return turn;
	}

	/** Everything after the Lease; the Lease is released by the caller when this gives no permit. */
	async function underLease(request: PermitRequest, held: Held | undefined): Promise<PermitResult> {
		const { channel, uid, key, claimedBy, policy, silentClaim } = request;
		const turn = request.receiver === undefined ? NO_TURN : await takeTurn(request, held !== undefined);
		if (turn === 'unavailable') return { outcome: 'later', retryInMs: UNAVAILABLE_MS, why: 'unavailable' };
		if (turn === undefined) return { outcome: 'later', retryInMs: 0, why: 'aborted' };
		const noRecord: RecordClaim = { outcome: 'claimed', end: NO_RECORD };
		const ask = async () =>
			records === undefined || held === undefined
				? noRecord
				: records.claim({ key, uid, claimedBy, policy, silentClaim });
		let claim: RecordClaim | 'unavailable' = 'unavailable';
		try {
			claim = await coordinated(channel, ask, async () => noRecord);
		} finally {
			if (claim === 'unavailable' || claim.outcome !== 'claimed') await turn.free(0);
		}
		if (claim === 'unavailable') return { outcome: 'later', retryInMs: UNAVAILABLE_MS, why: 'unavailable' };
		if (claim.outcome === 'held') return { outcome: 'later', retryInMs: claim.retryInMs, why: 'contended' };
		if (claim.outcome === 'settled') return { outcome: 'elsewhere', state: claim.state, message: claim.message };
		return {
			outcome: 'permitted',
			fencing: held === undefined ? undefined : { lease: held.lease, fencingToken: Number(held.fencingToken) },
			turn,
			isHeld: () => held?.signal.aborted !== true,
			endRecord: claim.end,
			release: async () => {
				if (held !== undefined) await lock?.release(held);
			},
		};
	}

	async function acquire({
		channel,
		key,
	}: PermitRequest): Promise<Held | undefined | { readonly retryInMs: number } | 'unavailable'> {
		if (lock === undefined || !EXTERNAL_CHANNELS.includes(channel)) return undefined;
		if (lock.knownHolder(key) !== undefined) return { retryInMs: CONTENDED_MS };
		const ask = async () => {
			const acquisition = await lock.tryAcquire(key);
			if (acquisition.outcome === 'acquired') return acquisition.held;
			return { retryInMs: Math.min(Math.max(acquisition.retryAfterMs, 1), CONTENDED_MS) };
		};
		return coordinated(channel, ask, async () => undefined);
	}

	return {
		waitMs(channel, receiver) {
			if (receiver === undefined) return 0;
			const paces = lock === undefined ? parts.localPaces : parts.paces;
			const waitMs = paces[channel].waitMs(`${channel} ${receiver}`);
			return waitMs > MAX_TURN_WAIT_MS ? waitMs : 0;
		},
		async enter(request) {
			let held: Held | undefined;
			try {
				const acquired = await acquire(request);
				if (acquired === 'unavailable') return { outcome: 'later', retryInMs: UNAVAILABLE_MS, why: 'unavailable' };
				if (acquired !== undefined && 'retryInMs' in acquired)
					return { outcome: 'later', ...acquired, why: 'contended' };
				held = acquired;
				const result = await underLease(request, held);
				if (result.outcome !== 'permitted' && held !== undefined) await lock?.release(held);
				return result;
			} catch (error) {
				if (held !== undefined) await lock?.release(held);
				if (error instanceof LockClosedError) return { outcome: 'later', retryInMs: 0, why: 'aborted' };
				throw error;
			}
		},
	};
}

const NO_TURN: PaceTurn = { deadline: Infinity, free: async () => {} };
