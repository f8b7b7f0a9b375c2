// Who looks at a target first. Every replica sees every event; so that not all of them act, they take turns: a hash of
// pod and target ranks the replicas that are there, the first acts at once, each next one a step later, unless it sees
// by then that there is nothing left to do. One that comes before us and is seen at work has a lot to do, not nothing:
// it is left more time. Replicas know each other by the Leases that they keep (replica-presence.ts).
// Not guaranteed: that only one acts. Views differ and clocks are late; that costs calls, never a second execution.
import { fractionOf } from '../decide/routing-config.ts';

/** Seen at work within so many steps is busy. */
const BUSY_STEPS = 4;
/** So many steps a busy replica is left at most. */
const MOST_STEPS = 20;

export class ReplicaTurns {
	readonly #podName: string;
	readonly #stepMs: number;
	readonly #now: () => number;
	readonly #others = new Set<string>();
	/** There by their Lease, but they let their turn pass. */
	readonly #silent = new Set<string>();
	/** When each was last seen at work. */
	readonly #lastActive = new Map<string, number>();
	/** Since when a target is left to others. */
	readonly #left = new Map<string, number>();

	constructor(podName: string, stepMs: number, now: () => number) {
		this.#podName = podName;
		this.#stepMs = stepMs;
		this.#now = now;
	}

	/** Replicas that are taken into account, this one included. */
	get replicas(): number {
		return 1 + [...this.#others].filter((pod) => !this.#silent.has(pod)).length;
	}

	waitMs(target: string): number {
		return this.#before(target).length * this.#stepMs;
	}

	/** It keeps its Lease: it is there. */
	present(pod: string): void {
		if (pod !== this.#podName) this.#others.add(pod);
		this.#silent.delete(pod);
	}

	gone(pod: string): void {
		this.#others.delete(pod);
		this.#lastActive.delete(pod);
		this.#silent.delete(pod);
	}

	/** It was just seen at work. */
	active(pod: string): void {
		this.#silent.delete(pod);
		if (this.#others.has(pod)) this.#lastActive.set(pod, this.#now());
	}

	/** Our turn has come: how much longer the target is left to one before us who is busy. Nothing: act. */
	leaveToBusyMs(target: string): number {
		const now = this.#now();
		const busy = this.#before(target).some(
			(pod) => now - (this.#lastActive.get(pod) ?? -Infinity) < BUSY_STEPS * this.#stepMs,
		);
		const since = this.#left.get(target) ?? now;
		if (!busy || now - since > MOST_STEPS * this.#stepMs) return 0;
		this.#left.set(target, since);
		return this.#stepMs;
	}

	/** There is nothing to be done about it any more. */
	settled(target: string): void {
		this.#left.delete(target);
	}

	/** We had to act although others came first: they are not counted on until they are seen again. */
	actedInsteadOfOthers(target: string): void {
		this.#left.delete(target);
		for (const pod of this.#before(target)) this.#silent.add(pod);
	}

	#before(target: string): string[] {
		const place = (pod: string) => fractionOf(`${pod} ${target}`);
		const ours = place(this.#podName);
		return [...this.#others].filter((pod) => !this.#silent.has(pod) && place(pod) < ours);
	}
}
