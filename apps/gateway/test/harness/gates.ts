// Where the API server can be made to wait, so that a process can be stopped or killed between two of its calls.
import type { KubeApi } from '@kubernaut/control-plane';
import { atTheEnd, type HeldRequest, startAdmissionGate } from '@kubernaut/testkit';
import { type NewRemediationRequest, REMEDIATION_REQUEST_RESOURCE } from '../../src/generated/remediation-request.ts';
import type { LeaseObject } from '../../src/kube/leases.ts';

export type HeldCreate<T> = Pick<HeldRequest, 'allow' | 'deny'> & { readonly object: T };
export type CreateGate<T> = {
	/** The next create that matches is held until it is allowed or denied; all others pass. */
	hold(matches: (object: T) => boolean): Promise<HeldCreate<T>>;
};

const LEASES = { group: 'coordination.k8s.io', version: 'v1', plural: 'leases', kind: 'Lease' } as const;

export const gateLeases = (api: KubeApi, namespace: string) => gate<LeaseObject>(api, namespace, LEASES);
export const gateRequests = (api: KubeApi, namespace: string) =>
	gate<NewRemediationRequest>(api, namespace, REMEDIATION_REQUEST_RESOURCE);

async function gate<T>(
	api: KubeApi,
	namespace: string,
	resource: typeof LEASES | typeof REMEDIATION_REQUEST_RESOURCE,
): Promise<CreateGate<T>> {
	const opened = await startAdmissionGate(api, namespace, resource);
	atTheEnd(() => opened.close());
	return opened as unknown as CreateGate<T>;
}
