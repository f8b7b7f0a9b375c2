// The executor's lock: the PipelineRun itself. While the run `wfe-<hash of the target>` exists, the target is taken.
// Key: the canonical target. Holder: a WorkflowExecution, which outlives pods; any replica goes on where another stopped.
// Lasts until the run and everything of it is gone, after the cooldown of its execution.
// Four steps, each one call that a second writer loses: create (the name), claim (the execution's status, uid and
// resourceVersion), start (a test of uid and of pending), release (by uid, when nothing of it lives).
// On contention: the standing of the execution, decided from fresh reads (decide/standing.ts). Nothing waits in here.
import { type RemovalStep, removalStep } from './decide/removal.ts';
import { type Standing, standingOf } from './decide/standing.ts';
import { claimPatch } from './decide/status-patch.ts';
import { KubeError, type KubeErrorCode } from './kube/kube-errors.ts';
import { cooldownEndOf, type Execution, isRunning, isWaiting } from './objects/execution.ts';
import type { ExecutionStore } from './objects/execution-store.ts';
import { type NewRun, type Run, type RunEngine, runName } from './objects/run-engine.ts';
import type { Clock } from './process/clock.ts';

/** `forbidden` and `throttled`: the call was not done. After the others it may have been. */
export const LOCK_FAULTS = ['forbidden', 'throttled', 'unavailable', 'timeout'] as const;
export type LockFaultKind = (typeof LOCK_FAULTS)[number];

/** The API server gave no answer that decides. */
export class LockFault extends Error {
	readonly kind: LockFaultKind;
	override readonly cause: KubeError;
	constructor(kind: LockFaultKind, cause: KubeError) {
		super(cause.message, { cause });
		this.name = 'LockFault';
		this.kind = kind;
		this.cause = cause;
	}
}

/** Nothing new is acquired while the process shuts down. */
export class LockClosedError extends Error {
	constructor() {
		super('the lock is closed: this replica is shutting down');
		this.name = 'LockClosedError';
	}
}

const FAULT_KINDS: Partial<Readonly<Record<KubeErrorCode, LockFaultKind>>> = {
	KUBE_FORBIDDEN: 'forbidden',
	KUBE_NOT_GRANTED: 'forbidden',
	KUBE_UNAUTHORIZED: 'forbidden',
	KUBE_THROTTLED: 'throttled',
	KUBE_TIMEOUT: 'timeout',
	KUBE_UNAVAILABLE: 'unavailable',
};

export type LockPlace = { readonly namespace: string; readonly cooldownMs: number; readonly orphanAfterMs: number };
export type LockObserver = {
	attempted(): void;
	acquired(event: { readonly key: string; readonly holder: string; readonly seconds: number }): void;
	contended(event: { readonly key: string; readonly holder: string }): void;
	failed(event: { readonly key: string; readonly fault: LockFault }): void;
	released(event: { readonly key: string; readonly holder: string; readonly heldSeconds: number }): void;
	releaseFailed(event: { readonly key: string; readonly holder: string; readonly error: unknown }): void;
};
/** Who has a target, as the API server has it now. */
export type Inspection = { readonly run: Run; readonly holder: Execution | undefined };
export type Acquisition =
	| { readonly outcome: 'acquired'; readonly run: Run; readonly execution: Execution }
	| ({ readonly outcome: 'contended'; readonly standing: Standing } & Partial<Inspection>)
	/** The execution does not want it any more: it was withdrawn, deleted, or has another run. */
	| { readonly outcome: 'unwanted'; readonly execution: Execution | undefined };
export type ReleaseResult =
	| { readonly step: Exclude<RemovalStep['do'], 'wait'>; readonly why?: string }
	| { readonly step: 'wait'; readonly afterMs: number | undefined };

// Another writer may come between reading and writing a few times.
const MAX_CLAIMS = 5;
const SOON_MS = 1000;

export class DistributedLock {
	readonly #engine: RunEngine;
	readonly #executions: Pick<ExecutionStore, 'get' | 'patchStatus'>;
	readonly #place: LockPlace;
	readonly #clock: Pick<Clock, 'now' | 'wallTime'>;
	readonly #observer: LockObserver;
	/** Targets of attempts under way: a lock is an object of the API server, so that nothing else is kept. */
	readonly #active = new Map<string, number>();
	#closed = false;

	constructor(
		engine: RunEngine,
		executions: Pick<ExecutionStore, 'get' | 'patchStatus'>,
		place: LockPlace,
		clock: Pick<Clock, 'now' | 'wallTime'>,
		observer: LockObserver,
	) {
		this.#engine = engine;
		this.#executions = executions;
		this.#place = place;
		this.#clock = clock;
		this.#observer = observer;
	}

	/** Targets for which this process keeps something in memory. */
	get activeKeys(): number {
		return this.#active.size;
	}

	/** Nothing is acquired any more. Runs stay: their holders are executions, not this process. */
	shutdown(): void {
		this.#closed = true;
	}

