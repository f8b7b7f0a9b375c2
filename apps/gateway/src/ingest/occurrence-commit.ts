// Counts duplicates on the request of their incident: all that wait in this process become one write with their exact
// number, and each is answered only after the write.
// Each process counts in a slot of its own, so that any number of them counts without contention: a write tests the slot's
// last value and nothing that others change while the incident goes on.
// A lost answer is resolved by reading the slot: the new value, it was counted; the old value, it is sent again (the second
// of two fails on the value); no slot, it cannot be known (the slot may be folded), so the signals are deferred. A slot that
// is gone is never made again: a late write could take the new one for the old. So the count is never too low; it is too
// high only by signals that were deferred.
import { KubeError } from '../kube/kube.ts';
import type { FiringAlert } from '../objects/alert-entries.ts';
import { isActive, type RequestLink, totalOf } from '../objects/request-link.ts';
import { type PatchResult, type RequestStore, UNANSWERED } from '../objects/request-store.ts';
import type { IdleSlots } from './idle-slots.ts';

export type CommitResult =
	| { readonly outcome: 'counted'; readonly link: RequestLink; readonly occurrenceCount: number }
	/** The request ended before the duplicate was written, which belongs to the next one. `link`: its last known state. */
	| { readonly outcome: 'ended'; readonly link: RequestLink | undefined };

/** The requests as this replica knows them. They may be behind: the write itself finds out. */
export type KnownRequests = {
	/** A newer version of this very request. */
	newerThan(link: RequestLink): RequestLink | undefined;
	changed(link: RequestLink): void;
	/** This process wrote this version, which adds to the count. */
	counted(link: RequestLink): void;
};
export type CommitPorts = {
	readonly store: Pick<RequestStore, 'get' | 'addOccurrences' | 'fold'>;
	readonly known: KnownRequests;
	readonly now: () => Date;
	/** Ends when no more signals are about to join the group. */
	readonly gather: (size: () => number) => Promise<void>;
	/** Begins to time a write; the function waits as long as the next one should, on a request with so many slots. */
	readonly pace: () => (slots: number) => Promise<void>;
	/** A name that no process has used. */
	readonly newSlot: () => string;
	readonly idleSlots: IdleSlots;
};

type Waiter = {
	readonly alert: FiringAlert | undefined;
	readonly resolve: (result: CommitResult) => void;
	readonly reject: (error: unknown) => void;
};
type CommitQueue = { link: RequestLink; waiters: Waiter[] };

// Refused writes: the request ends, its problem begins again or a slot is folded meanwhile; rarely twice in a row.
const MAX_TRIES = 20;
// Each costs a whole timeout, and the waiters have a deadline.
const MAX_UNANSWERED = 3;
// What is remembered of them must not grow for ever; then a new name begins.
const MAX_REQUESTS_PER_SLOT = 20_000;

export class OccurrenceCommitter {
	readonly #ports: CommitPorts;
	/** By uid of the request; an empty queue is removed. */
	readonly #queues = new Map<string, CommitQueue>();
	#slot: string;
	/** Uids of the requests on which this slot was written. */
	readonly #slotUsedOn = new Set<string>();

	constructor(ports: CommitPorts) {
		this.#ports = ports;
		this.#slot = ports.newSlot();
	}

	/** One more occurrence on this request, of an alert or not. An abort before the write begins takes it back. */
	count(link: RequestLink, alert: FiringAlert | undefined, abort?: AbortSignal): Promise<CommitResult> {
		return new Promise((resolve, reject) => {
			const known = this.#queues.get(link.uid);
			const queue: CommitQueue = known ?? { link, waiters: [] };
			const leave = () => {
				const index = queue.waiters.indexOf(waiter);
				if (index === -1) return;
				queue.waiters.splice(index, 1);
				reject(abort?.reason);
			};
			const settled = () => abort?.removeEventListener('abort', leave);
			const waiter: Waiter = {
				alert,
				resolve: (result) => (settled(), resolve(result)),
				reject: (error) => (settled(), reject(error)),
			};
			abort?.addEventListener('abort', leave, { once: true });
			queue.waiters.push(waiter);
			if (known !== undefined) return;
			this.#queues.set(link.uid, queue);
			void this.#serve(queue);
		});
	}

	get queues(): number {
		return this.#queues.size;
	}

