// A node without a kubelet. KWOK says that it is ready, and plays the pods on it.
import { type KubeApi, MERGE_PATCH } from '../server/kube-api.ts';

const NAME = 'simulated';

export async function createSimulatedNode(api: KubeApi): Promise<void> {
	const labels = { 'kubernetes.io/hostname': NAME, 'kubernetes.io/os': 'linux' };
	await api.call('POST', '/api/v1/nodes', { body: { metadata: { name: NAME, labels } } });
	// Every new node gets the taint not-ready, and the controller that would take it off is not among ours.
	const body = { spec: { taints: null } };
	await api.call('PATCH', `/api/v1/nodes/${NAME}`, { body, contentType: MERGE_PATCH });
}
