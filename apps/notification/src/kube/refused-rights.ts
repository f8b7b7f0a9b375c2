// Rights that the API server refuses, and since when. An API server that starts answers before it has loaded its RBAC
// rules, and refuses everything for some seconds: only a refusal that lasts means that a Role lacks a rule.
import type { KubeCall } from './kube.ts';

type Right = Pick<KubeCall, 'verb' | 'resource' | 'namespace'>;

const LASTS_AFTER_MS = 15_000;
/**
 * Longer than any wait between two tries of refused work. A refusal that comes later is another one: two starts of the
 * API server, with no use of the right between them, are no missing rule.
 */
const FORGOTTEN_AFTER_MS = 120_000;

export class RefusedRights {
	/** First and last refusal since the right was last granted. One entry per kind of call, so there are few. */
	readonly #refusals = new Map<string, { readonly since: number; readonly last: number }>();
	readonly #now: () => number;

	/** `now` is monotonic. */
	constructor(now: () => number) {
		this.#now = now;
	}

	granted(right: Right): void {
		if (this.#refusals.size > 0) this.#refusals.delete(keyOf(right));
	}

	/** Whether the refusal has lasted. */
	refused(right: Right): boolean {
		const now = this.#now();
		const known = this.#refusals.get(keyOf(right));
		const since = known !== undefined && now - known.last < FORGOTTEN_AFTER_MS ? known.since : now;
		this.#refusals.set(keyOf(right), { since, last: now });
		return now - since >= LASTS_AFTER_MS;
	}
}

function keyOf({ verb, resource, namespace }: Right): string {
	return `${verb} ${resource} ${namespace}`;
}
