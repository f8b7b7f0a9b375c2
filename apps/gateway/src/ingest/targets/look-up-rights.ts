// Which rights the look-up of targets lacks, by resource: each call tells. A right that is granted again is seen by the next
// call that uses it.
import { type KubeCall, type KubeClient, KubeError } from '../../kube/kube.ts';

export const LOOK_UP_RESOURCES = ['pods', 'replicasets', 'jobs', 'nodes', 'discovery'] as const;
export type LookUpResource = (typeof LOOK_UP_RESOURCES)[number];
export type RightsObserver = {
	/** `message` names the rule that is missing. */
	forbidden(resource: LookUpResource, message: string): void;
	allowed(resource: LookUpResource): void;
};

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
