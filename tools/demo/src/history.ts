// What became of the requests, executions and locks of a namespace, change by change as the API server stored them.
// That a target never had two executions at once is judged from this: in the end, two that had it together look like two
// that had it one after the other.
import type { KubeObject } from '@kubernaut/control-plane';

export type Change = { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: KubeObject };

/** What its status said for a while. */
export type RequestState = {
	readonly phase: string;
	readonly reason: string | undefined;
	/** The execution that has the target, or the request that comes first. */
	readonly blockedBy: string | undefined;
	readonly until: string | undefined;
	readonly outcome: string | undefined;
	/** NotificationRequests that were made of it. */
	readonly notifications: number;
};
export type SeenRequest = {
	readonly name: string;
	readonly uid: string;
	readonly target: string;
	readonly signal: string;
	/** The oldest first; the last one is the present. */
	readonly states: readonly RequestState[];
};
export type SeenExecution = {
	readonly name: string;
	readonly target: string;
	readonly requestUid: string;
	readonly workflow: string;
	/** The pod that had the target's lock when it was made; undefined when the lock was not seen. */
	readonly madeBy: string | undefined;
	readonly over: boolean;
	readonly phase: string;
	/** When it ended. */
	readonly endedAt?: string | undefined;
	/** Why it failed. */
	readonly summary?: string | undefined;
};

const LOCK_PREFIX = 'ro-lock-';
const TERMINAL_REQUEST = new Set(['Completed', 'Failed', 'TimedOut', 'Skipped', 'Cancelled']);
const TERMINAL_EXECUTION = new Set(['Completed', 'Failed', 'Skipped']);

export class History {
	readonly #requests = new Map<string, SeenRequest>();
	readonly #executions = new Map<string, SeenExecution & { readonly fencingToken: string | undefined }>();
	readonly #running = new Map<string, Set<string>>();
	readonly #mostAtOnce = new Map<string, number>();
	/** By the version of the write that acquired it, which is the fencing token of what was made under it. */
	readonly #acquisitions = new Map<string, { readonly target: string; readonly pod: string }>();
	readonly #leaseTargets = new Map<string, string>();
	readonly #overlaps: string[] = [];

	get requests(): readonly SeenRequest[] {
		return [...this.#requests.values()];
	}

	/** The locks' seen versions may come after the executions made under them, so they are put together here. */
	get executions(): readonly SeenExecution[] {
		return [...this.#executions.values()].map(({ fencingToken, ...execution }) => ({
			...execution,
			madeBy: this.#acquisitions.get(fencingToken ?? '')?.pod,
		}));
	}

	/** "we-b had shop/Deployment/cart while we-a did". */
	get overlaps(): readonly string[] {
		return this.#overlaps;
	}

	mostAtOnce(target: string): number {
		return this.#mostAtOnce.get(target) ?? 0;
	}

	/** How often each pod had the lock of a target, the most frequent first. */
	holders(target: string): [pod: string, times: number][] {
		const times = new Map<string, number>();
		for (const acquisition of this.#acquisitions.values())
			if (acquisition.target === target) times.set(acquisition.pod, (times.get(acquisition.pod) ?? 0) + 1);
		return [...times].toSorted(([, a], [, b]) => b - a);
	}

	/** The name of a target's Lease, or undefined for another's. */
	targetOfLease(name: string): string | undefined {
		return this.#leaseTargets.get(name);
	}

	sawRequest({ object }: Change): void {
		const { metadata, spec, status = {} } = object;
		const { kind, name, namespace } = spec.targetResource;
		const target = [namespace, kind, name].filter((part) => part !== undefined).join('/');
		const states = this.#requests.get(metadata.uid)?.states ?? [];
		const state = stateOf(status);
		const all = sameState(states.at(-1), state) ? [...states.slice(0, -1), state] : [...states, state];
		const seen = { name: metadata.name, uid: metadata.uid, target, signal: spec.signalName, states: all };
		this.#requests.set(metadata.uid, seen);
	}

	sawExecution({ type, object: { metadata, spec, status } }: Change): void {
		const { name } = metadata;
		const target: string = spec.targetResource;
		const over = type === 'DELETED' || TERMINAL_EXECUTION.has(status?.phase);
		this.#executions.set(metadata.uid, {
			name,
			target,
			requestUid: spec.remediationRequestRef.uid,
			workflow: spec.workflowRef.name,
			madeBy: undefined,
			fencingToken: metadata.annotations?.['kubernaut.ai/fencing-token'],
			over,
			phase: status?.phase ?? 'Pending',
			endedAt: status?.completionTime,
			summary: status?.failureDetails?.summary,
		});
		const running = this.#running.get(target) ?? new Set();
		this.#running.set(target, running);
		if (over) running.delete(name);
		else if (!running.has(name)) {
			for (const other of running) this.#overlaps.push(`${name} had ${target} while ${other} did`);
			running.add(name);
			this.#mostAtOnce.set(target, Math.max(this.mostAtOnce(target), running.size));
		}
	}

	sawLease({ type, object: { metadata, spec } }: Change): void {
		if (!metadata.name.startsWith(LOCK_PREFIX)) return;
		const target: string = metadata.annotations?.['kubernaut.ai/lock-key'] ?? '';
		this.#leaseTargets.set(metadata.name, target);
		// Renewals change it, too, but not since when it is held.
		const acquired = type === 'ADDED' || (type === 'MODIFIED' && spec.acquireTime === spec.renewTime);
		const holder: string = spec.holderIdentity ?? '';
		const pod = holder.slice(0, Math.max(0, holder.lastIndexOf('_')));
		if (acquired) this.#acquisitions.set(metadata.resourceVersion, { target, pod });
	}
}

export function presentState({ states }: Pick<SeenRequest, 'states'>): RequestState | undefined {
	return states.at(-1);
}

export function hasEnded(request: Pick<SeenRequest, 'states'>): boolean {
	return TERMINAL_REQUEST.has(presentState(request)?.phase ?? '');
}

function stateOf(status: KubeObject): RequestState {
	return {
		phase: status['overallPhase'] ?? 'Pending',
		reason: status['blockReason'],
		blockedBy: status['duplicateOf']?.name ?? status['blockingWorkflowExecution']?.name,
		until: status['blockedUntil'],
		outcome: status['outcome'],
		notifications: status['notificationRequestRefs']?.length ?? 0,
	};
}

/** Signals are counted on a request, and notifications made for it, without a new decision. */
function sameState(a: RequestState | undefined, b: RequestState): boolean {
	return a?.phase === b.phase && a.reason === b.reason && a.blockedBy === b.blockedBy && a.until === b.until;
}
