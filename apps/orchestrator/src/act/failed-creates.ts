// Creates of executions that the API server did not take, and what becomes of their requests. A rejection (a policy, a quota,
// a missing right) stands until people act, so it is written into the request at once. A fault (5xx, no answer) may be over
// in a moment, so it is tried a few times first. Either way the wait for the next try is written into the request, where
// all replicas see it: the cost of a target does not depend on their number.
import { createBackoff } from '@kubernaut/backoff';
import { KubeError, type KubeErrorCode } from '../kube/kube-errors.ts';
import { type Block, isActive, type Remediation } from '../objects/remediation.ts';
import type { Clock } from '../process/clock.ts';
import type { Check } from '../process/health-server.ts';

export const CREATE_FAILURES = ['rejected', 'unavailable', 'pause_unreadable'] as const;
export type CreateFailure = (typeof CREATE_FAILURES)[number];

/** The pause switch could not be read, so it is on. */
export class PauseUnreadableError extends Error {}

const REJECTIONS: ReadonlySet<KubeErrorCode> = new Set(['KUBE_FORBIDDEN', 'KUBE_INVALID', 'KUBE_TOO_LARGE']);
/** So many faults in a row before one is written into a request. */
const QUICK_TRIES = 3;
export const MAX_WAIT_MS = 30_000;
// The least of a jittered wait is above 20 s when it is at its longest: at most 3 tries a minute.
const WAITS = createBackoff({ basePeriodMs: 2000, maxPeriodMs: MAX_WAIT_MS });
/** Longer than any wait: what was not tried again since then has gone another way. */
const FORGOTTEN_MS = 10 * MAX_WAIT_MS;

type Tries = {
	readonly count: number;
	readonly at: number;
	/** The wait that this replica has written. */
	readonly until: string | undefined;
};

type Faults = {
	readonly count: number;
	readonly at: number;
	readonly message: string;
	/** The uids of the requests whose creates failed. */
	readonly requests: Set<string>;
};

export class FailedCreates {
	readonly #clock: Pick<Clock, 'now' | 'wallTime'>;
	readonly #find: (uid: string) => Remediation | undefined;
	readonly #observer: (reason: CreateFailure) => void;
	/** By the uid of the request. */
	readonly #tries = new Map<string, Tries>();
	/** Of any request since the last create that succeeded. */
	#faults: Faults | undefined;

	/** `find`: the request as it is known by now. */
	constructor(
		clock: Pick<Clock, 'now' | 'wallTime'>,
		find: (uid: string) => Remediation | undefined,
		observer: (reason: CreateFailure) => void,
	) {
		this.#clock = clock;
		this.#find = find;
		this.#observer = observer;
	}

	succeeded({ uid }: Pick<Remediation, 'uid'>): void {
		this.#tries.delete(uid);
		this.#faults = undefined;
	}

	/** The block that says so; undefined when it is tried again without. */
	failed(request: Pick<Remediation, 'uid' | 'block'>, error: unknown): Block | undefined {
		const reason = reasonOf(error);
		if (reason === undefined || !(error instanceof Error)) return undefined;
		this.#observer(reason);
		if (reason !== 'rejected') this.#faulted(request.uid, error.message);
		const until = this.#waitUntil(request, reason === 'rejected' ? 0 : QUICK_TRIES);
		if (until === undefined) return undefined;
		return reason === 'pause_unreadable'
			? { reason: 'Paused', message: error.message, until }
			: { reason: 'ConfigurationError', message: describe(reason, error), until };
	}

	/** For readiness: whether the API server stores executions. */
	check(): Check {
		const faults = this.#faultsThatLast();
		const isFailing =
			faults !== undefined && faults.count >= QUICK_TRIES && this.#clock.now() - faults.at < FORGOTTEN_MS;
		return {
			name: 'executions',
			ok: !isFailing,
			message: isFailing ? `${faults.count} creates failed in a row: ${faults.message}` : 'creates do not fail',
		};
	}

	#faulted(uid: string, message: string): void {
		const { count = 0, requests = new Set<string>() } = this.#faultsThatLast() ?? {};
		this.#faults = { count: count + 1, at: this.#clock.now(), message, requests: requests.add(uid) };
	}

	/** While a request waits for its create: another replica may have made all of them, and this one has none left to try. */
	#faultsThatLast(): Faults | undefined {
		for (const uid of this.#faults?.requests ?? []) {
			if (waitsForCreate(this.#find(uid))) return this.#faults;
			this.#faults?.requests.delete(uid);
		}
		this.#faults = undefined;
		return undefined;
	}

	/** Undefined for the first tries, which are quick. */
	#waitUntil({ uid, block }: Pick<Remediation, 'uid' | 'block'>, quickTries: number): string | undefined {
		const at = this.#clock.now();
		for (const [other, known] of this.#tries) if (at - known.at > FORGOTTEN_MS) this.#tries.delete(other);
		const { count: before, until: ours } = this.#tries.get(uid) ?? { count: 0, until: undefined };
		// Another replica has tried since, or this one before it was restarted: how often is not known.
		const isOurs = !isWaiting(block) || block?.until === ours;
		const count = before + 1;
		const waitMs = isOurs ? WAITS.calculate(count) : MAX_WAIT_MS;
		const until = isOurs && count < quickTries ? undefined : inSeconds(this.#clock.wallTime().getTime() + waitMs);
		this.#tries.set(uid, { count, at, until });
		return until;
	}
}

/** Undefined for what is no fault of the create: a lost lock, for one. */
function reasonOf(error: unknown): CreateFailure | undefined {
	if (error instanceof PauseUnreadableError) return 'pause_unreadable';
	if (!(error instanceof KubeError)) return undefined;
	return REJECTIONS.has(error.code) ? 'rejected' : 'unavailable';
}

function waitsForCreate(request: Remediation | undefined): boolean {
	if (request === undefined || !isActive(request) || request.phase === 'Executing') return false;
	return request.block === undefined || isWaiting(request.block);
}

function isWaiting(block: Block | undefined): boolean {
	return block?.until !== undefined && (block.reason === 'ConfigurationError' || block.reason === 'Paused');
}

function describe(reason: CreateFailure, { message }: Error): string {
	return reason === 'rejected'
		? `the API server rejected the WorkflowExecution: ${message}`
		: `the API server fails to store the WorkflowExecution: ${message}`;
}

/** Rounded up: the API server keeps no more. */
function inSeconds(milliseconds: number): string {
	return new Date(Math.ceil(milliseconds / 1000) * 1000).toISOString().replace('.000Z', 'Z');
}
