// Layer 1: which execution has a target, as far as the watch has seen. An index by target of what is open and of the
// cooldowns that are not over, so that the answer costs the same however many finished executions a target has.
// Not guaranteed: that it is true. It proposes; a GET confirms, and the name of the run decides.
import { cooldownEndOf, type Execution, isOpen, isRunning, isWaiting } from './execution.ts';

export type ResourceLock =
	| { readonly reason: 'ResourceBusy'; readonly holder: Execution }
	| { readonly reason: 'RecentlyRemediated'; readonly holder: Execution; readonly until: number };

type Entry = { readonly open: Map<string, Execution>; readonly cooling: Map<string, Execution> };

export class TargetLocks {
	readonly #byTarget = new Map<string, Entry>();
	readonly #cooldownMs: number;
	readonly #now: () => number;
	#waiting = 0;

	constructor(cooldownMs: number, now: () => number) {
		this.#cooldownMs = cooldownMs;
		this.#now = now;
	}

	/** Executions that wait for their run. */
	get waiting(): number {
		return this.#waiting;
	}

	/** The execution as it is now; `gone` when it was removed. */
	seen(execution: Execution, gone = false): void {
		const entry = this.#byTarget.get(execution.target) ?? { open: new Map(), cooling: new Map() };
		const before = entry.open.get(execution.uid);
		this.#waiting += Number(!gone && waitsForRun(execution)) - Number(before !== undefined && waitsForRun(before));
		entry.open.delete(execution.uid);
		entry.cooling.delete(execution.uid);
		if (!gone && isOpen(execution)) entry.open.set(execution.uid, execution);
		if (!gone && this.#isCooling(execution)) entry.cooling.set(execution.uid, execution);
		if (entry.open.size + entry.cooling.size === 0) this.#byTarget.delete(execution.target);
		else this.#byTarget.set(execution.target, entry);
	}

	/** Executions that need work, the oldest link of the chain first. */
	openOf(target: string): Execution[] {
		return [...(this.#byTarget.get(target)?.open.values() ?? [])].toSorted((a, b) => a.chain - b.chain);
	}

	targets(): IterableIterator<string> {
		return this.#byTarget.keys();
	}

	/** Another execution that runs, or whose cooldown is not over. One that is being deleted holds nothing back. */
	checkResourceLock({ uid, target }: Pick<Execution, 'uid' | 'target'>): ResourceLock | undefined {
		const entry = this.#byTarget.get(target);
		if (entry === undefined) return undefined;
		for (const holder of entry.open.values())
			if (isRunning(holder) && !holder.deleting && holder.uid !== uid) return { reason: 'ResourceBusy', holder };
		let longest: Extract<ResourceLock, { reason: 'RecentlyRemediated' }> | undefined;
		for (const holder of entry.cooling.values()) {
			const until = cooldownEndOf(holder, this.#cooldownMs) ?? 0;
			if (until <= this.#now()) entry.cooling.delete(holder.uid);
			else if (until > (longest?.until ?? 0)) longest = { reason: 'RecentlyRemediated', holder, until };
		}
		return longest;
	}

	#isCooling(execution: Execution): boolean {
		return !execution.deleting && (cooldownEndOf(execution, this.#cooldownMs) ?? 0) > this.#now();
	}
}

function waitsForRun(execution: Execution): boolean {
	return isWaiting(execution) && !execution.deleting;
}
