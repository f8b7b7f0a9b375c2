// A kind cluster of one node for a run: with the local node image when there is one, with the registry's otherwise.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePorts, KubeApi } from '@kubernaut/control-plane';
import { startProgress } from '@kubernaut/workspace/progress';
import { stringify } from 'yaml';
import type { DockerEngine } from '../engine/docker-engine.ts';
import { COMPONENT_REPOSITORY } from '../images/component-images.ts';
import { runProgram, tryProgram } from '../run-program.ts';
import { setUpNodeNetwork } from './node-network.ts';

export type KindCluster = {
	readonly name: string;
	readonly kubeconfigPath: string;
	/** The node's container. */
	readonly node: string;
	/** On 127.0.0.1, for each port of the node that was asked for. */
	readonly hostPorts: readonly number[];
	readonly engine: DockerEngine;
	readonly kind: string;
	remove(): Promise<void>;
};
export type ClusterOptions = {
	readonly name: string;
	readonly kind: string;
	/** A directory for its kubeconfig. */
	readonly directory: string;
	readonly engine: DockerEngine;
	/** A node image of ours; kind's own, from the registry, when absent. */
	readonly nodeImage?: string;
	readonly nodePorts: readonly number[];
	readonly signal?: AbortSignal;
};

export const POD_NETWORK = '10.244.0.0/16';
const READY_TIMEOUT_MS = 180_000;
const POLL_MS = 500;

export async function createKindCluster(options: ClusterOptions): Promise<KindCluster> {
	const { name, kind, directory, engine, nodeImage, nodePorts, signal } = options;
	mkdirSync(directory, { recursive: true });
	const kubeconfigPath = join(directory, 'kubeconfig');
	const env = { ...engine.environment, KUBECONFIG: kubeconfigPath };
	const hostPorts = await freePorts(nodePorts.length);
	const node = `${name}-control-plane`;
	const remove = async () => {
		await tryProgram([kind, 'delete', 'cluster', '--name', name], { env });
		rmSync(kubeconfigPath, { force: true });
	};
	const file = join(directory, 'kind.yaml');
	writeFileSync(file, stringify(kindConfig(nodePorts, hostPorts, nodeImage !== undefined)));
	const progress = startProgress('Creating the cluster');
	try {
		await remove(); // what a run that was killed left
		const image = nodeImage === undefined ? [] : ['--image', nodeImage];
		await runProgram([kind, 'create', 'cluster', '--name', name, '--config', file, ...image, '--retain'], {
			env,
			onLine: (line) => progress.update(line.replace(/[^ -~]/g, '').trim()),
			...(signal && { signal }),
		});
		const api = KubeApi.fromFile(kubeconfigPath);
		try {
			if (nodeImage !== undefined) await setUpNodeNetwork(api, node, env);
			progress.update('waiting until the node is ready');
			await waitUntilReady(api, signal);
		} finally {
			await api.close();
		}
		progress.stop('done');
		return { name, kubeconfigPath, node, hostPorts, engine, kind, remove };
	} catch (error) {
		progress.stop(signal?.aborted ? 'interrupted' : 'failed');
		await remove();
		throw error;
	}
}

export function kindConfig(nodePorts: readonly number[], hostPorts: readonly number[], isLocal: boolean) {
	const extraPortMappings = nodePorts.map((containerPort, i) => ({
		containerPort,
		hostPort: hostPorts[i],
		listenAddress: '127.0.0.1',
	}));
	const local = {
		// In place of kind's own network plugin, which cannot be had without its image: see node-network.ts.
		networking: { disableDefaultCNI: true, podSubnet: POD_NETWORK, kubeProxyMode: 'nftables' },
		kubeadmConfigPatches: [
			stringify({ kind: 'KubeletConfiguration', failCgroupV1: false }), // hosts with cgroup v1 work, too
			stringify({ kind: 'ClusterConfiguration', imageRepository: COMPONENT_REPOSITORY }),
		],
	};
	return {
		kind: 'Cluster',
		apiVersion: 'kind.x-k8s.io/v1alpha4',
		...(isLocal ? local : {}),
		nodes: [{ role: 'control-plane', extraPortMappings }],
	};
}

async function waitUntilReady(api: KubeApi, signal?: AbortSignal): Promise<void> {
	const deadline = performance.now() + READY_TIMEOUT_MS;
	for (;;) {
		signal?.throwIfAborted();
		const nodes = await api.send('GET', '/api/v1/nodes');
		const dns = await api.send('GET', '/apis/apps/v1/namespaces/kube-system/deployments/coredns');
		const isReady = (nodes.body['items'] ?? []).every((node: { status: { conditions: Condition[] } }) =>
			node.status.conditions.some(({ type, status }) => type === 'Ready' && status === 'True'),
		);
		if (isReady && dns.body['status']?.readyReplicas > 0) return;
		if (performance.now() > deadline) throw new Error('the node or its DNS did not become ready in time');
		await delay(POLL_MS);
	}
}
type Condition = { type: string; status: string };