	/** While a write is under way the next group gathers. */
	async #serve(queue: CommitQueue): Promise<void> {
		while (queue.waiters.length > 0) {
			await this.#ports.gather(() => queue.waiters.length);
			const group = queue.waiters.splice(0);
			if (group.length === 0) break; // all have left
			const paced = this.#ports.pace();
			try {
				const result = await this.#commit(queue, group);
				if (result.link?.uid === queue.link.uid) queue.link = result.link;
				group.forEach(({ resolve }, index) => resolve(answerFor(result, group.length - 1 - index)));
				if (result.outcome === 'counted') await this.#fold(result.link);
			} catch (error) {
				for (const { reject } of group) reject(error);
			}
			const { slots } = this.#ports.known.newerThan(queue.link) ?? queue.link;
			await paced(Object.keys(slots).length);
		}
		this.#queues.delete(queue.link.uid);
	}

	async #commit(queue: CommitQueue, group: Waiter[]): Promise<CommitResult> {
		const { store, known } = this.#ports;
		let link = known.newerThan(queue.link) ?? queue.link;
		const unanswered: KubeError[] = [];
		for (let tries = 0; tries < MAX_TRIES; tries++) {
			if (!isActive(link)) return { outcome: 'ended', link };
			const slot = this.#slotOn(link);
			// A lone signal settles the readable count with its own write: no second call is needed.
			const written = await this.#tryWrite(link, slot, group, group.length === 1 && tries === 0);
			if (written === 'gone') return { outcome: 'ended', link: undefined };
			if (written !== 'changed' && !(written instanceof KubeError)) return this.#counted(written);
			const current = await store.get(link.name);
			if (current === undefined || current.uid !== link.uid) return { outcome: 'ended', link: current };
			known.changed(current);
			const [before, after] = [link.slots[slot], current.slots[slot]];
			if (after === (before ?? 0) + group.length) return this.#counted(current);
			if (written instanceof KubeError) unanswered.push(written);
			const [lost] = unanswered;
			if (lost !== undefined && (after === undefined || unanswered.length === MAX_UNANSWERED)) throw lost;
			// Signals that came meanwhile join, unless a write with the old number may still be done.
			if (lost === undefined) group.push(...queue.waiters.splice(0));
			link = current;
		}
		const slots = Object.keys(link.slots).length;
		throw new KubeError(
			'KUBE_CONFLICT',
			`the API server refused to count on ${link.name} ${MAX_TRIES} times; ${slots} counter slots are in use`,
		);
	}

	#slotOn({ uid, slots }: RequestLink): string {
		const isGone = slots[this.#slot] === undefined && this.#slotUsedOn.has(uid);
		if (isGone || this.#slotUsedOn.size === MAX_REQUESTS_PER_SLOT) {
			this.#slot = this.#ports.newSlot();
			this.#slotUsedOn.clear();
		}
		this.#slotUsedOn.add(uid);
		return this.#slot;
	}

	/** A returned error means: no answer came; a read will show whether the write was done. */
	async #tryWrite(
		link: RequestLink,
		slot: string,
		group: readonly Waiter[],
		settles: boolean,
	): Promise<PatchResult | KubeError> {
		try {
			return await this.#ports.store.addOccurrences(link, {
				slot,
				count: group.length,
				lastSeenAt: this.#ports.now().toISOString(),
				alerts: group.flatMap(({ alert }) => alert ?? []),
				settles,
			});
		} catch (error) {
			if (error instanceof KubeError && UNANSWERED.has(error.code)) return error;
			throw error;
		}
	}

	#counted(link: RequestLink): CommitResult {
		this.#ports.known.counted(link);
		return { outcome: 'counted', link, occurrenceCount: totalOf(link) };
	}

	/** It only saves space: when it fails, the next write tries again. */
	async #fold(link: RequestLink): Promise<void> {
		const idle = this.#ports.idleSlots.of(link, this.#slot);
		if (idle === undefined) return;
		const folded = await this.#ports.store.fold(link, idle).catch(() => undefined);
		if (typeof folded === 'object') this.#ports.known.changed(folded);
	}
}

/** Each of a group gets the count that its own occurrence made. */
function answerFor(result: CommitResult, behind: number): CommitResult {
	return result.outcome === 'ended' ? result : { ...result, occurrenceCount: result.occurrenceCount - behind };
}
