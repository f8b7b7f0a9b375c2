// A network for the pods of one node, with the plugins of the node image: each pod has a cable to the node, addresses are
// from the node's own range. NetworkPolicies are not enforced.
import { setTimeout as delay } from 'node:timers/promises';
import type { KubeApi } from '@kubernaut/control-plane';
import { runProgram } from '../run-program.ts';
import { POD_NETWORK } from './kind-cluster.ts';

const TRIES = 120;
const POLL_MS = 500;

export async function setUpNodeNetwork(api: KubeApi, node: string, env: NodeJS.ProcessEnv): Promise<void> {
	const subnet = await podRange(api, node);
	const network = {
		cniVersion: '0.4.0',
		name: 'ptp',
		plugins: [
			{
				type: 'ptp',
				mtu: 1500,
				ipam: {
					type: 'host-local',
					dataDir: '/run/cni-ipam-state',
					routes: [{ dst: '0.0.0.0/0' }],
					ranges: [[{ subnet }]],
				},
			},
			{ type: 'portmap', capabilities: { portMappings: true } },
		],
	};
	const masquerade = `iptables -t nat -A POSTROUTING -s ${POD_NETWORK} ! -d ${POD_NETWORK} -j MASQUERADE`;
	const script = `cat > /etc/cni/net.d/10-ptp.conflist && ${masquerade}`;
	await runProgram(['docker', 'exec', '-i', node, 'sh', '-c', script], { env, input: JSON.stringify(network) });
}

async function podRange(api: KubeApi, node: string): Promise<string> {
	for (let tries = 0; tries < TRIES; tries++) {
		const { body } = await api.send('GET', `/api/v1/nodes/${node}`);
		const range = body['spec']?.podCIDR as string | undefined;
		if (range !== undefined) return range;
		await delay(POLL_MS);
	}
	throw new Error(`the node ${node} got no range of addresses for its pods`);
}
