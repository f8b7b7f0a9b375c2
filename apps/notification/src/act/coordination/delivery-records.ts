// Records of what was sent, one per key, in the coordination cluster: the claim there comes before the claim in the message's
// own status, and its end before the end there. So of several clusters with the same incident one sends.
// Guarantee: a key is claimed by one sender at a time, and one that is Delivered is not claimed again until its retention is
// over. Not guaranteed: once, if the coordination cluster is away or restored; each message's own status then holds.
import { createBackoff, sleep } from '@kubernaut/backoff';
import type { UnknownEndPolicy } from '../../decide/delivery-entry.ts';
import { decideRecord, RECORD_STATES, type RecordState } from '../../decide/record.ts';
import { type CoordinationLease, type CoordinationLeases, leaseNameOf } from '../../objects/coordination-leases.ts';
import type { Clock } from '../../process/clock.ts';
import { LeaseVersions } from './lease-versions.ts';

export const RECORD_LABEL = 'kubernaut.ai/record';
export const RECORD_PREFIX = 'notification-record-';
const STATE = 'kubernaut.ai/record-state';
const KEY = 'kubernaut.ai/record-key';
const MESSAGE = 'kubernaut.ai/record-message';
const AT = 'kubernaut.ai/record-at';

export type RecordRequest = {
	readonly key: string;
	/** Uid of the message. */
	readonly uid: string;
	readonly claimedBy: string;
	readonly policy: UnknownEndPolicy;
	/** Owner of the claim in the message's own status, when that was silent. */
	readonly silentClaim?: string | undefined;
};
export type RecordClaim =
	| { readonly outcome: 'claimed'; end(end: 'Delivered' | 'Unknown' | 'free'): Promise<void> }
	/** `message`: uid of the message that was sent. */
	| { readonly outcome: 'settled'; readonly state: 'Delivered' | 'Unknown'; readonly message: string }
	| { readonly outcome: 'held'; readonly holder: string; readonly retryInMs: number };
export type RecordsOptions = {
	readonly leases: CoordinationLeases;
	readonly claimTimeoutMs: number;
	/** Its wall time is the coordination cluster's. */
	readonly clock: Clock;
	/** Ends every retry. */
	readonly stopping: AbortSignal;
};

const MAX_TRIES = 3;
const BETWEEN_TRIES = createBackoff({ basePeriodMs: 200, maxPeriodMs: 10_000 });

export class DeliveryRecords {
	readonly #options: RecordsOptions;
	readonly #versions: LeaseVersions;

	constructor(options: RecordsOptions) {
		this.#options = options;
		this.#versions = new LeaseVersions(options.clock.now);
	}

	async claim(request: RecordRequest): Promise<RecordClaim> {
		const { leases, claimTimeoutMs, clock } = this.#options;
		const name = leaseNameOf(RECORD_PREFIX, request.key);
		for (let tries = 0; tries < MAX_TRIES; tries++) {
			const created = await this.#resolved(name, request, leases.create(name, this.#state(request, 'Claimed')));
			if (created !== 'exists') return this.#claimed(created, request);
			const found = await this.#versions.readFrom(leases, name);
			if (found === undefined) continue; // freed between the two calls
			const { lease, since } = found;
			const view = { state: stateOf(lease), holder: lease.holder ?? '', silentForMs: clock.now() - since };
			const { policy, silentClaim } = request;
			const decision = decideRecord(view, { claimTimeoutMs, policy, silentClaim });
			if (decision.do === 'wait') return { outcome: 'held', holder: view.holder, retryInMs: decision.forMs };
			if (decision.do === 'nothing') return this.#settled(lease, decision.state);
			const state = decision.do === 'takeOver' ? 'Claimed' : 'Unknown';
			const taken = await this.#resolved(name, request, leases.replace(lease, this.#state(request, state)));
			if (typeof taken !== 'object') continue;
			return state === 'Claimed' ? this.#claimed(taken, request) : this.#settled(taken, 'Unknown');
		}
		return { outcome: 'held', holder: 'unknown', retryInMs: 0 };
	}

	/** Removes records that are older than the retention; their messages are gone as well. */
	async sweep(retentionMs: number): Promise<void> {
		const { leases, clock, stopping } = this.#options;
		for (const lease of await leases.list()) {
			if (stopping.aborted) return;
			const at = Date.parse(lease.annotations[AT] ?? '');
			const age = clock.wallTime().getTime() - (Number.isNaN(at) ? 0 : at);
			if (age > retentionMs) await leases.remove(lease);
		}
	}

	#settled(lease: CoordinationLease, state: 'Delivered' | 'Unknown'): RecordClaim {
		this.#versions.forget(lease.name);
		return { outcome: 'settled', state, message: lease.annotations[MESSAGE] ?? '' };
	}

	#claimed(lease: CoordinationLease, request: RecordRequest): RecordClaim {
		this.#versions.forget(lease.name);
		return { outcome: 'claimed', end: (end) => this.#end(lease, request, end) };
	}

	/** Tried until it is written, or the record is another's. */
	async #end(lease: CoordinationLease, request: RecordRequest, end: 'Delivered' | 'Unknown' | 'free'): Promise<void> {
		const { leases, clock, stopping } = this.#options;
		for (let tries = 1; ; tries++)
			try {
				if (end === 'free') await leases.remove(lease);
				else await leases.replace(lease, this.#state(request, end));
				return;
			} catch (error) {
				if (stopping.aborted) throw error;
				await sleep(BETWEEN_TRIES.calculate(tries), { clock, signal: stopping });
			}
	}

	/** A write whose answer was lost is read back: the nonce says whether it was done. */
	async #resolved<A extends string>(
		name: string,
		{ claimedBy }: RecordRequest,
		write: Promise<CoordinationLease | A>,
	): Promise<CoordinationLease | A> {
		try {
			return await write;
		} catch (error) {
			const found = await this.#options.leases.read(name).catch(() => undefined); // the first fault says more
			if (found?.holder === claimedBy) return found;
			throw error;
		}
	}

	#state({ key, uid, claimedBy }: RecordRequest, state: RecordState) {
		const at = this.#options.clock.wallTime().toISOString();
		return { holder: claimedBy, annotations: { [STATE]: state, [KEY]: key, [MESSAGE]: uid, [AT]: at } };
	}
}

/** A state that we do not know is a claim: it is waited for, and then taken over. */
function stateOf({ annotations }: CoordinationLease): RecordState {
	return RECORD_STATES.find((state) => state === annotations[STATE]) ?? 'Claimed';
}
