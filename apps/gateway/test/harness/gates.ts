// Where the API server can be made to wait, so that a process can be stopped or killed between two of its calls.
import type { KubeApi } from '@kubernaut/control-plane';
import { type AdmissionGate, atTheEnd, startAdmissionGate } from '@kubernaut/testkit';

const LEASES = { group: 'coordination.k8s.io', version: 'v1', plural: 'leases', kind: 'Lease' } as const;
const REQUESTS = {
	group: 'kubernaut.ai',
	version: 'v1alpha1',
	plural: 'remediationrequests',
	kind: 'RemediationRequest',
} as const;

export const gateLeases = (api: KubeApi, namespace: string) => gate(api, namespace, LEASES);
export const gateRequests = (api: KubeApi, namespace: string) => gate(api, namespace, REQUESTS);

async function gate(
	api: KubeApi,
	namespace: string,
	resource: typeof LEASES | typeof REQUESTS,
): Promise<AdmissionGate> {
	const opened = await startAdmissionGate(api, namespace, resource);
	atTheEnd(() => opened.close());
	return opened;
}
