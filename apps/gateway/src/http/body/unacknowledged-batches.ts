// Batches that were not acknowledged, and what was stored of each: a sender repeats such a batch as a whole, and what is
// stored already must neither be counted again nor cost a call again. An acknowledged batch is forgotten: the same alerts in
// a later notification are counted.
// In memory, so of this replica only, and bounded: what is forgotten too early is counted once more.
import type { IngestResult, ResolveResult } from '../../signal/signal.ts';

export type Outcome = IngestResult | ResolveResult;

const MAX_ALERTS = 50_000;
/** Alertmanager repeats within its group_interval, 5 minutes by default. */
const MAX_AGE_MS = 15 * 60_000;

/** Belongs to one sending at a time. */
export class BatchRecord {
	/** By the identity of the alert. Equal alerts of a batch count one by one. */
	readonly #outcomes = new Map<string, (Outcome | Promise<Outcome>)[]>();
	readonly #used = new Map<string, number>();
	#size = 0;

	/** Alerts in it. */
	get size(): number {
		return this.#size;
	}

	knows(identity: string): boolean {
		return this.#outcomes.has(identity);
	}

	/** The outcome of this alert in an earlier sending; it may not have ended yet. */
	take(identity: string): Outcome | Promise<Outcome> | undefined {
		const used = this.#used.get(identity) ?? 0;
		const outcome = this.#outcomes.get(identity)?.[used];
		if (outcome !== undefined) this.#used.set(identity, used + 1);
		return outcome;
	}

	/** Kept when it is stored, or rejected, for good. It may end when its sending is over. */
	add(identity: string, outcome: Promise<Outcome>): void {
		const equal = this.#outcomes.get(identity) ?? [];
		equal.push(outcome);
		this.#outcomes.set(identity, equal);
		this.#used.set(identity, equal.length);
		this.#size++;
		const replace = (by: Outcome | undefined) => {
			const index = equal.indexOf(outcome);
			if (by !== undefined) equal[index] = by;
			else this.#remove(identity, equal, index);
		};
		void outcome.then(
			(ended) => replace(ended.outcome === 'deferred' ? undefined : ended),
			() => replace(undefined),
		);
	}

	/** For the next sending. */
	rewind(): this {
		this.#used.clear();
		return this;
	}

	#remove(identity: string, equal: (Outcome | Promise<Outcome>)[], index: number): void {
		void equal.splice(index, 1);
		this.#size--;
		const used = this.#used.get(identity) ?? 0;
		if (used > index) this.#used.set(identity, used - 1);
		if (equal.length === 0) this.#outcomes.delete(identity);
	}
}

export class UnacknowledgedBatches {
	/** The oldest first. */
	readonly #records = new Map<string, { readonly record: BatchRecord; readonly since: number }>();
	readonly #now: () => number;

	/** `now` is monotonic. */
	constructor(now: () => number) {
		this.#now = now;
	}

	get size(): number {
		return this.#records.size;
	}

	/** For one sending: no other gets the same record until it is put back. */
	takeOut(batch: string): BatchRecord {
		const known = this.#records.get(batch);
		this.#records.delete(batch);
		return known === undefined || this.#isOld(known.since) ? new BatchRecord() : known.record.rewind();
	}

	/** Its sending was not acknowledged. */
	putBack(batch: string, record: BatchRecord): void {
		if (record.size === 0) return;
		this.#records.delete(batch);
		this.#records.set(batch, { record, since: this.#now() });
		let alerts = 0;
		for (const { record: each } of this.#records.values()) alerts += each.size;
		for (const [oldest, { record: each, since }] of this.#records) {
			if (alerts <= MAX_ALERTS && !this.#isOld(since)) break;
			alerts -= each.size;
			this.#records.delete(oldest);
		}
	}

	#isOld(since: number): boolean {
		return this.#now() - since > MAX_AGE_MS;
	}
}
