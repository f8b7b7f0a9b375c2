// What keeps runs from being made or ended, for readiness: a missing right, a missing namespace, Tekton not installed, its
// webhook away. Learned from the calls themselves, so that it names the very rule that is missing; it is forgotten when a
// call of the same kind works again, when another replica has done what failed on it, or when none was tried for a while.
import { type KubeCall, type KubeClient, KubeError } from '../kube/kube.ts';
import type { Check } from '../process/health-server.ts';

type Fault = {
	readonly message: string;
	readonly at: number;
	/** Whose reconcile failed on it; none yet while it goes on. */
	readonly targets: Set<string>;
};

/** Faults of an object are not among them: a conflict, a quota, a run that Tekton or a policy rejects. */
const ENGINE_FAULTS: readonly string[] = ['KUBE_UNAVAILABLE', 'KUBE_TIMEOUT'];
/** A missing right is the only 403 that names a rule of the Role (kube-errors.ts). */
const MISSING_RIGHT = /; the Role lacks |; the API server may still be starting\. It needs /;
/** A fault that lasts is met again by then: failed work is retried after 10 s at most. */
const FORGOTTEN_AFTER_MS = 60_000;
const NAME = 'pipeline-runs';

export class EngineFaults {
	/** By verb and resource. */
	readonly #faults = new Map<string, Fault>();
	readonly #keys = new WeakMap<object, string>();
	readonly #now: () => number;
	readonly #needsWork: (target: string) => boolean;

	/** `now` is monotonic. `needsWork`: as the target is known by now. */
	constructor(now: () => number, needsWork: (target: string) => boolean) {
		this.#now = now;
		this.#needsWork = needsWork;
	}

	/** The same client, with its faults noted. */
	noting(kube: Pick<KubeClient, 'call'>): Pick<KubeClient, 'call'> {
		return {
			call: async <T>(call: KubeCall): Promise<T> => {
				const key = `${call.verb} ${call.resource}`;
				try {
					const answer = await kube.call<T>(call);
					this.#faults.delete(key);
					return answer;
				} catch (error) {
					if (isEngineFault(call, error)) this.#met(key, error);
					else if (error instanceof KubeError) this.#faults.delete(key);
					throw error;
				}
			},
		};
	}

	/** `error`: what the reconcile threw, or the reason of it. */
	reconcileFailed(target: string, error: unknown): void {
		if (!(error instanceof Error)) return;
		const key = this.#keys.get(error);
		if (key === undefined) this.reconcileFailed(target, error.cause);
		else this.#faults.get(key)?.targets.add(target);
	}

	/** The watch has listed the runs: what kept a list from it is over. */
	listed(resource: string): void {
		this.#faults.delete(`list ${resource}`);
	}

	check(): Check {
		for (const [key, fault] of this.#faults) if (!this.#lasts(fault)) this.#faults.delete(key);
		const messages = [...this.#faults.values()].map(({ message }) => message);
		return messages.length === 0
			? { name: NAME, ok: true, message: 'calls about runs are answered' }
			: { name: NAME, ok: false, message: messages.join('; ') };
	}

	#met(key: string, error: KubeError): void {
		const targets = this.#faults.get(key)?.targets ?? new Set<string>();
		this.#faults.set(key, { message: error.message, at: this.#now(), targets });
		this.#keys.set(error, key);
	}

	#lasts({ at, targets }: Fault): boolean {
		if (this.#now() - at > FORGOTTEN_AFTER_MS) return false;
		return targets.size === 0 || [...targets].some((target) => this.#needsWork(target));
	}
}

export function isMissingRight({ code, message }: { readonly code: string; readonly message: string }): boolean {
	return code === 'KUBE_NOT_GRANTED' || (code === 'KUBE_FORBIDDEN' && MISSING_RIGHT.test(message));
}

/** A create of something in a namespace or of a kind that is not there is the only 404 that is a fault. */
function isEngineFault({ verb }: KubeCall, error: unknown): error is KubeError {
	if (!(error instanceof KubeError)) return false;
	if (isMissingRight(error)) return true;
	return ENGINE_FAULTS.includes(error.code) || (verb === 'create' && error.code === 'KUBE_NOT_FOUND');
}
