// Which rights the look-up of targets lacks, by resource: each call tells. A right that is granted again is seen by the next
// call that uses it; where none comes, the refusal is forgotten after a while.
import { type KubeCall, type KubeClient, KubeError } from '../../kube/kube.ts';

export const LOOK_UP_RESOURCES = ['pods', 'replicasets', 'jobs', 'nodes', 'discovery'] as const;
export type LookUpResource = (typeof LOOK_UP_RESOURCES)[number];
export type RightsObserver = {
	/** `message` names the rule that is missing. */
	forbidden(resource: LookUpResource, message: string): void;
	allowed(resource: LookUpResource): void;
};

const FORGOTTEN_AFTER_MS = 15 * 60_000;

/** What the last calls have shown, in words. */
export class LackingRights implements RightsObserver {
	readonly #refusals = new Map<LookUpResource, { readonly message: string; readonly at: number }>();
	readonly #now: () => number;

	/** `now` is monotonic. */
	constructor(now: () => number) {
		this.#now = now;
	}

	forbidden(resource: LookUpResource, message: string): void {
		this.#refusals.set(resource, { message, at: this.#now() });
	}

	allowed(resource: LookUpResource): void {
		this.#refusals.delete(resource);
	}

	messages(): ReadonlyMap<LookUpResource, string> {
		const from = this.#now() - FORGOTTEN_AFTER_MS;
		const recent = [...this.#refusals].filter(([, { at }]) => at > from);
		return new Map(recent.map(([resource, { message }]) => [resource, message]));
	}
}

const REFUSED: ReadonlySet<string> = new Set(['KUBE_FORBIDDEN', 'KUBE_NOT_GRANTED']);

export function isRefused(error: unknown): error is KubeError {
	return error instanceof KubeError && REFUSED.has(error.code);
}

export function followRights(kube: Pick<KubeClient, 'call'>, observer: RightsObserver): Pick<KubeClient, 'call'> {
	return {
		async call<T>(call: KubeCall): Promise<T> {
			const resource = LOOK_UP_RESOURCES.find((known) => known === call.resource);
			try {
				const answer = await kube.call<T>(call);
				if (resource !== undefined) observer.allowed(resource);
				return answer;
			} catch (error) {
				if (resource !== undefined && isRefused(error)) observer.forbidden(resource, error.message);
				// What is not there was asked for with the right to ask.
				if (resource !== undefined && error instanceof KubeError && error.code === 'KUBE_NOT_FOUND')
					observer.allowed(resource);
				throw error;
			}
		},
	};
}