	/** `isTaken`: a run of that name was seen, so a create would only be rejected. */
	async tryAcquire(execution: Execution, wanted: NewRun, isTaken = false): Promise<Acquisition> {
		if (this.#closed) throw new LockClosedError();
		const { target: key, name: holder } = execution;
		const startedAt = this.#clock.now();
		this.#observer.attempted();
		this.#active.set(key, (this.#active.get(key) ?? 0) + 1);
		try {
			const acquisition = await typed(this.#acquire(execution, wanted, isTaken));
			const seconds = (this.#clock.now() - startedAt) / 1000;
			if (acquisition.outcome === 'acquired') this.#observer.acquired({ key, holder, seconds });
			else this.#observer.contended({ key, holder: holderOf(acquisition) });
			return acquisition;
		} catch (error) {
			if (error instanceof LockFault) this.#observer.failed({ key, fault: error });
			throw error;
		} finally {
			const others = (this.#active.get(key) ?? 1) - 1;
			if (others === 0) this.#active.delete(key);
			else this.#active.set(key, others);
		}
	}

	async #acquire(execution: Execution, wanted: NewRun, isTaken: boolean): Promise<Acquisition> {
		const created = isTaken ? 'exists' : await this.#engine.create(wanted);
		if (created !== 'exists') return this.claim(execution, created);
		const found = await this.#inspect(execution.target);
		// It went in between: the watch, or the next try, finds the name free.
		if (found === undefined) return { outcome: 'contended', standing: { is: 'passing', until: this.#now() + SOON_MS } };
		const standing = standingOf(execution, found.run, found.holder, { ...this.#place, now: this.#now() });
		return standing.is === 'ours' ? this.claim(execution, found.run) : { outcome: 'contended', standing, ...found };
	}

	/** Writes the run into the execution. Only what is named there is ever started; a run that is not is removed. */
	async claim(execution: Execution, run: Run): Promise<Exclude<Acquisition, { outcome: 'contended' }>> {
		let current = execution;
		for (let tries = 0; tries < MAX_CLAIMS; tries++) {
			const claimed = await this.#executions.patchStatus(current, claimPatch(current, run, this.#clock.wallTime()));
			if (typeof claimed === 'object') return { outcome: 'acquired', run, execution: claimed };
			const fresh = await this.#executions.get(execution.name);
			const isSame = fresh?.uid === execution.uid;
			if (isSame && fresh.run?.uid === run.uid)
				return isRunning(fresh)
					? { outcome: 'acquired', run, execution: fresh }
					: { outcome: 'unwanted', execution: fresh };
			if (!isSame || fresh.deleting || !isWaiting(fresh)) {
				await this.#engine.remove(run, 'inForeground');
				return { outcome: 'unwanted', execution: fresh };
			}
			current = fresh;
		}
		throw new Error(`${execution.name} changed ${MAX_CLAIMS} times while ${run.name} was claimed for it`);
	}

	/** Undefined: the target is free. */
	inspect(target: string): Promise<Inspection | undefined> {
		return typed(this.#inspect(target));
	}

	async #inspect(target: string): Promise<Inspection | undefined> {
		const run = await this.#engine.get(runName(target));
		if (run === undefined) return undefined;
		const isOurs = run.owner?.namespace === this.#place.namespace;
		return { run, holder: isOurs && run.owner !== undefined ? await this.#executions.get(run.owner.name) : undefined };
	}

	/** One step of the removal of a run that no execution needs any more; the caller has confirmed that. */
	async release(inspected: Inspection): Promise<ReleaseResult> {
		try {
			return await typed(this.#release(inspected));
		} catch (error) {
			const { lockKey, name, owner } = inspected.run;
			this.#observer.releaseFailed({ key: lockKey ?? name, holder: owner?.name ?? '', error });
			throw error;
		}
	}

	async #release({ run, holder }: Inspection): Promise<ReleaseResult> {
		const place = {
			claimed: holder?.run?.uid === run.uid,
			unneededSince: unneededSince(run, holder, this.#place.cooldownMs),
			now: this.#now(),
			orphanAfterMs: this.#place.orphanAfterMs,
		};
		let step = removalStep(run, undefined, place);
		if (step.do === 'look') step = removalStep(run, await this.#engine.look(run), place);
		switch (step.do) {
			case 'cancel':
				await this.#engine.cancel(run);
				break;
			case 'endTasks':
				await this.#engine.endTasks(step.tasks, step.how);
				break;
			case 'remove':
				await this.#engine.remove(run, 'inForeground');
				break;
			case 'skipCollector':
				await this.#engine.remove(run, 'abandoned');
				break;
			case 'abandon':
				await this.#engine.remove(run, 'abandoned');
				await this.#engine.free(run);
				this.#released(run);
				return { step: 'abandon', why: step.why };
			case 'free':
				await this.#engine.free(run);
				this.#released(run);
				break;
			case 'wait':
				return { step: 'wait', afterMs: step.afterMs };
			case 'look':
				throw new Error('the parts were looked at');
		}
		return { step: step.do };
	}

	#released(run: Run): void {
		const heldSeconds = Math.max(0, (this.#now() - Date.parse(run.createdAt)) / 1000);
		this.#observer.released({ key: run.lockKey ?? run.name, holder: run.owner?.name ?? '', heldSeconds });
	}

	#now(): number {
		return this.#clock.wallTime().getTime();
	}
}

async function typed<T>(call: Promise<T>): Promise<T> {
	try {
		return await call;
	} catch (error) {
		const kind = error instanceof KubeError ? FAULT_KINDS[error.code] : undefined;
		throw kind === undefined ? error : new LockFault(kind, error as KubeError);
	}
}

function unneededSince(run: Run, holder: Execution | undefined, cooldownMs: number): number {
	const cooledAt = holder?.run?.uid === run.uid ? cooldownEndOf(holder, cooldownMs) : undefined;
	const deletedAt = [holder?.deletedAt, run.deletedAt].flatMap((time) => (time === undefined ? [] : Date.parse(time)));
	const first = Math.min(cooledAt ?? Infinity, ...deletedAt);
	if (first === Infinity) return Date.parse(run.createdAt);
	// Until its outcome is written it is needed.
	return Math.max(first, Date.parse(holder?.completionTime ?? run.createdAt));
}

function holderOf(acquisition: Exclude<Acquisition, { outcome: 'acquired' }>): string {
	if (acquisition.outcome === 'unwanted') return '';
	const { standing } = acquisition;
	return 'heldBy' in standing ? standing.heldBy : (acquisition.holder?.name ?? '');
}
