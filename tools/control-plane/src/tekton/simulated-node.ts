// A node without a kubelet: always ready, with room for everything that tests start. KWOK plays the pods on it.
import type { KubeApi } from '../server/kube-api.ts';
import { MERGE_PATCH } from '../server/kube-api.ts';

const NAME = 'simulated';
const ROOM = { cpu: '64', memory: '256Gi', pods: '10000', 'ephemeral-storage': '1Ti' };

export async function createSimulatedNode(api: KubeApi): Promise<void> {
	const path = `/api/v1/nodes/${NAME}`;
	const labels = { 'kubernetes.io/hostname': NAME, 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64' };
	await api.call('POST', '/api/v1/nodes', { body: { metadata: { name: NAME, labels } } });
	const now = new Date().toISOString();
	const ready = { type: 'Ready', status: 'True', reason: 'KubeletReady', lastHeartbeatTime: now, lastTransitionTime: now };
	const status = { capacity: ROOM, allocatable: ROOM, conditions: [ready] };
	await api.call('PATCH', `${path}/status`, { body: { status }, contentType: MERGE_PATCH });
	// Every new node gets the taint not-ready, and the controller that would take it off is not among ours.
	await api.call('PATCH', path, { body: { spec: { taints: null } }, contentType: MERGE_PATCH });
}
