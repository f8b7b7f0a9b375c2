// Which replica reconciles a key first. Every replica sees every event; so that not all of them act, they take turns: a
// hash of pod and key ranks the replicas that are present, the first acts at once, each next one a step later, unless it
// sees by then that nothing is left to do. A replica that ranks before us and was just seen at work is busy, not dead: it
// is given more time. Work that needs no lock shows no replica at work, so it is left to others for longer: no one waits
// for it. Replicas know each other by the Leases that they keep (replica-presence.ts).
// Not guaranteed: that only one acts. Views differ and clocks are late; that costs calls, and never safety.

/** A replica that was seen at work within this many steps is busy. */
const BUSY_STEPS = 4;
/** A key is left to busy replicas for this many steps at most. */
const MAX_STEPS = 20;
/** Work that needs no lock is left to those that rank before us for this many steps, and longer while they are busy. */
const MIN_FREE_STEPS = 20;
const MAX_FREE_STEPS = 60;

export class ReplicaTurns {
	readonly #podName: string;
	readonly #stepMs: number;
	readonly #now: () => number;
	readonly #others = new Set<string>();
	/** Present by their Lease, but they let their turn pass. */
	readonly #silent = new Set<string>();
	/** When each was last seen at work. */
	readonly #lastActive = new Map<string, number>();
	/** Since when a key is left to others. */
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

	waitMs(key: string): number {
		return this.#before(key).length * this.#stepMs;
	}

	/** It keeps its Lease: it is present. */
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

	/** Our turn has come: how much longer the key is left to a busy replica that ranks before us. 0: act. */
	leaveToBusyMs(key: string): number {
		const leftMs = this.#now() - (this.#left.get(key) ?? this.#now());
		return this.#leave(key, this.#isBusy(this.#before(key)) && leftMs <= MAX_STEPS * this.#stepMs);
	}

	/** The same for work that needs no lock. */
	leaveToOthersMs(key: string): number {
		const before = this.#before(key);
		const leftMs = this.#now() - (this.#left.get(key) ?? this.#now());
		const steps = this.#isBusy(before) ? MAX_FREE_STEPS : MIN_FREE_STEPS;
		return this.#leave(key, before.length > 0 && leftMs < (steps + before.length) * this.#stepMs);
	}

	/** Nothing is left to do for it. */
	settled(key: string): void {
		this.#left.delete(key);
	}

	/** We acted although others rank first: they are not counted on until they are seen again. */
	actedInsteadOfOthers(key: string): void {
		this.#left.delete(key);
		for (const pod of this.#before(key)) this.#silent.add(pod);
	}

	#isBusy(pods: readonly string[]): boolean {
		const now = this.#now();
		return pods.some((pod) => now - (this.#lastActive.get(pod) ?? -Infinity) < BUSY_STEPS * this.#stepMs);
	}

	#leave(key: string, isLeft: boolean): number {
		if (!isLeft) return 0;
		if (!this.#left.has(key)) this.#left.set(key, this.#now());
		return this.#stepMs;
	}

	#before(key: string): string[] {
		const rank = (pod: string) => hashOf(`${pod} ${key}`);
		const ours = rank(this.#podName);
		return [...this.#others].filter((pod) => !this.#silent.has(pod) && rank(pod) < ours);
	}
}

/** FNV-1a: cheap, because every event of every key is ranked. */
function hashOf(text: string): number {
	let hash = 0x811c9dc5;
	for (let index = 0; index < text.length; index++) {
		hash ^= text.charCodeAt(index);
		hash = Math.imul(hash, 0x01000193);
	}
	// The high bits move little for short texts that differ at their end; this mixes them.
	hash ^= hash >>> 16;
	hash = Math.imul(hash, 0x85ebca6b);
	hash ^= hash >>> 13;
	return hash >>> 0;
}
