// Everything that the executor follows: executions by name and by what they mean for their target, runs by name.
import { ObjectCache } from '../kube/object-cache.ts';
import type { Execution } from './execution.ts';
import { type Run, runName } from './run-engine.ts';
import { TargetLocks } from './target-locks.ts';

export type TargetView = {
	readonly target: string;
	/** The run that has the target's name; undefined when there is none, or it is not of our making. */
	readonly run: Run | undefined;
	/** The execution that the run names, if the watch has shown exactly that one. */
	readonly owner: Execution | undefined;
	/** Executions of the target that need work, the oldest link first. */
	readonly open: readonly Execution[];
	readonly now: number;
};

export class KnownObjects {
	readonly executions: ObjectCache<Execution>;
	readonly runs: ObjectCache<Run>;
	readonly locks: TargetLocks;
	readonly #namespace: string;
	readonly #now: () => number;

	/** `onChanged`: something changed that the work on this target may depend on. */
	constructor(
		namespace: string,
		cooldownMs: number,
		now: () => number,
		onChanged: (target: string) => void,
		onSeenAtWork: (pod: string) => void = () => {},
	) {
		this.#namespace = namespace;
		this.#now = now;
		this.locks = new TargetLocks(cooldownMs, now);
		this.executions = new ObjectCache<Execution>({}, (execution, before) => {
			if (before !== undefined && before.uid !== execution.uid) this.locks.seen(before, true);
			const isGone = this.executions.get(execution.name)?.uid !== execution.uid;
			this.locks.seen(execution, isGone);
			onChanged(execution.target);
		});
		this.runs = new ObjectCache<Run>({}, (run) => {
			if (run.madeBy !== undefined) onSeenAtWork(run.madeBy);
			if (run.lockKey !== undefined) onChanged(run.lockKey);
		});
	}

	viewOf(target: string): TargetView {
		const run = this.runs.get(runName(target));
		const isOurs = run?.lockKey === target && run.owner?.namespace === this.#namespace;
		return {
			target,
			run: isOurs ? run : undefined,
			owner: isOurs ? this.#ownerOf(run) : undefined,
			open: this.locks.openOf(target),
			now: this.#now(),
		};
	}

	/** Targets that have a run, or an execution that needs work. */
	*targets(): IterableIterator<string> {
		yield* this.locks.targets();
		for (const { lockKey } of this.runs.all()) if (lockKey !== undefined) yield lockKey;
	}

	#ownerOf({ owner }: Run): Execution | undefined {
		const known = owner === undefined ? undefined : this.executions.get(owner.name);
		return known?.uid === owner?.uid ? known : undefined;
	}
}
