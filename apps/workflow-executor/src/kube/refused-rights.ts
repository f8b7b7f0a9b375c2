// Rights that the API server refuses, and since when. An API server that starts answers before it has loaded its RBAC
// rules, and refuses everything for some seconds: only a refusal that lasts means that a Role lacks a rule.
import type { KubeCall } from './kube.ts';

type Right = Pick<KubeCall, 'verb' | 'resource' | 'namespace'>;

const LASTS_AFTER_MS = 15_000;

export class RefusedRights {
	/** Time of the first refusal since the right was last granted. One entry per kind of call, so there are few. */
	readonly #since = new Map<string, number>();
	readonly #now: () => number;

	/** `now` is monotonic. */
	constructor(now: () => number) {
		this.#now = now;
	}

	granted(right: Right): void {
		if (this.#since.size > 0) this.#since.delete(keyOf(right));
	}

	/** Whether the refusal has lasted. */
	refused(right: Right): boolean {
		const now = this.#now();
		const since = this.#since.get(keyOf(right)) ?? now;
		this.#since.set(keyOf(right), since);
		return now - since >= LASTS_AFTER_MS;
	}
}

function keyOf({ verb, resource, namespace }: Right): string {
	return `${verb} ${resource} ${namespace}`;
}
